// pthread_atfork of a rank. Each library has a pthread_atfork of its own, from libc's static part,
// which calls this function.

#include "exec/process/children/of_rank/fork_handlers.h"

#include <errno.h>
#include <stdlib.h>

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/state/of_rank/lock.h"

namespace heddle::process::of_rank {

using Function = void (*)();

// Stays until the rank ends, since a fork may be under way: what is forgotten has no functions.
struct Registration {
  Function prepare;
  Function in_parent;
  Function in_child;
  const void* library;  // __dso_handle of the library that registered them
  Registration* older = nullptr;
  Registration* younger = nullptr;
};

namespace {

constinit Registration* oldest = nullptr;
constinit Registration* youngest_of_all = nullptr;

void add(Registration& made) noexcept {
  const Guard guard(Guarded::kForkHandlers);
  made.older = youngest_of_all;
  (made.older != nullptr ? made.older->younger : oldest) = &made;
  youngest_of_all = &made;
}

// Calls one of its functions without the lock, since that may register others. Returns the next
// one.
const Registration* call(const Registration& one, Function Registration::*which,
                         Registration* Registration::*next) noexcept {
  Function function = nullptr;
  const Registration* after = nullptr;
  {
    const Guard guard(Guarded::kForkHandlers);
    function = one.*which;
    after = one.*next;
  }
  if (function != nullptr) function();
  return after;
}

const Registration* find(Registration* const& end) noexcept {
  const Guard guard(Guarded::kForkHandlers);
  return end;
}

void finish_fork(const Registration* youngest, Function Registration::*which) noexcept {
  if (youngest == nullptr) return;
  const Registration* one = find(oldest);
  while (one != youngest) one = call(*one, which, &Registration::younger);
  call(*youngest, which, &Registration::younger);
}

}  // namespace

const Registration* prepare_fork() noexcept {
  const Registration* const youngest = find(youngest_of_all);
  const Registration* one = youngest;
  while (one != nullptr) one = call(*one, &Registration::prepare, &Registration::older);
  return youngest;
}

void finish_fork_in_parent(const Registration* youngest) noexcept {
  finish_fork(youngest, &Registration::in_parent);
}

void finish_fork_in_child(const Registration* youngest) noexcept {
  finish_fork(youngest, &Registration::in_child);
}

void forget_fork_handlers(const void* library) noexcept {
  const Guard guard(Guarded::kForkHandlers);
  for (Registration* one = oldest; one != nullptr; one = one->younger) {
    if (library != nullptr && one->library != library) continue;
    one->prepare = one->in_parent = one->in_child = nullptr;
  }
}

}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

HEDDLE_EXPORT int __register_atfork(Function prepare, Function in_parent, Function in_child,
                                    void* library) noexcept {
  if (hooks() == nullptr) return libc().__register_atfork(prepare, in_parent, in_child, library);
  auto* const made = static_cast<Registration*>(malloc(sizeof(Registration)));
  if (made == nullptr) return ENOMEM;
  *made = {prepare, in_parent, in_child, library};
  add(*made);
  return 0;
}
