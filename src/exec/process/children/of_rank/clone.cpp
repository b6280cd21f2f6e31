// clone, by which a program makes a child or a thread that glibc does not know
// (exec/process/children/cloned_tasks.h).

#include <sched.h>
#include <stdarg.h>

#include "exec/process/children/of_rank/own_children.h"
#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::process::of_rank;

HEDDLE_EXPORT int clone(int (*function)(void*), void* stack, int flags, void* argument,
                        ...) noexcept {
  va_list list;
  va_start(list, argument);
  auto* const parent_id = va_arg(list, pid_t*);
  auto* const thread_pointer = va_arg(list, void*);
  auto* const child_id = va_arg(list, pid_t*);
  va_end(list);
  const auto* const host = function != nullptr && stack != nullptr ? rank_hooks() : nullptr;
  const int made = host != nullptr ? host->children.clone_task(function, stack, flags, argument,
                                                               parent_id, thread_pointer, child_id)
                                   : libc().clone(function, stack, flags, argument, parent_id,
                                                  thread_pointer, child_id);
  if (made > 0 && host != nullptr && (flags & CLONE_THREAD) == 0) remember_child(made);
  return made;
}
