#include "exec/process/children/cloned_tasks.h"

#include <locale.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <new>

#include "base/fork.h"
#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "exec/ult/task_block.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {

struct Task {
  int (*function)(void*);
  void* argument;
  int flags;
  Rank* rank;
  int thread;
  locale_t locale;
  ult::TaskBlock* block;  // null: the maker is no ult
  std::atomic<pid_t> lives =
      1;  // the kernel writes 0 at the task's end; 1 for ever if the flags name another word
  Task* next = nullptr;
};

// Lock: guards the list of tasks; no other lock is taken under it.
constinit SpinLock lock;
constinit Task* tasks = nullptr;

void free_task(Task& task) noexcept {
  if (task.block != nullptr) ult::free_task_block(*task.block);
  delete &task;
}

// acquire: the task has used its block before.
bool has_ended(const Task& task) noexcept {
  return task.lives.load(std::memory_order_acquire) == 0;
}

void free_ended() noexcept {
  Task* ended = nullptr;
  {
    SpinGuard guard(lock);
    for (Task** place = &tasks; *place != nullptr;) {
      Task& task = **place;
      if (!has_ended(task)) {
        place = &task.next;
        continue;
      }
      *place = task.next;
      task.next = ended;
      ended = &task;
    }
  }
  while (ended != nullptr) {
    Task& task = *ended;
    ended = task.next;
    free_task(task);
  }
}

int run_copy(void* argument) {
  const Task task = {.function = static_cast<Task*>(argument)->function,
                     .argument = static_cast<Task*>(argument)->argument};
  become_child();
  return task.function(task.argument);
}

int run_task(void* argument) {
  auto& task = *static_cast<Task*>(argument);
  if ((task.flags & CLONE_CHILD_CLEARTID) == 0) syscall(SYS_set_tid_address, &task.lives);
  if (task.block != nullptr) {
    Rank::enter(task.rank);
    Rank::current_thread = task.thread;
    uselocale(task.locale);
  }
  return task.function(task.argument);
}

int fail(int error) noexcept {
  errno = error;
  return -1;
}

int clone_sharer(Task& task, void* stack, pid_t* parent_id, pid_t* child_id) noexcept {
  int flags = task.flags;
  void* thread_pointer = nullptr;
  if (ult::current() != nullptr) {
    task.block = ult::make_task_block();
    if (task.block == nullptr) {
      delete &task;
      return fail(ENOMEM);
    }
    flags |= CLONE_SETTLS;
    thread_pointer = ult::thread_pointer_of(*task.block);
  }
  {
    SpinGuard guard(lock);
    task.next = tasks;
    tasks = &task;
  }
  const int made = clone(run_task, stack, flags, &task, parent_id, thread_pointer, child_id);
  if (made < 0) {
    const int error = errno;
    task.lives.store(0, std::memory_order_relaxed);
    free_ended();
    return fail(error);
  }
  return made;
}

}  // namespace

int clone_task(int (*function)(void*), void* stack, int flags, void* argument, pid_t* parent_id,
               void* thread_pointer, pid_t* child_id) noexcept {
  free_ended();
  const bool has_own_memory = (flags & CLONE_VM) == 0;
  if (!has_own_memory && (flags & (CLONE_SETTLS | CLONE_VFORK)) != 0)
    return clone(function, stack, flags, argument, parent_id, thread_pointer, child_id);
  auto* const task = new (std::nothrow) Task{.function = function,
                                             .argument = argument,
                                             .flags = flags,
                                             .rank = Rank::current(),
                                             .thread = Rank::current_thread,
                                             .locale = uselocale(nullptr),
                                             .block = nullptr};
  if (task == nullptr) return fail(ENOMEM);
  if (!has_own_memory) return clone_sharer(*task, stack, parent_id, child_id);
  const int made = clone(run_copy, stack, flags, task, parent_id, thread_pointer, child_id);
  delete task;
  return made;
}

bool has_cloned_tasks() noexcept {
  SpinGuard guard(lock);
  for (const Task* task = tasks; task != nullptr; task = task->next) {
    if (!has_ended(*task)) return true;
  }
  return false;
}

}  // namespace heddle::process
