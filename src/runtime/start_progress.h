// start_progress.h — a line on the terminal while many ranks are being loaded.
//
//   mpiexec: 312 of 1024 ranks have started
//
// It appears when the start takes longer than a second and stderr is a terminal, and is wiped out
// when all ranks have started or the job has ended.
//
// Thread safety: rank_started() any strand, once a rank; it does not block.

#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace heddle::runtime {

class StartProgress {
 public:
  explicit StartProgress(int ranks);
  ~StartProgress();
  StartProgress(const StartProgress&) = delete;
  StartProgress& operator=(const StartProgress&) = delete;

  void rank_started() noexcept;

 private:
  void show();
  void finish() noexcept;

  const int ranks_;
  std::atomic<int> started_{0};
  // Lock: guards over_, which ends the thread that prints.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;    // guarded by mutex_
  std::thread printer_;  // none if stderr is no terminal
};

}  // namespace heddle::runtime
