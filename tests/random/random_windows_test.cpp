// Random programs on windows (window_plan.h): of all kinds and sizes, in epochs of all kinds, with random datatypes at
// both ends, in several windows of communicators whose ranks are in any order; also by threads of a rank, and while
// ranks move. ./dev seeds runs more of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "src/base/test_seeds.h"
#include "tests/random/moves.h"
#include "tests/random/random_window.h"
#include "tests/random/window_play.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;
using BetweenCalls = std::function<void()>;

// What all threads of a rank do: with one strand for each but the first, which is the caller.
class Threads {
 public:
  explicit Threads(std::vector<std::unique_ptr<WindowPlay>>& plays) : plays_(plays) {}

  void perform(int target) {
    RankThreads others;
    for (std::size_t i = 1; i < plays_.size(); ++i) {
      others.start([this, i, target] { plays_[i]->perform(target); });
    }
    plays_[0]->perform(target);
  }
  void finish() {
    for (const auto& play : plays_) play->finish();
  }

 private:
  std::vector<std::unique_ptr<WindowPlay>>& plays_;
};

class Epoch {
 public:
  Epoch(RandomWindow& window, const WindowPlan& plan, Dice& local)
      : win_(window.win()),
        rank_(window.rank()),
        size_(window.model().size()),
        plan_(plan),
        local_(local) {}

  void run(Threads& threads) {
    switch (plan_.epoch()) {
      case EpochKind::kFence:
        return fence(threads);
      case EpochKind::kStart:
        return start(threads);
      case EpochKind::kLocks:
        return lock(threads);
      case EpochKind::kLockAll:
        EXPECT_EQ(MPI_Win_lock_all(local_.toss() ? MPI_MODE_NOCHECK : 0, win_), MPI_SUCCESS);
        threads.perform(-1);
        EXPECT_EQ(MPI_Win_unlock_all(win_), MPI_SUCCESS);
        return;
    }
  }

 private:
  void fence(Threads& threads) {
    EXPECT_EQ(MPI_Win_fence(MPI_MODE_NOPRECEDE, win_), MPI_SUCCESS);
    threads.perform(-1);
    EXPECT_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, win_), MPI_SUCCESS);
  }

  MPI_Group group(const std::function<bool(int)>& is_in) {
    std::vector<int> ranks;
    for (int rank = 0; rank < size_; ++rank) {
      if (is_in(rank)) ranks.push_back(rank);
    }
    if (local_.toss()) std::reverse(ranks.begin(), ranks.end());
    MPI_Group all = MPI_GROUP_NULL, made = MPI_GROUP_NULL;
    MPI_Win_get_group(win_, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &made);
    MPI_Group_free(&all);
    return made;
  }

  void start(Threads& threads) {
    MPI_Group origins = group([&](int rank) { return plan_.reaches(rank, rank_); });
    MPI_Group targets = group([&](int rank) { return plan_.reaches(rank_, rank); });
    EXPECT_EQ(MPI_Win_post(origins, 0, win_), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_start(targets, 0, win_), MPI_SUCCESS);
    threads.perform(-1);
    EXPECT_EQ(MPI_Win_complete(win_), MPI_SUCCESS);
    if (local_.toss()) {
      EXPECT_EQ(MPI_Win_wait(win_), MPI_SUCCESS);
    } else {
      for (int done = 0; done == 0;) {
        EXPECT_EQ(MPI_Win_test(win_, &done), MPI_SUCCESS);
      }
    }
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
  }

  // One target after the other, in any order; or all at once, if all locks are shared.
  void lock(Threads& threads) {
    std::vector<int> targets;
    bool all_shared = true;
    for (int rank = 0; rank < size_; ++rank) {
      if (!plan_.reaches(rank_, rank)) continue;
      targets.insert(targets.begin() + local_.below(static_cast<int>(targets.size()) + 1), rank);
      all_shared = all_shared && !plan_.is_alone(rank_, rank);
    }
    const bool at_once = all_shared && local_.toss();
    for (const int target : targets) {
      const int type = plan_.is_alone(rank_, target) ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
      EXPECT_EQ(MPI_Win_lock(type, target, 0, win_), MPI_SUCCESS);
      if (at_once) continue;
      threads.perform(target);
      EXPECT_EQ(MPI_Win_unlock(target, win_), MPI_SUCCESS);
    }
    if (!at_once) return;
    if (!targets.empty()) threads.perform(-1);
    for (const int target : targets) {
      EXPECT_EQ(MPI_Win_unlock(target, win_), MPI_SUCCESS);
    }
  }

  const MPI_Win win_;
  const int rank_, size_;
  const WindowPlan& plan_;
  Dice& local_;
};

void run_phase(RandomWindow& window, int threads, Dice& dice, Dice& local,
               const BetweenCalls& between_calls) {
  const WindowPlan plan(window.model(), threads, window.has_locks(), 15 + 8 * window.model().size(),
                        dice);
  for (const WindowPlan::Store& store : plan.stores()) {
    if (store.rank == window.rank()) kBasics[0].store(window.data() + store.at, store.value);
  }
  MPI_Win_sync(window.win());
  MPI_Barrier(window.comm());
  std::vector<std::unique_ptr<WindowPlay>> plays;
  for (int i = 0; i < threads; ++i) {
    plays.push_back(std::make_unique<WindowPlay>(window, plan, i, local.number(), between_calls));
  }
  Threads all(plays);
  between_calls();
  Epoch(window, plan, local).run(all);
  all.finish();
  between_calls();
  MPI_Barrier(window.comm());
  window.check();
  MPI_Barrier(window.comm());
}

bool are_on_a_node(int size) {
  for (int rank = 1; rank < size; ++rank) {
    if (node_of(rank, size) != node_of(0, size)) return false;
  }
  return true;
}

void run_phases(int rank, int size, int threads, const BetweenCalls& between_calls) {
  Dice dice(seed()), local(mix(seed(), static_cast<unsigned>(rank)));
  std::vector<int> keys(static_cast<std::size_t>(size));
  for (int& key : keys) key = dice.below(100);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, keys[static_cast<std::size_t>(rank)], &comm);
  std::vector<std::unique_ptr<RandomWindow>> windows;
  for (int phase = heddle::TestSeeds::many() ? 3 : 10; phase > 0; --phase) {
    if (windows.empty() || (windows.size() < 3 && dice.toss())) {
      windows.push_back(std::make_unique<RandomWindow>(comm, are_on_a_node(size), dice));
    }
    const auto at = static_cast<std::size_t>(dice.below(static_cast<int>(windows.size())));
    run_phase(*windows[at], threads, dice, local, between_calls);
    if (dice.below(4) == 0) windows.erase(windows.begin() + static_cast<std::ptrdiff_t>(at));
  }
  windows.clear();
  MPI_Comm_free(&comm);
}

}  // namespace

RANKS_TEST(RandomWindows, HoldWhatRanksHaveDone, ranks(1, 2, 3, 4, 7, 16)) {
  run_phases(rank, size, 1, [] {});
}

RANKS_TEST(RandomWindows, HoldWhatThreadsHaveDone, ranks(1, 2, 4, 7)) {
  run_phases(rank, size, 3, [] {});
}

RANKS_TEST(RandomWindows, HoldWhatMovingRanksHaveDone, ranks(2, 3, 4, 7, 16)) {
  if (!share_variables(size)) return;  // a rank that is a process has no workers
  Moves moves(rank, size);
  run_phases(rank, size, 1, [&] { moves(); });
}
