// window.h — a window of MPI_COMM_WORLD for a test, with memory of the library's, whose errors return.

#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include "tests/support/ranks_test.h"

namespace heddle::testing {

// True if all ranks are on one node, so that there are shared windows.
inline bool share_memory(int size) {
  for (int rank = 1; rank < size; ++rank) {
    if (node_of(rank, size) != node_of(0, size)) return false;
  }
  return true;
}

// How the memory of a window comes to be.
enum class Made { kCreate, kAllocate, kShared };
inline constexpr Made kAllMade[] = {Made::kCreate, Made::kAllocate, Made::kShared};

template <class Element>
class TestWindow {
 public:
  explicit TestWindow(int elements, Made made = Made::kAllocate, MPI_Info info = MPI_INFO_NULL)
      : made_(made) {
    constexpr int kUnit = sizeof(Element);
    const MPI_Aint bytes = MPI_Aint{elements} * kUnit;
    switch (made) {
      case Made::kCreate:
        MPI_Alloc_mem(bytes, MPI_INFO_NULL, &data);
        EXPECT_EQ(MPI_Win_create(data, bytes, kUnit, info, MPI_COMM_WORLD, &win), MPI_SUCCESS);
        break;
      case Made::kAllocate:
        EXPECT_EQ(MPI_Win_allocate(bytes, kUnit, info, MPI_COMM_WORLD, &data, &win), MPI_SUCCESS);
        break;
      case Made::kShared:
        EXPECT_EQ(MPI_Win_allocate_shared(bytes, kUnit, info, MPI_COMM_WORLD, &data, &win),
                  MPI_SUCCESS);
        break;
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < elements; ++i) data[i] = Element();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~TestWindow() {
    EXPECT_EQ(MPI_Win_free(&win), MPI_SUCCESS);
    EXPECT_EQ(win, MPI_WIN_NULL);
    if (made_ == Made::kCreate) MPI_Free_mem(data);
  }
  TestWindow(const TestWindow&) = delete;
  TestWindow& operator=(const TestWindow&) = delete;

  MPI_Win win = MPI_WIN_NULL;
  Element* data = nullptr;

 private:
  const Made made_;
};

}  // namespace heddle::testing
