// secret.h — what the hosts of a job know and no other process: 128 random bits, which the launcher
// carries to each of them. No word of it goes over a network. A host proves that it knows them by a
// keyed hash, SipHash-2-4, of what both ends have said.
//
// Thread safety: plain data.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.h"

namespace heddle::door {

struct Secret {
  std::uint64_t words[2] = {};

  // Makes one at random. Fails if the system has none.
  static Error make(Secret* made);
};

// Depends on the secret and the bytes alone; without the secret it cannot be told from a random
// number.
std::uint64_t keyed_hash(const Secret& secret, std::span<const std::byte> bytes) noexcept;

}  // namespace heddle::door
