// own.h — everything that a rank has of its own as a process has: the list of its parts, and when
// they begin and end.
//
// A part is a type of another folder of exec/process, and known here by its name alone. So the list
// stands below all of these folders, each of them includes it, and none sees the parts of the
// others.
//
//   moment                what happens
//   --------------------  -------------------------------------------------------------------------
//   first question        the rank gets its Own; a part begins when it is asked for first
//   begin_rank            main/run_main.h: the rank is hosted; signals/signals.h: it has signals of
//                         its own
//   end_rank              both again: no signal comes any more, what the rank has printed is out,
//                         it is hosted no more
//   ~Rank                 what MPI keeps of the rank ends (RankLocal), then the parts, from the
//                         last one of the list to the first
//
// A rank whose threads still run at its end keeps its Rank, and so all parts, until the process
// ends. In the child of a fork the parts become those of a plain process (base/fork.h).
//
// Not here: what a strand has of its own (its TLS block), the variables of the rank's
// libheddle_libc.so, and tables of the process in which an entry notes its rank
// (descriptors/descriptor_owners.h, files/file_locks.h).
//
// Thread safety: any strand of the rank; each part locks by itself. find() and find_own() in signal
// handlers, too.

#pragma once

#include <atomic>

#include "exec/rank/rank.h"

namespace heddle::ult {
class Strand;
}
namespace heddle::process {

struct RankState;
struct Load;
class Directory;
class Threads;
namespace signals {
class CreatedTimers;
struct WatchedSignals;
}  // namespace signals

// One part: made by T() when it is first asked for. What RankLocal says of T's constructor and
// destructor holds here, too.
template <class T>
class Part {
 public:
  Part() = default;
  ~Part() {
    if (void* const value = value_.load(std::memory_order_relaxed)) {
      end_.load(std::memory_order_relaxed)(value);
    }
  }
  Part(Part&&) = delete;

  T& get() noexcept {
    if (T* const made = find()) return *made;
    end_.store(delete_value<T>, std::memory_order_relaxed);  // all makers write the same
    return make_once<T>(value_);
  }
  // Null: it was never asked for.
  T* find() const noexcept { return static_cast<T*>(value_.load(std::memory_order_acquire)); }

 private:
  std::atomic<void*> value_{nullptr};
  std::atomic<void (*)(void*)> end_{nullptr};  // here, where T is known by name alone
};

// In the order in which the parts begin to be needed. A part may use those above it until its end.
struct Own {
  // exit/: the strand that has left the program. relaxed: a strand that sees it late waits once
  // more.
  std::atomic<ult::Strand*> ended_by{nullptr};
  // exit/: one more than the worker that a strand keeps while it loads code; 0: none.
  std::atomic<int> kept_by_loading{0};
  // state/: its streams, its descriptors 0 to 2, its lines of output. From begin_rank to end_rank;
  // null: no host has loaded the rank's program. Stays in memory, since the program's code may use
  // the streams until the process ends.
  std::atomic<RankState*> hosted{nullptr};

  Part<Load> load;            // time/: processor time of its ults
  Part<Directory> directory;  // files/: working directory and mask
  Part<signals::WatchedSignals>
      signals;  // signals/: actions, pending signals, timers of alarm and setitimer
  Part<signals::CreatedTimers> timers;  // signals/: those of timer_create
  Part<Threads> threads;                // threads/: beside its main strand
};

extern const RankLocal<Own> own_of_rank;

[[gnu::always_inline]] inline Own& own(Rank& rank = *Rank::current()) noexcept {
  return own_of_rank.of(rank);
}

// A part of the calling rank; null where there is no rank or the part was never asked for.
template <class T>
T* find_own(Part<T> Own::*part) noexcept {
  const Own* const found = own_of_rank.find();
  return found != nullptr ? (found->*part).find() : nullptr;
}

}  // namespace heddle::process
