// standard.h — what a descriptor 0, 1 or 2 of a rank is in the process.
//
// Thread safety: any strand of the rank.

#pragma once

#include <atomic>

namespace heddle::process {

class Standard {
 public:
  explicit Standard(int number) noexcept : shared_(number) {}
  ~Standard();
  Standard(Standard&&) = delete;

  // A descriptor of the rank's own (dup2, freopen), or -1.
  int own() const noexcept { return own_.load(std::memory_order_relaxed); }
  // If own() is -1: which of the process's 0, 1 and 2 this one is now (another one after dup2(1,
  // 2)); -1: closed.
  int shared() const noexcept { return shared_.load(std::memory_order_relaxed); }
  bool is_closed() const noexcept { return own() < 0 && shared() < 0; }

  // `descriptor` is one of the process and stays the caller's. Returns false with errno if it
  // fails.
  bool redirect(int descriptor) noexcept;
  void redirect_to_shared(int number) noexcept;
  void vacate() noexcept { redirect_to_shared(-1); }

 private:
  // relaxed: a program that redirects while another of its threads prints orders them itself.
  std::atomic<int> own_{-1};
  std::atomic<int> shared_;
};

}  // namespace heddle::process
