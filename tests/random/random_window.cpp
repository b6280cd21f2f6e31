#include "tests/random/random_window.h"

#include <algorithm>
#include <cstring>

#include "tests/support/ranks_test.h"

namespace heddle::testing {

namespace {

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace

std::vector<int> RandomWindow::draw_sizes(int size, Dice& dice) {
  const bool large = size <= 4 && dice.below(4) == 0;
  std::vector<int> sizes;
  for (int i = 0; i < size; ++i) {
    sizes.push_back(dice.below(8) == 0 ? 0 : 8 * (dice.below(large ? 8000 : 200) + 8));
  }
  return sizes;
}

RandomWindow::RandomWindow(MPI_Comm comm, bool shared, Dice& dice)
    : comm_(comm),
      made_(static_cast<Made>(dice.below(shared ? 4 : 3))),
      has_locks_(dice.below(5) != 0),
      model_(draw_sizes(size_of(comm), dice)) {
  MPI_Comm_rank(comm, &rank_);
  for (int i = 0; i < model_.size(); ++i) units_.push_back(1 << dice.below(4));
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  if (!has_locks_) MPI_Info_set(info, "no_locks", "true");
  if (dice.toss()) MPI_Info_set(info, "alloc_shared_noncontig", "true");
  make(info);
  MPI_Info_free(&info);
  if (made_ != Made::kCreate && !is_dynamic() && data_ != nullptr) {
    std::memset(data_, 0, model_.memory[static_cast<std::size_t>(rank_)].size());
  }
  MPI_Barrier(comm_);
}

void RandomWindow::make(MPI_Info info) {
  const auto bytes = static_cast<MPI_Aint>(model_.memory[static_cast<std::size_t>(rank_)].size());
  const int unit = units_[static_cast<std::size_t>(rank_)];
  if (made_ == Made::kCreate || is_dynamic()) {
    own_.assign(static_cast<std::size_t>(bytes), '\0');
    data_ = own_.data();
  }
  switch (made_) {
    case Made::kCreate:
      EXPECT_EQ(MPI_Win_create(data_, bytes, unit, info, comm_, &win_), MPI_SUCCESS);
      break;
    case Made::kAllocate:
      EXPECT_EQ(MPI_Win_allocate(bytes, unit, info, comm_, &data_, &win_), MPI_SUCCESS);
      break;
    case Made::kDynamic:
      EXPECT_EQ(MPI_Win_create_dynamic(info, comm_, &win_), MPI_SUCCESS);
      attach();
      break;
    case Made::kShared:
      EXPECT_EQ(MPI_Win_allocate_shared(bytes, unit, info, comm_, &data_, &win_), MPI_SUCCESS);
      break;
  }
}

// Two regions that touch.
void RandomWindow::attach() {
  const auto bytes = static_cast<MPI_Aint>(own_.size()), half = bytes / 16 * 8;
  if (bytes > 0) {
    EXPECT_EQ(MPI_Win_attach(win_, data_, half), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_attach(win_, data_ + half, bytes - half), MPI_SUCCESS);
  }
  MPI_Aint address = 0;
  MPI_Get_address(data_, &address);
  addresses_.resize(static_cast<std::size_t>(model_.size()));
  MPI_Allgather(&address, 1, MPI_AINT, addresses_.data(), 1, MPI_AINT, comm_);
}

RandomWindow::~RandomWindow() {
  if (is_dynamic()) MPI_Barrier(comm_);
  if (is_dynamic() && !own_.empty()) {
    EXPECT_EQ(MPI_Win_detach(win_, data_), MPI_SUCCESS);
  }
  EXPECT_EQ(MPI_Win_free(&win_), MPI_SUCCESS);
}

void RandomWindow::check() const {
  const auto expect = [this](int rank, const char* data) {
    const std::vector<char>& memory = model_.memory[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (data[i] == memory[i]) continue;
      ADD_FAILURE() << "seed " << seed() << ": rank " << rank << " has a wrong byte " << i
                    << " in a window of kind " << static_cast<int>(made_);
      return;
    }
  };
  MPI_Win_sync(win_);
  expect(rank_, data_);
  if (made_ != Made::kShared) return;
  for (int rank = 0; rank < model_.size(); ++rank) {
    MPI_Aint bytes = -1;
    int unit = 0;
    char* data = nullptr;
    EXPECT_EQ(MPI_Win_shared_query(win_, rank, &bytes, &unit, &data), MPI_SUCCESS);
    EXPECT_EQ(bytes, static_cast<MPI_Aint>(model_.memory[static_cast<std::size_t>(rank)].size()));
    EXPECT_EQ(unit, units_[static_cast<std::size_t>(rank)]);
    expect(rank, data);
  }
}

}  // namespace heddle::testing
