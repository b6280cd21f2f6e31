// oracle.h — every rank's input is a function of its rank, so each rank computes by itself what a
// collective must give.
//
// Thread safety: plain functions.

#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <vector>

#include "tests/support/made_array.h"

namespace heddle::testing {

using Ints = std::vector<int>;

// Around the sizes where algorithms and protocols change.
inline const Ints kCounts = {0, 1, 3, 64, 1000, 4096, 20000};

constexpr int kUntouched = -77;

// Element i of rank's input.
HEDDLE_UNSANITIZED inline int value(int rank, int i) {
  return (rank + 1) * 100003 + i * 7 + i / 13;
}

inline Ints input(int rank, int count) {
  return made_array<int>(static_cast<std::size_t>(count), [rank](std::size_t i) HEDDLE_UNSANITIZED {
    return value(rank, static_cast<int>(i));
  });
}

// Never null, so that a count of 0 is no special address.
inline Ints room(int count) {
  return made_array<int>(static_cast<std::size_t>(count) + 1,
                         [](std::size_t) HEDDLE_UNSANITIZED { return kUntouched; });
}

inline Ints first(const Ints& data, int count) {
  return Ints(data.begin(), data.begin() + count);
}

// The inputs of ranks [0, size) one after the other.
inline Ints all_inputs(int size, int count) {
  Ints all;
  for (int rank = 0; rank < size; ++rank) {
    const Ints one = input(rank, count);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

// The sum of the inputs of ranks [0, size).
inline Ints sum_of_inputs(int size, int count) {
  return made_array<int>(static_cast<std::size_t>(count), [size](std::size_t i) HEDDLE_UNSANITIZED {
    int sum = 0;
    for (int rank = 0; rank < size; ++rank) sum += value(rank, static_cast<int>(i));
    return sum;
  });
}

// Pieces of different sizes with gaps, out of order: piece i has i % 3 * unit + 1 elements.
struct Layout {
  Ints counts, displacements;
  int extent = 0;

  Layout(int size, int unit) : counts(static_cast<std::size_t>(size)), displacements(counts) {
    for (int i = size; i-- > 0;) {
      const auto at = static_cast<std::size_t>(i);
      counts[at] = i % 3 * unit + 1;
      displacements[at] = extent;
      extent += counts[at] + 2;
    }
  }
  int count(int i) const { return counts[static_cast<std::size_t>(i)]; }
  int displacement(int i) const { return displacements[static_cast<std::size_t>(i)]; }
};

}  // namespace heddle::testing
