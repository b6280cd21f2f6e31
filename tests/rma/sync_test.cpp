// Epochs (MPI 5.0 §12.5): which locks exclude each other, which calls wait for which, and what is no epoch.

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <random>
#include <vector>

#include "tests/rma/window.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

MPI_Group group_of(MPI_Win win, const std::vector<int>& ranks) {
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  MPI_Group_free(&all);
  return some;
}

// Reads a number and writes it increased, without an atomic operation: right only if no other does so meanwhile.
void increase(int target, MPI_Win win) {
  long number = 0;
  MPI_Get(&number, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
  MPI_Win_flush(target, win);
  sched_yield();
  ++number;
  MPI_Put(&number, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
}

void increase_alone(int target, MPI_Win win) {
  EXPECT_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win), MPI_SUCCESS);
  increase(target, win);
  EXPECT_EQ(MPI_Win_unlock(target, win), MPI_SUCCESS);
}

long read_shared(int target, MPI_Win win) {
  long number = -1;
  EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win), MPI_SUCCESS);
  MPI_Get(&number, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
  EXPECT_EQ(MPI_Win_unlock(target, win), MPI_SUCCESS);
  return number;
}

}  // namespace

RANKS_TEST(Lock, ExcludesOthers, ranks(1, 2, 3, 16)) {
  const TestWindow<long> window(1);
  constexpr int kTimes = 100;
  std::mt19937_64 random(seed() + static_cast<unsigned long>(rank));
  for (int i = 0; i < kTimes; ++i) {
    increase_alone(0, window.win);
    if (random() % 4 == 0) {
      EXPECT_GE(read_shared(0, window.win), i + 1);
    }
    if (random() % 8 == 0) sched_yield();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(read_shared(0, window.win), static_cast<long>(kTimes) * size);
}

// Rank 0 has the lock of each member in turn nearly always, until all others have had it, too.
RANKS_TEST(Lock, ComesToAllAlthoughOneTakesItAgainAtOnce, ranks(2, 3, 7)) {
  const TestWindow<long> window(1);
  for (int target = 0; target < size; ++target) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
      increase_alone(target, window.win);
      continue;
    }
    for (long others = 0; others < size - 1;) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.win);
      MPI_Get(&others, 1, MPI_LONG, target, 0, 1, MPI_LONG, window.win);
      MPI_Win_flush(target, window.win);
      for (const double end = MPI_Wtime() + 1e-3; MPI_Wtime() < end;) sched_yield();
      MPI_Win_unlock(target, window.win);
    }
  }
}

// Those that have locked all exclude an exclusive lock, and it excludes them.
RANKS_TEST(LockAll, ExcludesExclusiveLocks, ranks(2, 3, 16)) {
  const TestWindow<long> window(2);
  constexpr int kTimes = 60;
  std::mt19937_64 random(seed() + static_cast<unsigned long>(rank));
  for (int i = 0; i < kTimes; ++i) {
    const int target = static_cast<int>(random() % static_cast<unsigned>(size));
    if (random() % 2 == 0) {
      // Between the two writes no other rank may look.
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.win);
      long numbers[2] = {0, 0};
      MPI_Get(numbers, 2, MPI_LONG, target, 0, 2, MPI_LONG, window.win);
      MPI_Win_flush(target, window.win);
      EXPECT_EQ(numbers[0], numbers[1]);
      const long next = numbers[0] + 1;
      MPI_Put(&next, 1, MPI_LONG, target, 0, 1, MPI_LONG, window.win);
      MPI_Win_flush(target, window.win);
      sched_yield();
      MPI_Put(&next, 1, MPI_LONG, target, 1, 1, MPI_LONG, window.win);
      MPI_Win_unlock(target, window.win);
    } else {
      MPI_Win_lock_all(0, window.win);
      for (int other = 0; other < size; ++other) {
        long numbers[2] = {-1, -2};
        MPI_Get(&numbers[0], 1, MPI_LONG, other, 0, 1, MPI_LONG, window.win);
        MPI_Win_flush(other, window.win);
        sched_yield();
        MPI_Get(&numbers[1], 1, MPI_LONG, other, 1, 1, MPI_LONG, window.win);
        MPI_Win_flush(other, window.win);
        EXPECT_EQ(numbers[0], numbers[1]);
      }
      MPI_Win_unlock_all(window.win);
    }
  }
}

RANKS_TEST(Lock, IsOfAThread, ranks(1, 3)) {
  const TestWindow<long> window(1);
  constexpr int kTimes = 50;
  MPI_Win_lock_all(0, window.win);
  RankThreads threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.start([&window] {
      for (int i = 0; i < kTimes; ++i) {
        const long one = 1;
        MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, window.win);
        MPI_Win_flush(0, window.win);
      }
    });
  }
  threads.join();
  MPI_Win_unlock_all(window.win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    EXPECT_EQ(window.data[0], 3L * kTimes * size);
  }
}

// Each rank exposes its window to some, drawn at random, and accesses those of some others.
// One access in an epoch: in another process it takes the lock along.
RANKS_TEST(Lock, MakesOneAccessWhole, ranks(2, 3, 7)) {
  constexpr int kNumbers = 64;  // in more than one stripe, cache line and store
  using Numbers = std::array<long, kNumbers>;
  const TestWindow<long> window(kNumbers, Made::kCreate);
  constexpr int kTimes = 50;
  for (int i = 0; i < kTimes; ++i) {
    Numbers numbers;
    numbers.fill(rank * kTimes + i);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win);
    MPI_Put(numbers.data(), kNumbers, MPI_LONG, 0, 0, kNumbers, MPI_LONG, window.win);
    EXPECT_EQ(MPI_Win_unlock(0, window.win), MPI_SUCCESS);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
    MPI_Get(numbers.data(), kNumbers, MPI_LONG, 0, 0, kNumbers, MPI_LONG, window.win);
    EXPECT_EQ(MPI_Win_unlock(0, window.win), MPI_SUCCESS);
    Numbers all_alike;
    all_alike.fill(numbers[0]);
    EXPECT_EQ(numbers, all_alike);
  }
}

RANKS_TEST(Lock, IsSharedByThreads, ranks(1, 3)) {
  constexpr int kThreads = 3;
  const TestWindow<long> window(kThreads + 1, Made::kCreate);
  const int target = (rank + 1) % size;
  for (int i = 0; i < 50; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window.win);
    RankThreads threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.start([&window, thread, target, rank = rank] {
        const long mine = rank * 100 + thread;
        const long one = 1;
        long before = -1;
        MPI_Put(&mine, 1, MPI_LONG, target, thread, 1, MPI_LONG, window.win);
        if (thread == 1) MPI_Win_flush(target, window.win);
        MPI_Fetch_and_op(&one, &before, MPI_LONG, target, kThreads, MPI_SUM, window.win);
        EXPECT_GE(before, 0);
      });
    }
    threads.join();
    EXPECT_EQ(MPI_Win_unlock(target, window.win), MPI_SUCCESS);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window.win);
  for (int thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(window.data[thread], (rank + size - 1) % size * 100 + thread);
  }
  EXPECT_EQ(window.data[kThreads], 50 * kThreads);
  MPI_Win_unlock(rank, window.win);
}

RANKS_TEST(StartAndPost, MeetEachOther, ranks(1, 2, 3, 7)) {
  const TestWindow<int> window(size);
  std::mt19937_64 random(seed());
  for (int round = 1; round <= 40; ++round) {
    std::vector<int> origins, targets;
    for (int origin = 0; origin < size; ++origin) {
      for (int target = 0; target < size; ++target) {
        if (random() % 2 == 0) continue;
        if (target == rank) origins.push_back(origin);
        if (origin == rank) targets.push_back(target);
      }
    }
    MPI_Group from = group_of(window.win, origins), to = group_of(window.win, targets);
    EXPECT_EQ(MPI_Win_post(from, 0, window.win), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_start(to, 0, window.win), MPI_SUCCESS);
    for (const int target : targets) {
      EXPECT_EQ(MPI_Put(&round, 1, MPI_INT, target, rank, 1, MPI_INT, window.win), MPI_SUCCESS);
    }
    EXPECT_EQ(MPI_Win_complete(window.win), MPI_SUCCESS);
    if (round % 2 == 0) {
      EXPECT_EQ(MPI_Win_wait(window.win), MPI_SUCCESS);
    } else {
      for (int flag = 0; flag == 0;) EXPECT_EQ(MPI_Win_test(window.win, &flag), MPI_SUCCESS);
    }
    for (const int origin : origins) EXPECT_EQ(window.data[origin], round);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
  }
}

// A start waits for the posts of its own epoch, not for earlier ones.
RANKS_TEST(StartAndPost, AreCountedByEpoch, ranks(2)) {
  const TestWindow<int> window(1);
  MPI_Group other = group_of(window.win, {1 - rank});
  for (int round = 0; round < 50; ++round) {
    if (rank == 0) {
      MPI_Win_post(other, 0, window.win);
      MPI_Win_wait(window.win);
      EXPECT_EQ(window.data[0], round);
      window.data[0] = -1;
    } else {
      MPI_Win_start(other, 0, window.win);
      MPI_Put(&round, 1, MPI_INT, 0, 0, 1, MPI_INT, window.win);
      MPI_Win_complete(window.win);
    }
  }
  MPI_Group_free(&other);
}

RANKS_TEST(Epochs, AreToldWhereThereIsNone, ranks(1, 2)) {
  const TestWindow<int> window(2);
  MPI_Win win = window.win;
  int value = 7;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Win_get_group(win, &all);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_sync(win), MPI_SUCCESS);

  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
  if (size > 1) {
    EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  }
  MPI_Win_unlock(0, win);

  MPI_Win_fence(0, win);
  EXPECT_EQ(MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);

  MPI_Win_post(all, 0, win);
  EXPECT_EQ(MPI_Win_post(all, 0, win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
  MPI_Win_start(all, 0, win);
  EXPECT_EQ(MPI_Win_start(all, 0, win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  MPI_Group_free(&all);
}

RANKS_TEST(Locks, AreOpenUntilTheLastOneEnds, ranks(2, 3)) {
  const TestWindow<int> window(1);
  MPI_Win win = window.win;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Win_get_group(win, &all);
  MPI_Win_fence(0, win);  // no access follows, so it has opened nothing
  for (int last = 0; last < size; ++last) {
    for (int target = 0; target < size; ++target) {
      EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win), MPI_SUCCESS);
    }
    for (int target = 0; target < size; ++target) {
      if (target == last) continue;
      EXPECT_EQ(MPI_Win_unlock(target, win), MPI_SUCCESS);
    }
    EXPECT_EQ(MPI_Win_unlock((last + 1) % size, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_start(all, 0, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_flush_all(win), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_unlock(last, win), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_lock_all(0, win), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, last, 0, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_unlock_all(win), MPI_SUCCESS);
  }
  MPI_Group_free(&all);
}

RANKS_TEST(Arguments, AreCheckedBeforeMemoryIsTouched, ranks(1, 2)) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  const TestWindow<int> window(2), unlocked(1, Made::kAllocate, info);
  MPI_Info_free(&info);
  MPI_Win win = window.win;
  int value = 7;
  double number = 1;
  EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, unlocked.win), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(MPI_Win_lock(99, 0, 0, win), MPI_ERR_LOCKTYPE);
  EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
  EXPECT_EQ(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
  EXPECT_EQ(MPI_Win_attach(win, &value, 4), MPI_ERR_RMA_FLAVOR);

  MPI_Win_lock_all(0, win);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, -5, 0, 1, MPI_INT, win), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, 0, 1, 2, MPI_INT, win), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, 0, MPI_Aint{1} << 62, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(MPI_Put(&value, 2, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_TRUNCATE);
  EXPECT_EQ(MPI_Put(&value, 0, MPI_INT, 0, 99, 0, MPI_INT, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 5, 1, MPI_INT, win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Put(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Put(nullptr, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MINLOC, win), MPI_ERR_OP);
  EXPECT_EQ(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
  EXPECT_EQ(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_FLOAT, MPI_SUM, win), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Compare_and_swap(&number, &number, &number, MPI_DOUBLE, 0, 0, win), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Win_unlock_all(win), MPI_SUCCESS);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(window.data[i], 0);
}

namespace {

int calls;
MPI_Win heard;

void on_error(MPI_Win* win, int* code, ...) {
  ++calls;
  heard = *win;
  *code = MPI_ERR_OTHER;
}

}  // namespace

RANKS_TEST(Errors, ReachTheWindowsHandler, ranks(1)) {
  calls = 0;
  const TestWindow<int> window(1);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(on_error, &handler);
  MPI_Win_set_errhandler(window.win, handler);
  MPI_Errhandler_free(&handler);
  EXPECT_EQ(MPI_Put(&calls, 1, MPI_INT, 4, 0, 1, MPI_INT, window.win), MPI_ERR_OTHER);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(heard, window.win);
  MPI_Win_call_errhandler(window.win, MPI_ERR_RMA_SYNC);
  EXPECT_EQ(calls, 2);
}
