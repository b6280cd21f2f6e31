// start_progress.h — a line on the terminal while many ranks are being loaded.
//
//   mpiexec: 312 of 1024 ranks have started
//
// It appears when the start takes longer than a second and stderr is a terminal, and is wiped out
// when all ranks have started or the job has ended.
//
// Thread safety: rank_started() any strand, once a rank; it does not block.

#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace heddle::runtime {

class StartProgress {
 public:
  explicit StartProgress(int ranks);
  ~StartProgress();
  StartProgress(StartProgress&&) = delete;

  void rank_started() noexcept;

 private:
  static void* thread_main(void* self);
  void show();
  void finish() noexcept;

  const int ranks_;
  std::atomic<int> started_{0};
  // Lock: guards over_, which ends the thread that prints.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;    // guarded by mutex_
  bool prints_ = false;  // false: stderr is no terminal
  pthread_t printer_{};
};

}  // namespace heddle::runtime
