// under_way.h — collectives that a rank of a random program has started, and has not waited for.
//
// Operation has call(), check(), persistent() and a request, as in operation.h.
//
// Thread safety: of its strand.

#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/random/dice.h"

namespace heddle::testing {

template <class Operation>
class UnderWay {
 public:
  // before_call() runs before each call of MPI.
  explicit UnderWay(
      Dice& local, std::function<void()> before_call = [] {})
      : local_(local), before_call_(std::move(before_call)) {}

  // A persistent operation is started several times; what is under way goes on meanwhile.
  void perform(std::unique_ptr<Operation> operation, int rounds) {
    for (int round = 1; operation->persistent() && round < rounds; ++round) {
      before_call_();
      operation->call();
      before_call_();
      EXPECT_EQ(MPI_Wait(&operation->request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      operation->check();
    }
    before_call_();
    operation->call();
    if (operation->request == MPI_REQUEST_NULL) {
      operation->check();
    } else {
      all_.push_back(std::move(operation));
    }
  }

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
    MPI_Request& request = (*at)->request;
    before_call_();
    if (local_.toss()) {
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
      for (int done = 0; !done; before_call_()) {
        EXPECT_EQ(MPI_Test(&request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
      }
    }
    (*at)->check();
    all_.erase(at);
  }

  void finish_all() {
    std::vector<MPI_Request> requests;
    for (const auto& each : all_) requests.push_back(each->request);
    before_call_();
    EXPECT_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      all_[i]->request = requests[i];
      all_[i]->check();
    }
    all_.clear();
  }

  Dice& local_;
  const std::function<void()> before_call_;
  std::deque<std::unique_ptr<Operation>> all_;
};

}  // namespace heddle::testing
