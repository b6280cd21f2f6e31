// payload.h — bytes that say whose they are, so that a test sees what arrived where.
//
// Thread safety: plain functions.

#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "tests/support/made_array.h"

namespace heddle::testing {

using Bytes = std::vector<unsigned char>;

// Around the sizes where the protocol changes: boxes, small and large cells, copies, the sender's own
// buffer, shared copies.
inline const std::vector<int> kSizes = {0,    1,    8,    16,   17,   255,   256,   257,    1024,
                                        1025, 4095, 4096, 4097, 8192, 65536, 70001, 1 << 20};

// Differs with sender, number and position.
inline Bytes payload(int bytes, int sender, int number) {
  unsigned state = static_cast<unsigned>(sender * 7919 + number * 104729 + bytes + 1);
  return made_array<unsigned char>(static_cast<std::size_t>(bytes),
                                   [state](std::size_t) mutable HEDDLE_UNSANITIZED {
                                     state = state * 1664525u + 1013904223u;
                                     return static_cast<unsigned char>(state >> 24);
                                   });
}

// An array for a buffer of `bytes`, never null, filled with something else.
inline Bytes room_for(int bytes) {
  return Bytes(static_cast<std::size_t>(bytes) + 1, 0xEE);
}

// True if the room has the payload at its start and was not touched behind it.
inline bool holds(const Bytes& room, const Bytes& data) {
  return (data.empty() || std::memcmp(room.data(), data.data(), data.size()) == 0) &&
         room[data.size()] == 0xEE;
}

inline int count_of(const MPI_Status& status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

}  // namespace heddle::testing
