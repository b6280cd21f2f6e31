// losses.h — which hosts are lost, as this process knows it, and how many packets made no sense.
//
// Thread safety: any thread; add_sleeper() one thread, before lose().

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace heddle::transport {

class Losses {
 public:
  explicit Losses(int hosts) : lost_(static_cast<std::size_t>(hosts)) {}

  int hosts() const noexcept { return static_cast<int>(lost_.size()); }

  // Wakes those that sleep, so that they poll and learn of it.
  void lose(int host) noexcept {
    if (host < 0 || host >= hosts()) return;
    if (at(host).exchange(true, std::memory_order_relaxed)) return;
    count_.fetch_add(1, std::memory_order_release);  // [R1]
    for (const auto wake : wakes_) wake();
  }
  bool is_lost(int host) const noexcept {
    return lost_[static_cast<std::size_t>(host)].load(std::memory_order_relaxed);
  }
  // How many; acquire, with [R1]: is_lost() knows of them.
  std::uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }

  void add_sleeper(void (*wake)() noexcept) { wakes_.push_back(wake); }

  void count_nonsense() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool>& at(int host) noexcept { return lost_[static_cast<std::size_t>(host)]; }

  std::vector<std::atomic<bool>> lost_;  // by host
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::vector<void (*)() noexcept> wakes_;
};

}  // namespace heddle::transport
