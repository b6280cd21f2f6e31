// pthread_atfork of a rank. Each library has a pthread_atfork of its own, from libc's static part, which calls this function.

#include "exec/process/children/of_rank/fork_handlers.h"

#include <errno.h>
#include <stdlib.h>

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/state/of_rank/lock.h"

namespace heddle::process_of_rank {
namespace {

using Function = void (*)();

struct ForkHandlers {
  Function prepare;
  Function in_parent;
  Function in_child;
  const void* library;  // __dso_handle of the library that registered them
};

// The oldest first. What is forgotten leaves an empty place, since a fork may be under way.
constinit ForkHandlers* registered = nullptr;
constinit size_t size = 0;
constinit size_t capacity = 0;

bool add(const ForkHandlers& handlers) noexcept {
  const Guard guard(Guarded::kForkHandlers);
  if (size == capacity) {
    const size_t more = capacity == 0 ? 8 : 2 * capacity;
    auto* const grown =
        static_cast<ForkHandlers*>(realloc(registered, more * sizeof(ForkHandlers)));
    if (grown == nullptr) return false;
    registered = grown;
    capacity = more;
  }
  registered[size++] = handlers;
  return true;
}

// Without the lock: a handler may register others.
void call(Function ForkHandlers::*which, size_t place) noexcept {
  Function function = nullptr;
  {
    const Guard guard(Guarded::kForkHandlers);
    function = registered[place].*which;
  }
  if (function != nullptr) function();
}

size_t count_registered() noexcept {
  const Guard guard(Guarded::kForkHandlers);
  return size;
}

}  // namespace

size_t prepare_fork() noexcept {
  const size_t count = count_registered();
  for (size_t i = count; i-- > 0;) call(&ForkHandlers::prepare, i);
  return count;
}

void finish_fork_in_parent(size_t count) noexcept {
  for (size_t i = 0; i < count; ++i) call(&ForkHandlers::in_parent, i);
}

void finish_fork_in_child(size_t count) noexcept {
  for (size_t i = 0; i < count; ++i) call(&ForkHandlers::in_child, i);
}

void forget_fork_handlers(const void* library) noexcept {
  const Guard guard(Guarded::kForkHandlers);
  for (size_t i = 0; i < size; ++i) {
    if (library == nullptr || registered[i].library == library) registered[i] = {};
  }
}

}  // namespace heddle::process_of_rank

using namespace heddle::process_of_rank;

HEDDLE_EXPORT int __register_atfork(Function prepare, Function in_parent, Function in_child,
                                    void* library) noexcept {
  static auto* const libc = next<int(Function, Function, Function, void*)>("__register_atfork");
  if (hooks() == nullptr) return libc(prepare, in_parent, in_child, library);
  return add({prepare, in_parent, in_child, library}) ? 0 : ENOMEM;
}
