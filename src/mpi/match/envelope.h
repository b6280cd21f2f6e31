// envelope.h — what is written on a message, and what a receive asks for (MPI 5.0 §3.2.3, §3.2.4).
//
// Thread safety: plain values and functions.

#pragma once

#include <mpi.h>

#include <cstdint>

namespace heddle::match {

// What a wildcard can reach: one communicator's context and one of its planes, in a word.
using MatchContext = std::uint64_t;
constexpr unsigned kPlaneBits = 2;  // comm::Plane has four
constexpr MatchContext context_of(std::uint64_t context, unsigned plane) noexcept {
  return context << kPlaneBits | plane;
}
constexpr unsigned plane_of(MatchContext context) noexcept {
  return static_cast<unsigned>(context & ((1u << kPlaneBits) - 1));
}

// What is hashed and compared: of a message its envelope, of a receive what it wants, wildcards
// (MPI_ANY_SOURCE, MPI_ANY_TAG) included.
struct Key {
  MatchContext context = 0;
  int source = 0;
  int tag = 0;

  bool operator==(const Key&) const noexcept = default;

  std::uint32_t hash() const noexcept {
    const std::uint64_t pair =
        std::uint64_t(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(tag);
    // Fibonacci hashing; the product's upper half depends on all bits of both words.
    const std::uint64_t mixed = (pair * 0x9E3779B97F4A7C15u ^ context) * 0xD6E8FEB86659FD93u;
    return static_cast<std::uint32_t>(mixed >> 32);
  }
};

using Pattern = Key;

struct Envelope {
  Key key;              // no wildcards
  MPI_Count bytes = 0;  // of the payload's packed form
};

// Which of source and tag a pattern leaves open.
enum Shape : unsigned { kExact = 0, kAnyTag = 1, kAnySource = 2, kAnything = 3 };
constexpr unsigned kShapes = 4;

constexpr Shape shape_of(const Pattern& wanted) noexcept {
  return static_cast<Shape>((wanted.source == MPI_ANY_SOURCE ? kAnySource : 0u) |
                            (wanted.tag == MPI_ANY_TAG ? kAnyTag : 0u));
}

constexpr bool is_wildcard(const Pattern& wanted) noexcept {
  return wanted.source == MPI_ANY_SOURCE || wanted.tag == MPI_ANY_TAG;
}

// The pattern of that shape which fits the message.
constexpr Pattern pattern_for(const Key& message, unsigned shape) noexcept {
  return {message.context, (shape & kAnySource) != 0 ? MPI_ANY_SOURCE : message.source,
          (shape & kAnyTag) != 0 ? MPI_ANY_TAG : message.tag};
}

constexpr bool fits(const Pattern& wanted, const Key& message) noexcept {
  return wanted.context == message.context &&
         (wanted.source == MPI_ANY_SOURCE || wanted.source == message.source) &&
         (wanted.tag == MPI_ANY_TAG || wanted.tag == message.tag);
}

}  // namespace heddle::match
