// random_window.h — a window of a random kind, whose members have memory of random sizes, and units of their own.
//
// Thread safety: made and freed by all members; then constant.

#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "tests/random/window_plan.h"

namespace heddle::testing {

class RandomWindow {
 public:
  // All members draw the same numbers. `shared`: the members are on one node.
  RandomWindow(MPI_Comm comm, bool shared, Dice& dice);
  ~RandomWindow();
  RandomWindow(const RandomWindow&) = delete;

  MPI_Win win() const { return win_; }
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  char* data() const { return data_; }
  WindowModel& model() { return model_; }
  bool has_locks() const { return has_locks_; }
  MPI_Aint displacement(int target, std::ptrdiff_t at) const {
    const auto index = static_cast<std::size_t>(target);
    return is_dynamic() ? MPI_Aint_add(addresses_[index], at) : at / units_[index];
  }

  // By all members, when what they have done is done: the model says what the memory holds.
  void check() const;

 private:
  enum class Made { kCreate, kAllocate, kDynamic, kShared };

  bool is_dynamic() const { return made_ == Made::kDynamic; }
  static std::vector<int> draw_sizes(int size, Dice& dice);
  void make(MPI_Info info);
  void attach();

  const MPI_Comm comm_;
  int rank_ = 0;
  const Made made_;
  const bool has_locks_;
  WindowModel model_;
  std::vector<int> units_;
  std::vector<char> own_;  // of kCreate and kDynamic
  std::vector<MPI_Aint> addresses_;
  char* data_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

}  // namespace heddle::testing
