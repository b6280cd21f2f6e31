// ult_record.h — what the scheduler keeps of a ult, at the top of the ult's own stack mapping.
//
//   state     who writes it                  leaves by
//   --------  -----------------------------  ------------------------------------------------------
//   created   spawn                          its worker finds the first wake-up in its inbox
//   ready     its worker                     its worker enters it
//   running   its worker                     the ult itself: park, yield, sleep, freeze, finish
//   parked    the ult                        a wake-up; with an armed timer also the deadline; an
//                                            alert
//   sleeping  the ult                        the deadline; wake-ups only count
//   frozen    the ult                        its event is set (event.h); an alert; wake-ups only count
//   away      the ult                        its system call returns (away.h); wake-ups only count
//   finished  the ult                        nothing
//
// Wake-ups are counted twice: those of the ult's own worker in `local_wakes`, without atomics, all
// others in `news`, from where the worker takes them into `local_wakes`. `news` has bits for alerts
// and moves, too.
//
// A move (move.h) is news that another worker receives:
//
//   who                 does
//   ------------------  ---------------------------------------------------------------------------
//   a strand from afar  adds to `news` [W1]; if that was 0, reads `worker` and pushes the record
//                       into its inbox
//   its worker          has just popped it: makes `news` kMoved if it is 0, else the ult stays this
//                       time [M1]; sets `worker` to null, and pushes the record into the other
//                       worker's inbox
//   the new worker      sets `worker` to itself [T1], then takes the news [T2]
//
// `models/moving.pml` checks this in every schedule. A waker that finds its own worker in `worker`
// is right: that is written by this worker's thread alone.
//
// Invariants
//   I1  The record is in one inbox exactly while news != 0 has been seen by the strand that made it
//       non-zero, and the worker has not taken it out. So it is there once.
//   I2  A ult is in its worker's run queue exactly while it is `ready`, or `frozen` and its
//       event has been set: a whole list goes there at once, so the state of each is not written. A
//       ult that moves is `ready`, and in an inbox.
//   I3  `worker` changes only while news != 0, and only between a turn of the ult and the next. So
//       a ult that runs may rely on it until it switches, and the thread that made `news` non-zero
//       until the record is pushed.
//
// Memory order: the acq_rel of [W1] pairs with that of [T2]: the next strand that makes `news`
// non-zero sees [T1].
//
// wake() and prepare() are defined in wiring.cpp, since they need the worker.
//
// Thread safety: by field, see the groups.

#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "base/intrusive_list.h"
#include "base/platform/memory.h"
#include "base/standing.h"
#include "exec/ult/completion.h"
#include "exec/ult/run/inbox_item.h"
#include "exec/ult/run/timer_heap.h"
#include "exec/ult/strand.h"
#include "exec/ult/switch/context.h"
#include "exec/ult/switch/orphan.h"

namespace heddle::ult {

class AllUlts;
struct FrozenUlts;
class Ult;
class Worker;
class WorkerThread;
struct WaitNote;

enum class State : std::uint8_t {
  kCreated,
  kReady,
  kRunning,
  kParked,
  kSleeping,
  kFrozen,
  kAway,
  kFinished
};

// What is unusual about a ult's next turn. Compared as one word, in each switch.
struct alignas(std::uint16_t) Turn {
  bool computes = false;  // a tick has interrupted it since it last waited (time_slice.h)
  bool moves = false;     // it was told to go on elsewhere

  friend bool operator==(Turn a, Turn b) noexcept {
    return std::bit_cast<std::uint16_t>(a) == std::bit_cast<std::uint16_t>(b);
  }
};

// The fields that every switch touches: with Strand in front of them, one cache line.
struct Scheduled : InboxItem {
  Scheduled() noexcept : InboxItem(ItemKind::kNews) {}

  // The parts of `news`: a number of wake-ups, and bits.
  static constexpr std::uint32_t kWakes = (1U << 24) - 1;
  static constexpr std::uint32_t kAlert = 1U << 24;
  static constexpr std::uint32_t kMoved = 1U << 25;   // it has come from another worker
  static constexpr std::uint32_t kToMove = 1U << 26;  // it is to go to `target`

  // Its worker only.
  State state = State::kCreated;
  Turn turn;
  std::uint32_t local_wakes = 0;
  Context context;
  std::atomic<Worker*> worker{nullptr};  // I3; null: it moves
  Ult* next_queued = nullptr;

  // Any thread. A waker on another worker reads `worker` from this line as well.
  std::atomic<std::uint32_t> news{0};

  // Its worker, and handlers in the ult: it is to answer at its next wait that heeds alerts
  // (alert.h).
  std::atomic<bool> alerted{false};

  // Its worker only.
  bool has_timer = false;
  bool stays = false;  // it has left an event's list to answer an alert, and will come back to it

  // For the ult itself, and where I3 says that it does not change.
  Worker& here() const noexcept { return *worker.load(std::memory_order_relaxed); }
};
static_assert(sizeof(Strand) + sizeof(Scheduled) <= 64);

class alignas(64) Ult final : public Strand,
                              public Scheduled,
                              public TimerNode,
                              public ListNode<AllUlts> {
 public:
  Ult() = default;

  void wake() noexcept override;

  // Makes `context`. Its worker, once, before the first switch to it.
  void prepare() noexcept;

  // Asks for the cache lines that a switch to it will touch first: with many ults they have gone,
  // and three misses at once cost less than three in turn.
  void prefetch() const noexcept {
    __builtin_prefetch(context.saved, 1);
    __builtin_prefetch(static_cast<const char*>(context.thread_pointer) - 64);
  }

  // The calling ult, in its own TLS block. Its worker is current_->here(), always; a thread_local
  // of the worker would be unreachable while a ult's TLS block is installed.
  static thread_local constinit Ult* current_;
  // Null: the strand is a kernel thread's from now on (Standing::kUlt).
  static void set_current(Ult* ult) noexcept {
    current_ = ult;
    Standing::clear(Standing::kUlt);
    if (ult != nullptr) Standing::enter(Standing::kUlt);
  }

  // Constant after spawn.
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
  FloatModes float_modes;  // the spawner's
  void* owner = nullptr;
  platform::Mapping mapping;
  std::size_t stack_bytes = 0;  // as asked for

  bool reusable = false;  // spawn, then the ult itself (forbid_reuse), then the strand that joins

  // Spawner, then the worker once, then the strand that joins.
  Orphan orphan;
  Completion finished;
  Ult* next_idle = nullptr;  // of UltPool

  // Stands in its worker's inbox when its call has returned.
  struct Home : InboxItem {
    explicit Home(Ult& who) noexcept : InboxItem(ItemKind::kHome), ult(who) {}
    Ult& ult;
  };
  Home home{*this};

  // The worker that it is to go to. Any thread; the last one counts.
  std::atomic<Worker*> target{nullptr};

  FrozenUlts* frozen_among =
      nullptr;  // its worker only; null: an alert has taken it out of the list

  // What it waits for (stillness.h). Its own; read by the judge.
  std::atomic<const WaitNote*> note{nullptr};
  // How many such waits it has begun, and how often it has ended. Never set back; its own, read by
  // the judge.
  std::atomic<std::uint64_t> steps{0};
  // The last question in which its wait has asked and was answered; kAsksNothing: it is in no wait
  // that asks (AskingWait). Its own; read by its worker and the judge.
  static constexpr std::uint64_t kAsksNothing = ~std::uint64_t{0};
  std::atomic<std::uint64_t> answered{kAsksNothing};

  void count_step() noexcept {
    steps.store(steps.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  bool asks() const noexcept { return answered.load(std::memory_order_relaxed) != kAsksNothing; }

  std::atomic<WorkerThread*> away_on{nullptr};  // while it is away; read by any thread
};

// First in, first out, through Ult::next_queued: a ult is in one at a time. Thread safety: none;
// its worker.
class UltQueue {
 public:
  bool empty() const noexcept { return head_ == nullptr; }
  const Ult* head() const noexcept { return head_; }

  void push(Ult& ult) noexcept {
    ult.next_queued = nullptr;
    (head_ == nullptr ? head_ : tail_->next_queued) = &ult;
    tail_ = &ult;
  }

  // Takes over all that are in `others`. O(1).
  void append(UltQueue& others) noexcept {
    if (others.empty()) return;
    (head_ == nullptr ? head_ : tail_->next_queued) = others.head_;
    tail_ = others.tail_;
    others.head_ = nullptr;
  }

  Ult* pop() noexcept {
    Ult* ult = head_;
    if (ult == nullptr) return nullptr;
    head_ = ult->next_queued;
    if (head_ != nullptr) {
      head_->prefetch();
      __builtin_prefetch(head_->next_queued);
    }
    return ult;
  }

  // Returns false if it does not hold the ult. O(n).
  bool remove(Ult& ult) noexcept {
    Ult* before = nullptr;
    for (Ult* at = head_; at != nullptr; before = at, at = at->next_queued) {
      if (at != &ult) continue;
      (before == nullptr ? head_ : before->next_queued) = ult.next_queued;
      if (tail_ == &ult) tail_ = before;
      return true;
    }
    return false;
  }

  // True if it ends at its last ult after at most `most`, and `sound(ult)` holds for each.
  template <class Sound>
  bool is_valid(int most, Sound&& sound) const noexcept {
    for (const Ult* ult = head_; ult != nullptr; ult = ult->next_queued) {
      if (--most < 0 || !sound(*ult)) return false;
      if (ult->next_queued == nullptr) return ult == tail_;
    }
    return true;
  }

 private:
  Ult* head_ = nullptr;
  Ult* tail_ = nullptr;
};

// Ults of one worker that wait for one event. They are thawed on that worker, or by way of its
// inbox.
struct FrozenUlts : InboxItem {
  FrozenUlts() noexcept : InboxItem(ItemKind::kThawed) {}
  // Its worker only.
  UltQueue ults;
  unsigned thaws = 0;  // how often its list was thawed
  int answering = 0;   // ults of the list that an alert has taken out, and that come back
};

}  // namespace heddle::ult
