// trace.h — what happened when, for a picture of a job (mpiexec --trace): events in memory, which
// are written at the end.
//
//   event      begin         end    what else                     becomes (trace_file.h)
//   ---------  ------------  -----  ----------------------------  ---------------------------------
//   kRun       strand runs   stops  the worker is its log's       a span on the worker's track
//   kCall      call begins   ends   name, what it was asked for   a span on the track of the rank's
//                                                                 thread
//   kWait      wait begins   ends   name                          the same, within that of its call
//   kSent      -             -      envelope                      the tail of an arrow
//   kReceived  -             -      envelope; rank: the receiver  its head
//
// Each worker has a log, which only its strands write; all other threads share one, under a lock.
// Memory is bounded: as soon as one log is full no event is recorded in any, so that what there is
// has no gaps, and those that come are counted.
//
// Thread safety: begin() before ranks and workers; end() once, by any thread, while others may
// record still; the rest any strand.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/spin_lock.h"

namespace heddle::observe {

// Threads of a rank that have this number or a higher one, over its life, share a track.
constexpr int kLastThread = 4095;

enum class EventKind : std::uint16_t { kRun, kCall, kWait, kSent, kReceived };

struct TraceEvent {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  union {
    const char* name;       // of a call; a constant
    std::uint64_t context;  // of a message
  };
  std::int32_t rank = -1;  // -1: none
  // A message's as in MessageNote (observe.h); a call's is its destination.
  std::int32_t receiver = -1;
  std::int32_t source = -1;
  std::int32_t tag = -1;
  std::int64_t bytes = 0;
  EventKind kind = EventKind::kRun;
  std::uint16_t thread = 0;        // of the rank; at most kLastThread
  std::uint32_t parts = 0;         // of a call: which of these it has (call_note.h)
  std::uint64_t communicator = 0;  // of a call

  TraceEvent() noexcept : name(nullptr) {}
};
static_assert(sizeof(TraceEvent) == 64);

// The calling thread's number in its rank, at most kLastThread.
std::uint16_t thread_here() noexcept;

class Log {
 public:
  explicit Log(std::size_t room) : room_(room), events_(new std::byte[room * sizeof(TraceEvent)]) {}

  // False: it is full. By one thread at a time.
  bool add(const TraceEvent& event) noexcept {
    const std::size_t count = count_.load(std::memory_order_relaxed);
    if (count == room_) return false;
    new (events_.get() + count * sizeof(TraceEvent)) TraceEvent(event);
    count_.store(count + 1, std::memory_order_release);  // with the acquire in events()
    return true;
  }

  // Any thread.
  std::span<const TraceEvent> events() const noexcept {
    return {reinterpret_cast<const TraceEvent*>(events_.get()),
            count_.load(std::memory_order_acquire)};
  }

 private:
  const std::size_t room_;
  std::atomic<std::size_t> count_{0};
  const std::unique_ptr<std::byte[]> events_;  // touched as they are filled
};

class Trace {
 public:
  static constexpr std::size_t kRoom = std::size_t{1} << 20;  // of a log: 64 MiB

  explicit Trace(int workers);

  void record(const TraceEvent& event) noexcept;
  // From now on the worker runs the calling strand, or does so unless it is told of another one at
  // once, or runs none.
  enum class Now { kRuns, kMayRun, kIdles };
  void run(int worker, Now state) noexcept;
  // The calling strand has found out which rank it is of.
  void name_run() noexcept;
  // It does run: kMayRun was right, however short the run will be.
  void confirm_run() noexcept;

  // Nothing is recorded any more.
  void end() noexcept { is_over_.store(true, std::memory_order_relaxed); }
  const std::vector<std::unique_ptr<Log>>& logs() const noexcept {
    return logs_;
  }  // by worker; the last: all others'
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  // What a worker runs now; written by its strands.
  struct alignas(64) Running {
    std::int64_t since_ns = 0;  // 0: nothing
    std::int32_t rank = -1;
    std::uint16_t thread = 0;
    bool is_doubtful = false;  // kMayRun
  };

  std::size_t index_of(int worker) const noexcept {
    const auto index = static_cast<std::size_t>(worker);
    return index < running_.size() ? index : running_.size();
  }

  std::vector<std::unique_ptr<Log>> logs_;
  std::vector<Running> running_;  // by worker
  // Lock: guards the log that threads which are no workers share.
  SpinLock lock_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace heddle::observe
