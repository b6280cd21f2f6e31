// memories.h — memory that other hosts may read, under keys.
//
// Only hosts of the job have streams, so a key need not be a secret; it is new each time, so that a
// late read finds nothing.
//
//   key   | use, 32 bits | index + 1, 32 bits |
//
// Thread safety: one thread at a time.

#pragma once

#include <cstdint>
#include <vector>

#include "net/transport/transport.h"

namespace heddle::transport {

class ExposedMemories {
 public:
  bool expose(Bytes memory, RemoteMemory* how) noexcept {
    if (free_ == kNone) {
      places_.push_back({});
      free_ = static_cast<std::uint32_t>(places_.size() - 1);
      places_[free_].next_free = kNone;
    }
    Place& place = places_[free_];
    *how = {0, std::uint64_t{++place.use} << 32 | (free_ + 1)};
    place.memory = memory;
    free_ = place.next_free;
    return true;
  }

  void conceal(std::uint64_t key) noexcept {
    Place* const place = place_of(key);
    if (place == nullptr) return;
    place->memory = {};
    ++place->use;
    place->next_free = free_;
    free_ = static_cast<std::uint32_t>(place - places_.data());
  }

  // False: a read of this length is not allowed there.
  bool find(std::uint64_t key, std::uint64_t offset, std::uint64_t bytes, Bytes* found) noexcept {
    const Place* const place = place_of(key);
    if (place == nullptr || offset > place->memory.size() || bytes > place->memory.size() - offset)
      return false;
    *found = place->memory.subspan(offset, bytes);
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Place {
    Bytes memory;
    std::uint32_t use = 0;  // odd: it is in use
    std::uint32_t next_free = kNone;
  };
  Place* place_of(std::uint64_t key) noexcept {
    const std::uint64_t index = (key & 0xffffffffu) - 1;  // of 0: too large
    if (index >= places_.size()) return nullptr;
    Place& place = places_[index];
    return place.use % 2 == 1 && place.use == key >> 32 ? &place : nullptr;
  }

  std::vector<Place> places_;
  std::uint32_t free_ = kNone;
};

}  // namespace heddle::transport
