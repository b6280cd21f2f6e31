// What windows are, how they begin and end (MPI 5.0 §12.2).

#include "tests/rma/window.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

template <class T>
T* attribute(MPI_Win win, int keyval) {
  T* value = nullptr;
  int flag = 0;
  EXPECT_EQ(MPI_Win_get_attr(win, keyval, &value, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  return value;
}

std::string hint(MPI_Win win, const char* key) {
  MPI_Info info = MPI_INFO_NULL;
  EXPECT_EQ(MPI_Win_get_info(win, &info), MPI_SUCCESS);
  char value[64] = "";
  int length = sizeof value, flag = 0;
  MPI_Info_get_string(info, key, &length, value, &flag);
  MPI_Info_free(&info);
  return flag != 0 ? value : "(none)";
}

MPI_Info info_with(const char* key, const char* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

}  // namespace

RANKS_TEST(Window, TellsWhatItWasMadeOf, ranks(1, 2, 5)) {
  constexpr int kFlavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE,
                              MPI_WIN_FLAVOR_SHARED};
  for (const Made made : kAllMade) {
    if (made == Made::kShared && !share_memory(size)) continue;
    const TestWindow<double> window(3 + rank, made);
    EXPECT_EQ(attribute<double>(window.win, MPI_WIN_BASE), window.data);
    EXPECT_EQ(*attribute<MPI_Aint>(window.win, MPI_WIN_SIZE), MPI_Aint{8} * (3 + rank));
    EXPECT_EQ(*attribute<int>(window.win, MPI_WIN_DISP_UNIT), 8);
    EXPECT_EQ(*attribute<int>(window.win, MPI_WIN_MODEL), MPI_WIN_UNIFIED);
    EXPECT_EQ(*attribute<int>(window.win, MPI_WIN_CREATE_FLAVOR), kFlavors[static_cast<int>(made)]);
  }
}

RANKS_TEST(Window, HasTheGroupOfItsCommunicator, ranks(1, 4)) {
  const TestWindow<int> window(1);
  MPI_Group of_window = MPI_GROUP_NULL, of_world = MPI_GROUP_NULL;
  MPI_Win_get_group(window.win, &of_window);
  MPI_Comm_group(MPI_COMM_WORLD, &of_world);
  int result = MPI_UNEQUAL;
  MPI_Group_compare(of_window, of_world, &result);
  EXPECT_EQ(result, MPI_IDENT);
  MPI_Group_free(&of_window);
  MPI_Group_free(&of_world);
}

RANKS_TEST(Window, HasANameAndHints, ranks(1, 3)) {
  MPI_Info info = info_with("no_locks", "true");
  MPI_Info_set(info, "accumulate_ordering", "war,rar");
  MPI_Info_set(info, "same_size", "perhaps");
  const TestWindow<int> window(1, Made::kAllocate, info);
  MPI_Info_free(&info);
  EXPECT_EQ(hint(window.win, "no_locks"), "true");
  EXPECT_EQ(hint(window.win, "accumulate_ordering"), "war,rar");
  EXPECT_EQ(hint(window.win, "same_size"), "false");
  EXPECT_EQ(hint(window.win, "mpi_memory_alloc_kinds"), "mpi,system");
  info = info_with("accumulate_ordering", "none");
  MPI_Win_set_info(window.win, info);
  MPI_Info_free(&info);
  EXPECT_EQ(hint(window.win, "accumulate_ordering"), "none");
  EXPECT_EQ(hint(window.win, "no_locks"), "true");

  char name[MPI_MAX_OBJECT_NAME] = "x";
  int length = -1;
  MPI_Win_get_name(window.win, name, &length);
  EXPECT_STREQ(name, "");
  EXPECT_EQ(length, 0);
  MPI_Win_set_name(window.win, "halo");
  MPI_Win_get_name(window.win, name, &length);
  EXPECT_STREQ(name, "halo");
  EXPECT_EQ(length, 4);
}

RANKS_TEST(Window, HasAttributesThatEndWithIt, ranks(1, 3)) {
  const auto count = [](MPI_Win, int, void* value, void*) -> int {
    ++*static_cast<int*>(value);
    return MPI_SUCCESS;
  };
  int ends = 0, keyval = MPI_KEYVAL_INVALID;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count, &keyval, nullptr);
  {
    const TestWindow<int> window(1);
    MPI_Win_set_attr(window.win, keyval, &ends);
    int* value = nullptr;
    int flag = 0;
    MPI_Win_get_attr(window.win, keyval, &value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(value, &ends);
    MPI_Win_delete_attr(window.win, keyval);
    EXPECT_EQ(ends, 1);
    MPI_Win_set_attr(window.win, keyval, &ends);
  }
  EXPECT_EQ(ends, 2);
  MPI_Win_free_keyval(&keyval);
}

RANKS_TEST(Window, IsAnIntegerToFortran, ranks(1)) {
  const TestWindow<int> window(1);
  EXPECT_EQ(MPI_Win_fromint(MPI_Win_toint(window.win)), window.win);
  EXPECT_EQ(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)), MPI_WIN_NULL);
}

// Memory of a shared window is one piece, in the order of ranks.
RANKS_TEST(SharedWindow, IsContiguous, ranks(1, 2, 5)) {
  if (!share_memory(size)) return;
  const TestWindow<int> window(rank == 1 ? 0 : rank + 1, Made::kShared);
  for (int i = 0; i < rank + 1 && rank != 1; ++i) window.data[i] = 100 * rank + i;
  MPI_Win_fence(0, window.win);
  MPI_Aint bytes = -1;
  int unit = 0, *first = nullptr;
  EXPECT_EQ(MPI_Win_shared_query(window.win, MPI_PROC_NULL, &bytes, &unit, &first), MPI_SUCCESS);
  EXPECT_EQ(bytes, 4);
  const int* next = first;
  for (int other = 0; other < size; ++other) {
    int* base = nullptr;
    EXPECT_EQ(MPI_Win_shared_query(window.win, other, &bytes, &unit, &base), MPI_SUCCESS);
    EXPECT_EQ(unit, 4);
    EXPECT_EQ(bytes, MPI_Aint{4} * (other == 1 ? 0 : other + 1));
    EXPECT_EQ(base, next);
    for (int i = 0; i < bytes / 4; ++i) EXPECT_EQ(base[i], 100 * other + i);
    next = base + bytes / 4;
  }
  MPI_Win_fence(0, window.win);
}

RANKS_TEST(SharedWindow, CanBeginOnPagesOfItsOwn, ranks(1, 3)) {
  if (!share_memory(size)) return;
  MPI_Info info = info_with("alloc_shared_noncontig", "true");
  const TestWindow<char> window(5000 * (rank % 2), Made::kShared, info);
  MPI_Info_free(&info);
  for (int other = 0; other < size; ++other) {
    MPI_Aint bytes = -1;
    int unit = 0;
    char* base = nullptr;
    MPI_Win_shared_query(window.win, other, &bytes, &unit, &base);
    EXPECT_EQ(bytes, 5000 * (other % 2));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(base) % 4096, 0U);
    EXPECT_EQ(base == nullptr, bytes == 0);
  }
}

RANKS_TEST(DynamicWindow, ReachesWhatIsAttached, ranks(1, 2, 5)) {
  MPI_Win win = MPI_WIN_NULL;
  ASSERT_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  std::vector<int> memory(100, -1);
  // Two regions that touch each other are one to an access.
  EXPECT_EQ(MPI_Win_attach(win, memory.data(), 40), MPI_SUCCESS);
  EXPECT_EQ(MPI_Win_attach(win, memory.data() + 10, 40), MPI_SUCCESS);
  EXPECT_EQ(MPI_Win_attach(win, memory.data() + 5, 4), MPI_ERR_RMA_ATTACH);
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(size));
  MPI_Aint mine = 0;
  MPI_Get_address(memory.data(), &mine);
  MPI_Allgather(&mine, 1, MPI_AINT, addresses.data(), 1, MPI_AINT, MPI_COMM_WORLD);

  const int right = (rank + 1) % size;
  const MPI_Aint there = addresses[static_cast<std::size_t>(right)];
  const int values[3] = {rank, rank + 1, rank + 2};
  MPI_Win_fence(0, win);
  EXPECT_EQ(
      MPI_Put(values, 3, MPI_INT, right, MPI_Aint_add(there, MPI_Aint{8} * 4), 3, MPI_INT, win),
      MPI_SUCCESS);
  EXPECT_EQ(MPI_Put(values, 0, MPI_INT, right, 0, 0, MPI_INT, win), MPI_SUCCESS);
  // Of a target in another process the next call that flushes tells it.
  const int outside =
      MPI_Put(values, 3, MPI_INT, right, MPI_Aint_add(there, MPI_Aint{18} * 4), 3, MPI_INT, win);
  const int then = MPI_Win_fence(0, win);
  EXPECT_EQ(outside != MPI_SUCCESS ? outside : then, MPI_ERR_RMA_RANGE);
  const int left = (rank + size - 1) % size;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(memory[static_cast<std::size_t>(8 + i)], left + i);
  EXPECT_EQ(memory[18], -1);

  EXPECT_EQ(MPI_Win_detach(win, memory.data() + 1), MPI_ERR_RMA_ATTACH);
  EXPECT_EQ(MPI_Win_detach(win, memory.data()), MPI_SUCCESS);
  MPI_Win_fence(0, win);
  int got = -1;
  EXPECT_EQ(MPI_Get(&got, 1, MPI_INT, right, there, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  MPI_Win_fence(0, win);
  EXPECT_EQ(MPI_Win_detach(win, memory.data() + 10), MPI_SUCCESS);
  MPI_Win_free(&win);
}

// A rank's mistake is told at all ranks, none of which waits for it.
RANKS_TEST(Window, FailsAtAllRanks, ranks(1, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Win win = MPI_WIN_NULL;
  int data = 0;
  const int wrong = rank == size - 1 ? -4 : 4;
  EXPECT_EQ(MPI_Win_create(&data, wrong, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
  EXPECT_EQ(MPI_Win_create(&data, 4, wrong, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
  EXPECT_EQ(win, MPI_WIN_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// An access at a target in another process that no call has answered yet: its error is its origin's.
RANKS_TEST(DynamicWindow, TellsErrorsToTheirOrigin, ranks(3, 5)) {
  MPI_Win win = MPI_WIN_NULL;
  ASSERT_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  std::vector<int> memory(4, 0);
  EXPECT_EQ(MPI_Win_attach(win, memory.data(), 16), MPI_SUCCESS);
  MPI_Aint address = 0;
  MPI_Get_address(memory.data(), &address);
  MPI_Bcast(&address, 1, MPI_AINT, 0, MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  const int value = 7;
  int outside = MPI_SUCCESS, got = -1;
  if (rank == 1) {
    outside = MPI_Put(&value, 1, MPI_INT, 0, MPI_Aint_add(address, 16), 1, MPI_INT, win);
    // What answers comes behind it.
    EXPECT_EQ(MPI_Get(&got, 1, MPI_INT, 0, address, 1, MPI_INT, win), MPI_SUCCESS);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 1) {
    const MPI_Aint own = MPI_Aint_add(address, 4 * MPI_Aint{rank - 1});
    EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, 0, own, 1, MPI_INT, win), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_flush(0, win), MPI_SUCCESS);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    const int then = MPI_Win_flush(0, win);
    EXPECT_EQ(outside != MPI_SUCCESS ? outside : then, MPI_ERR_RMA_RANGE);
    EXPECT_EQ(MPI_Win_flush(0, win), MPI_SUCCESS);
  }
  EXPECT_EQ(MPI_Win_unlock_all(win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Win_detach(win, memory.data()), MPI_SUCCESS);
  MPI_Win_free(&win);
}

// Ranks of a node map each other's memory, also where they are processes.
RANKS_TEST(AllocatedWindow, IsMappedByItsNode, ranks(1, 2, 4)) {
  if (!share_memory(size)) return;
  const TestWindow<long> window(3);
  const int right = (rank + 1) % size;
  MPI_Aint bytes = 0;
  int unit = 0;
  long* there = nullptr;
  EXPECT_EQ(MPI_Win_shared_query(window.win, right, &bytes, &unit, &there), MPI_SUCCESS);
  EXPECT_EQ(bytes, MPI_Aint{3 * sizeof(long)});
  ASSERT_NE(there, nullptr);
  there[1] = rank;
  MPI_Win_sync(window.win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window.win);
  EXPECT_EQ(window.data[1], (rank + size - 1) % size);
}
