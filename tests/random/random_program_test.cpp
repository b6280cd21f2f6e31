// Random programs: a tree of communicators that grows and shrinks, and collectives of all kinds on them, blocking,
// nonblocking and persistent at the same time, against a plain reference (operation.h). ./dev seeds runs more of them.

#include <deque>
#include <memory>

#include "src/base/test_seeds.h"
#include "tests/random/communicators.h"
#include "tests/random/operation.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

// Operations that are under way at this rank.
class UnderWay {
 public:
  explicit UnderWay(Dice& local) : local_(local) {}

  void add(std::unique_ptr<Operation> operation) { all_.push_back(std::move(operation)); }
  bool empty() const { return all_.empty(); }

  // Waits for some in an order and by calls of the rank's own choice.
  void finish(int left) {
    while (static_cast<int>(all_.size()) > left) {
      if (local_.below(4) == 0) {
        finish_all();
      } else {
        finish_one();
      }
    }
  }

 private:
  void finish_one() {
    const auto at = all_.begin() + local_.below(static_cast<int>(all_.size()));
    MPI_Request request = (*at)->request;
    if (local_.toss()) {
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
      for (int done = 0; !done;)
        EXPECT_EQ(MPI_Test(&request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    (*at)->check();
    all_.erase(at);
  }

  void finish_all() {
    std::vector<MPI_Request> requests;
    for (const auto& each : all_) requests.push_back(each->request);
    EXPECT_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
              MPI_SUCCESS);
    for (const auto& each : all_) each->check();
    all_.clear();
  }

  Dice& local_;
  std::deque<std::unique_ptr<Operation>> all_;
};

// A persistent operation is started several times; what is under way goes on meanwhile.
void perform(std::unique_ptr<Operation> operation, int rounds, UnderWay& under_way) {
  for (int round = 1; operation->persistent() && round < rounds; ++round) {
    operation->call();
    EXPECT_EQ(MPI_Wait(&operation->request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    operation->check();
  }
  operation->call();
  if (operation->request == MPI_REQUEST_NULL) {
    operation->check();
  } else {
    under_way.add(std::move(operation));
  }
}

void run_program(int rank, int size, int steps) {
  Dice dice(seed()), local(seed() * 4099 + static_cast<unsigned long>(rank));
  Communicators communicators(rank, size);
  UnderWay under_way(local);
  for (int step = 0; step < steps; ++step) {
    const int what = dice.below(12);
    if (what == 0 && communicators.size() < 12) communicators.grow(dice);
    if (what == 1 && communicators.size() > 4) communicators.shrink(dice);
    const Node& node = communicators.any(dice);
    const int rounds = dice.below(3) + 1;
    const unsigned long numbers = dice.number();
    if (node.comm == MPI_COMM_NULL) continue;
    Dice of_operation(numbers);  // drawn by members only
    perform(
        std::make_unique<Operation>(node, static_cast<unsigned long>(step), of_operation, local),
        rounds, under_way);
    under_way.finish(local.below(12));
  }
  under_way.finish(0);
}

}  // namespace

RANKS_TEST(RandomProgram, GivesWhatAPlainReferenceGives, ranks(1, 2, 3, 4, 7, 16)) {
  run_program(rank, size, heddle::TestSeeds::many() ? 40 : 120);
}
