#include "runtime/start_progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace heddle::runtime {

using namespace std::chrono_literals;

StartProgress::StartProgress(int ranks) : ranks_(ranks) {
  if (isatty(STDERR_FILENO)) printer_ = std::thread([this] { show(); });
}

StartProgress::~StartProgress() {
  finish();
  if (printer_.joinable()) printer_.join();
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
