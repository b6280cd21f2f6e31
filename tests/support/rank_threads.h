// rank_threads.h — threads of a rank in a test, whose end the rank awaits inside MPI.
//
// Under ThreadSanitizer pthread_create and pthread_join are the kernel's. There std::thread::join holds the worker on
// which the rank runs. Those threads may wait for a helper of a started collective, or for a rank that has moved to
// this worker, which it holds up. A receive lets the worker go.
//
// Thread safety: the strand of the rank that made it.

#pragma once

#include <mpi.h>

#include <thread>
#include <utility>
#include <vector>

namespace heddle::testing {

class RankThreads {
 public:
  RankThreads() = default;
  ~RankThreads() { join(); }
  RankThreads(RankThreads&&) = delete;

  template <class Function>
  void start(Function function) {
    threads_.emplace_back([function = std::move(function)] {
      function();
      MPI_Send(nullptr, 0, MPI_BYTE, 0, kEnded, MPI_COMM_SELF);
    });
  }

  // Of all that were started.
  void join() {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, kEnded, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  static constexpr int kEnded = 32767;  // a tag that all MPI have

  std::vector<std::thread> threads_;
};

}  // namespace heddle::testing
