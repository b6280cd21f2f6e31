#include "runtime/carrier/start_progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "base/platform/own_thread.h"

namespace heddle::runtime {

using namespace std::chrono_literals;

StartProgress::StartProgress(int ranks) : ranks_(ranks) {
  prints_ = isatty(STDERR_FILENO) != 0 &&
            platform::start_own_thread({"heddle-progress", thread_main, this}, &printer_) == 0;
}

StartProgress::~StartProgress() {
  finish();
  if (prints_) pthread_join(printer_, nullptr);
}

void* StartProgress::thread_main(void* self) {
  static_cast<StartProgress*>(self)->show();
  return nullptr;
}

void StartProgress::rank_started() noexcept {
  if (started_.fetch_add(1, std::memory_order_relaxed) + 1 == ranks_) finish();
}

void StartProgress::finish() noexcept {
  {
    std::lock_guard guard(mutex_);
    over_ = true;
  }
  changed_.notify_one();
}

void StartProgress::show() {
  std::unique_lock lock(mutex_);
  const auto is_over = [this] { return over_; };
  if (changed_.wait_for(lock, 1s, is_over)) return;
  do {
    dprintf(STDERR_FILENO, "\rmpiexec: %d of %d ranks have started",
            started_.load(std::memory_order_relaxed), ranks_);
  } while (!changed_.wait_for(lock, 200ms, is_over));
  dprintf(STDERR_FILENO, "\r\033[K");
}

}  // namespace heddle::runtime
