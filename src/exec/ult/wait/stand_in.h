// stand_in.h — the thread that looks after the lent worker (lend.h) when no other one does.
//
//   state    the worker's word  sleeps                      leaves by
//   -------  -----------------  --------------------------  ---------------------------------------
//   watches  kAwake             for a period                its end: attends, if there is work
//                                                           under way and no thread has looked
//                                                           after it meanwhile; dozes after some
//                                                           quiet periods
//   attends  kAttended          as a thread that waits in   another thread looks after the ults: it
//                               MPI: at the host's bell     watches again; the worker has news: it
//                                                           runs them, and attends again
//   dozes    kUnwatched         on its own word             work begins; the last thread that waits
//                                                           goes while work is under way; the
//                                                           worker has news
//
// A period is short if work is under way and no thread waits when it begins; else it is twice the
// one before, up to a limit.
//
// Invariants
//   I1  One thread at a time has the worker (lending.h). It runs ults until none is ready.
//   I2  While it dozes, no work is under way, or a thread waits in MPI. While it attends, it sleeps
//       only at the bell, or after one that does.
//   I3  A push into the worker's inbox that no thread has taken out finds the word, and calls the
//       stand-in, or is found by it: the stand-in writes the word and then takes the inbox visibly
//       (base/inbox.h).
//
// seq_cst: work_begins() and the end of a wait write their counter and read the word; the stand-in
// writes the word and reads the counters. One of the two sees the other.
//
// models/stand_in.pml checks the protocol.
//
// Thread safety: its own thread.

#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::ult {

class KernelStrand;
class LentWorker;

class StandIn {
 public:
  // `strand` is the calling thread's.
  StandIn(LentWorker& worker, KernelStrand& strand) noexcept : worker_(worker), strand_(strand) {}

  // Returns when `ends` is true, after one more wake-up of the strand.
  void main(const std::atomic<bool>& ends) noexcept;

 private:
  static constexpr std::int64_t kShortPeriodNs = 200'000;
  // The stand-ins of 64 processes on two cores, each of which wakes up so often, use some 2 % of
  // their time.
  static constexpr std::int64_t kLongPeriodNs = 3'200'000;
  static constexpr int kQuietPeriods = 8;

  void watch() noexcept;
  void attend(const std::atomic<bool>& ends) noexcept;
  void doze(const std::atomic<bool>& ends) noexcept;
  void doze_asleep() noexcept;
  bool begin_sleep(std::uint32_t word) noexcept;

  LentWorker& worker_;
  KernelStrand& strand_;
  bool is_neglected_ = false;
  int quiet_periods_ = 0;
  std::int64_t period_ns_ = kShortPeriodNs;
  // When the sleep began: the worker's first timer, and whether all of them only ask.
  std::int64_t deadline_ns_ = 0;
  bool timers_only_ask_ = false;
};

}  // namespace heddle::ult
