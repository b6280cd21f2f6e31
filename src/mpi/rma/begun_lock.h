// begun_lock.h — the lock of a member of another process, from MPI_Win_lock until the rank has it.
// MPI_Win_lock sends nothing; what comes next decides:
//
//   call                      sends                                       waits for
//   ------------------------  ------------------------------------------  ------------------------
//   a small put, accumulate   itself, to be done with the lock            nothing
//   a small get, fetch, swap  the same                                    its answer
//   a long access             kLock, and when the rank has it, itself     the lock
//   a second access, a flush  as ever                                     the first one's answer
//   MPI_Win_unlock            kUnlock, behind the access                  the access's answer
//                             nothing, if there was no access
//
// So lock, put, unlock are one round trip; and the lock is given back where it was taken, so the
// next rank that waits for it has it before the answer is here.
//
//   state    of Window::Sent::lock
//   -------  ------------------------------------------------------------------------------------
//   kNone    it is not begun, or the rank has it
//   kWanted  the target knows nothing of it; nothing is unflushed there
//   kAsked   a put that takes it has left, whose answer is Sent::answer; nothing else is unflushed
//
// Thread safety: any strand of the rank. One at a time deals with a lock that is begun; others that
// access this target wait meanwhile. May switch, all but begin().

#pragma once

#include <cstddef>

#include "base/error.h"
#include "mpi/rma/window.h"

namespace heddle::rma {

// The most that a packet carries that takes the lock along: the target copies it.
inline constexpr std::size_t kMostWithLock = 4 << 10;

class BegunLock : private Turnstile::Visitor {
  using State = Window::Sent::Lock;

 public:
  static void begin(int target, LockMode mode, Window& window) noexcept {
    Window::Sent& sent = window.sent(target);
    sent.mode = mode;
    set(sent, State::kWanted);
  }
  static bool is_begun(int target, Window& window) noexcept {
    return state(window.sent(target)) != State::kNone;
  }

  // Others wait until its end. Meanwhile the lock may have come: then is_begun() is false.
  BegunLock(int target, Window& window);
  ~BegunLock() { window_.turnstile().leave(*this); }
  BegunLock(BegunLock&&) = delete;

  bool is_begun() const noexcept { return state(sent_) != State::kNone; }
  LockMode mode() const noexcept { return sent_.mode; }
  // True: an access may take it along.
  bool is_wanted() const noexcept { return state(sent_) == State::kWanted; }
  // An access has taken it along, and is not answered yet; or is.
  void is_asked() noexcept { set(sent_, State::kAsked); }
  void is_there() noexcept { set(sent_, State::kNone); }

  // Afterwards the rank has the lock, unless there is no memory to ask for it. Fails if the access
  // that asked for it has failed, too.
  Error await();
  // As await(), for a flush: without such an access it has nothing to wait for.
  Error flush();
  // Gives it back. Requires is_begun().
  Error unlock();

 private:
  // relaxed: strands of a rank that depend on each other's calls order these; and the window's
  // turnstile does.
  static State state(const Window::Sent& sent) noexcept {
    return sent.lock.load(std::memory_order_relaxed);
  }
  static void set(Window::Sent& sent, State state) noexcept {
    sent.lock.store(state, std::memory_order_relaxed);
  }
  Error ask();
  Error await_answer();

  const int target_;
  Window& window_;
  Window::Sent& sent_;
};

}  // namespace heddle::rma
