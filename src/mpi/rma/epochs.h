// epochs.h — which epochs a rank has open on a window (MPI 5.0 §12.5): whether an access is
// allowed, and which calls may come next.
//
//   access state   begins with             ends with
//   -------------  ----------------------  -------------------------------------------------
//   kNone          the window              the others; MPI_Win_lock leaves it
//   kFence         MPI_Win_fence           MPI_Win_fence; each beginning below, since a fence
//                                          that no access follows has opened nothing
//   kFenceUsed     an access in kFence     MPI_Win_fence
//   kStarted       MPI_Win_start           MPI_Win_complete
//   kAll           MPI_Win_lock_all        MPI_Win_unlock_all
//
// Besides, each target has a mark: what the rank may do there in kStarted, or has locked there in
// kNone. What begins another epoch looks at all marks, if the rank has ever locked a target: so a
// lock and its unlock change nothing but the mark of their target.
//
// Exposure (MPI_Win_post to MPI_Win_wait) is apart: a rank may expose its memory and access others'
// at once.
//
// Thread safety: any strand of the rank; an access reads two words and writes none, but the first
// one after a fence. Strands may begin and end locks at once; for one target only one of them
// succeeds. Other epochs of a rank may not overlap, which the standard forbids; if two strands
// begin such at the same instant, one may miss the other's.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace heddle::rma {

class Epochs {
 public:
  enum class Mark : std::uint8_t { kNone, kStarted, kShared, kExclusive };

  explicit Epochs(int targets)
      : targets_(targets), marks_(new std::atomic<Mark>[static_cast<std::size_t>(targets)]()) {}

  // True if the rank may access the target's memory.
  bool reaches(int target) noexcept {
    const std::uint32_t access = access_.load(std::memory_order_relaxed);
    if (access == kFence) [[unlikely]]
      access_.store(kFenceUsed, std::memory_order_relaxed);
    return access == kAll || access == kFence || access == kFenceUsed ||
           mark(target) != Mark::kNone;
  }
  // True if the rank has locked the target, or all.
  bool has_locked(int target) const noexcept {
    return access_.load(std::memory_order_relaxed) == kAll || mark(target) > Mark::kStarted;
  }
  bool has_locked_any() const noexcept { return access() == kAll || has_locked_one(); }

  // False if another epoch is open. A target may have one mark.
  bool begin_start() noexcept { return enter(kStarted); }
  bool begin_all() noexcept { return enter(kAll); }
  bool begin_lock(int target, Mark its_mark) noexcept {
    if (access() != kNone) {
      if (access() != kFence) return false;
      access_.store(kNone, std::memory_order_relaxed);
    }
    if (!has_ever_locked_.load(std::memory_order_relaxed)) [[unlikely]]
      has_ever_locked_.store(true, std::memory_order_relaxed);
    return change(target, Mark::kNone, its_mark);
  }
  void set_started(int target) noexcept { set(target, Mark::kStarted); }

  // False or kNone if there is none that this would end; else end_lock() tells which lock it was.
  bool end_start() noexcept { return leave(kStarted); }
  bool end_all() noexcept { return leave(kAll); }
  Mark end_lock(int target) noexcept {
    const Mark its_mark = mark(target);
    if (its_mark <= Mark::kStarted || !change(target, its_mark, Mark::kNone)) return Mark::kNone;
    return its_mark;
  }
  void clear(int target) noexcept { set(target, Mark::kNone); }

  // A fence: false if an epoch is open that it does not end. `opens`: another one follows.
  bool may_fence() const noexcept;
  void fence(bool opens) noexcept {
    access_.store(opens ? kFence : kNone, std::memory_order_relaxed);
  }

  bool is_exposed() const noexcept { return exposed_.load(std::memory_order_relaxed); }
  // False if it is so already.
  bool set_exposed(bool is) noexcept {
    return exposed_.exchange(is, std::memory_order_relaxed) != is;
  }

  // True if a call of the rank must end something before the window may be freed.
  bool any_open() const noexcept { return is_exposed() || !may_begin(); }
  // "an epoch that MPI_Win_start has opened", or "no epoch".
  const char* describe() const noexcept;

 private:
  static constexpr std::uint32_t kNone = 0, kFence = 1, kFenceUsed = 2, kStarted = 3, kAll = 4;

  bool may_begin() const noexcept { return access() <= kFence && !has_locked_one(); }
  bool has_locked_one() const noexcept {
    return has_ever_locked_.load(std::memory_order_relaxed) && finds_lock();
  }
  bool finds_lock() const noexcept;
  std::uint32_t access() const noexcept { return access_.load(std::memory_order_relaxed); }
  Mark mark(int target) const noexcept {
    return marks_[static_cast<std::size_t>(target)].load(std::memory_order_relaxed);
  }
  // False: another strand was faster.
  bool change(int target, Mark from, Mark to) noexcept {
    return marks_[static_cast<std::size_t>(target)].compare_exchange_strong(
        from, to, std::memory_order_relaxed);
  }
  void set(int target, Mark mark) noexcept {
    marks_[static_cast<std::size_t>(target)].store(mark, std::memory_order_relaxed);
  }
  bool enter(std::uint32_t state) noexcept;
  bool leave(std::uint32_t state) noexcept {
    return access_.compare_exchange_strong(state, kNone, std::memory_order_relaxed);
  }

  // relaxed, all of them: threads of a rank that depend on each other's calls order these.
  std::atomic<std::uint32_t> access_{kNone};
  std::atomic<bool> exposed_{false};
  std::atomic<bool> has_ever_locked_{false};  // a target alone; false: no mark is a lock
  const int targets_;
  const std::unique_ptr<std::atomic<Mark>[]> marks_;
};

}  // namespace heddle::rma
