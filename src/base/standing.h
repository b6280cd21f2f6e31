// standing.h — where the calling strand stands, and what it may do there.
//
// A strand counts the states that it is in, all in one word:
//
//   state     the strand
//   --------  ------------------------------------------------------------------------------------
//   kSection  is in a section that must end on the kernel thread where it began: it holds a spin
//             lock or a channel, it polls, or it calls a library that knows no ults
//   kHook     holds a lock of the host that all ranks need (input, output, time zone)
//   kLoading  loads or unloads code of its rank, perhaps under the dynamic linker's lock
//   kHandler  is in a handler of the program
//   kCrossing is between its worker and a call that it makes away from it (exec/ult/preempt/away.h)
//   kUlt      is a ult on its worker; else the scheduler takes it for a kernel thread
//   kMpi      is in a function of MPI, and in no handler that has interrupted it
//
// Each question "may the strand do this here?" is an Act. This table is the only answer:
//
//                   kSection kHook kLoading kHandler kCrossing kMpi  kernel threads
//   kSwitch         no       .     .        .        .         .     .
//   kPark           no       .     .        .        .         .     no
//   kWait           no       .     no       .        .         .     no
//   kGoOutside      no       .     no       no       .         .     no
//   kLeaveCall      no       .     no       .        .         .     no
//   kBeInterrupted  no       .     no       no       .         no    no
//   kRunProgram     no       no    .        .        .         no    .
//   kAnswer         .        no    no       .        .         .     .
//   kUnwind         .        .     .        .        no        .     .
//
// What a strand waits for in a section must end without its worker. libc's locks are of this kind
// if their holders never go away: those of the allocator and of thread stacks (decision 70). A
// debug build asserts that nothing parks there. What libmpi_abi.so.1 exports of libc's names does
// not switch there either (decision 94).
//
// Cost: to enter and to leave a state is one addition. kMpi is told by `call`, which names the
// function for reports anyway. Each call of MPI also asks for the strand's rank, and short ones
// whether a turn is due. They lie here, so that one address serves all three.
//
// Thread safety: the strand's own; may be read and changed in its signal handlers, which leave what
// they have entered. The word needs no order among threads, and a handler finds no system call
// between a lock and its count. Reports of other threads read `call`.

#pragma once

#include <cstdint>

namespace heddle {

class Rank;
enum class Act;
inline bool may(Act act) noexcept;

class Standing {
 public:
  // A field of the word that counts, by its lowest bit; kHandler, kUlt and kMpi are yes or no.
  enum State : std::uint32_t {
    kSection = 1U << 0,
    kHook = 1U << 10,
    kLoading = 1U << 16,
    kHandler = 1U << 22,
    kCrossing = 1U << 28,
    kUlt = 1U << 30,
    kMpi = 1U << 31,  // not in the word: is_in_mpi()
  };

  static void enter(State state) noexcept { mine.states_ += state; }
  static void leave(State state) noexcept { mine.states_ -= state; }
  // As if the strand had never entered the state.
  static void clear(State state) noexcept { mine.states_ &= ~field(state); }
  static bool is_in(State state) noexcept { return (mine.states_ & field(state)) != 0; }

  // The MPI function that the calling strand is in, or nullptr: for crash and deadlock reports.
  const char* call = nullptr;
  // Null outside of every rank. Rank::current() (exec/rank/rank.h).
  Rank* rank = nullptr;

  // `call` in a handler of a signal that has interrupted an MPI function
  // (exec/process/signals/frame.h): the strand is in code of the program, and may call nothing of
  // MPI except MPI_Abort.
  static constexpr char kHandlerInsideMpi[] = "a signal handler that has interrupted MPI";
  static bool is_in_mpi() noexcept {
    return mine.call != nullptr && mine.call != kHandlerInsideMpi;
  }

  // All bits of a state.
  static constexpr std::uint32_t field(State state) noexcept {
    switch (state) {
      case kSection:
        return kHook - kSection;
      case kHook:
        return kLoading - kHook;
      case kLoading:
        return kHandler - kLoading;
      case kHandler:
        return kCrossing - kHandler;
      case kCrossing:
        return kUlt - kCrossing;
      default:
        return state;
    }
  }

  // A tick could not interrupt the strand (exec/ult/due_turn.h).
  bool turn_is_due = false;

  static thread_local constinit Standing mine;

 private:
  friend bool may(Act act) noexcept;

  std::uint32_t states_ = 0;
};

// A state for a scope.
template <Standing::State state>
class Within {
 public:
  Within() noexcept { Standing::enter(state); }
  ~Within() { Standing::leave(state); }
  Within(Within&&) = delete;
};

enum class Act {
  kSwitch,         // let other ults of the worker run
  kPark,           // wait as a ult, since libc's wait would block the worker
  kWait,           // wait in the scheduler for a time or a descriptor; else the kernel's call waits
  kGoOutside,      // give the worker away before a call (exec/ult/outside.h)
  kLeaveCall,      // give the worker away in a call (exec/ult/preempt/away.h)
  kBeInterrupted,  // yield in a handler of the scheduler, if it finds the program's code
  kRunProgram,     // run code of the program here: a handler, or what a cancelled thread unwinds
  kAnswer,         // run handlers of the program in a wait (exec/ult/alert.h)
  kUnwind,         // be unwound: else it is asked again
};

struct Rule {
  std::uint32_t forbidden_in;  // fields of states
  bool for_ults_only;
};

constexpr Rule rule_of(Act act) noexcept {
  constexpr std::uint32_t section = Standing::field(Standing::kSection);
  constexpr std::uint32_t hook = Standing::field(Standing::kHook);
  constexpr std::uint32_t loading = Standing::field(Standing::kLoading);
  constexpr std::uint32_t handler = Standing::field(Standing::kHandler);
  constexpr std::uint32_t crossing = Standing::field(Standing::kCrossing);
  constexpr std::uint32_t mpi = Standing::kMpi;
  switch (act) {
    case Act::kSwitch:
      return {section, false};
    case Act::kPark:
      return {section, true};
    case Act::kWait:
    case Act::kLeaveCall:
      return {section | loading, true};
    case Act::kGoOutside:
      return {section | loading | handler, true};
    case Act::kBeInterrupted:
      return {section | loading | handler | mpi, true};
    case Act::kRunProgram:
      return {section | hook | mpi, false};
    case Act::kAnswer:
      return {hook | loading, false};
    case Act::kUnwind:
      return {crossing, false};
  }
  __builtin_unreachable();
}

// The answer of the table for the calling strand.
[[gnu::always_inline]] inline bool may(Act act) noexcept {
  const Rule rule = rule_of(act);
  if ((rule.forbidden_in & Standing::kMpi) != 0 && Standing::is_in_mpi()) return false;
  const std::uint32_t ult = rule.for_ults_only ? Standing::kUlt : 0U;
  return (Standing::mine.states_ & (rule.forbidden_in | ult)) == ult;
}

}  // namespace heddle
