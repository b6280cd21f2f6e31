#include "exec/process/threads/notices.h"

#include <pthread.h>

#include <set>
#include <tuple>

#include "base/fork.h"
#include "base/mutex.h"
#include "exec/process/state/rank_state.h"
#include "exec/process/threads/threads.h"

namespace heddle::process {

namespace {

struct Notice {
  RankState* rank;  // never freed
  void (*function)(sigval value);
  void* value;

  bool operator<(const Notice& other) const noexcept {
    return std::tie(rank, function, value) < std::tie(other.rank, other.function, other.value);
  }
};

// Never freed: libc may keep a pointer to one for as long as the process lives.
const Notice& kept(const Notice& notice) {
  // Lock: guards which functions ranks have given for notices; held across taking memory.
  static Mutex mutex;
  static auto& notices = *new std::set<Notice>;
  const MutexGuard lock(mutex);
  return *notices.insert(notice).first;
}

void* run(void* argument) {
  const auto& notice = *static_cast<const Notice*>(argument);
  notice.function({.sival_ptr = notice.value});
  return nullptr;
}

// Runs on a thread of libc's.
void start(sigval value) {
  const auto& notice = *static_cast<const Notice*>(value.sival_ptr);
  if (is_child() || !notice.rank->enter_from_outside()) return;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread = 0;
  // If it fails, nothing runs: libc does not report it either.
  create_thread(&thread, &detached, run, value.sival_ptr, chosen_kind);
  pthread_attr_destroy(&detached);
  notice.rank->leave_to_outside();
}

}  // namespace

void notify_in_rank(sigevent* event) noexcept {
  RankState* const rank = hosted_state();
  if (rank == nullptr || is_child() || event == nullptr || event->sigev_notify != SIGEV_THREAD ||
      event->sigev_notify_function == start) {
    return;
  }
  const Notice& notice = kept({rank, event->sigev_notify_function, event->sigev_value.sival_ptr});
  event->sigev_notify_function = start;
  event->sigev_value.sival_ptr = const_cast<Notice*>(&notice);
  event->sigev_notify_attributes = nullptr;
}

}  // namespace heddle::process
