// thread_entry.h — the first function of a rank's kernel thread: makes it a strand of its rank.
//
// Under ThreadSanitizer it runs before the sanitizer has set up the thread, so its file is compiled
// without instrumentation and calls nothing that has any; `prepare` is null there.
//
// Thread safety: runs on the new thread; a ThreadEntry is copied there before its creator goes on.

#pragma once

#include <locale.h>
#include <pthread.h>
#include <sched.h>

#include "exec/rank/rank.h"

namespace heddle::process {

struct ThreadEntry {
  Rank* rank;
  int number;                // Rank::current_thread
  void* (*function)(void*);  // the program's
  void* argument;
  locale_t locale;        // that of the creating strand
  unsigned long blocked;  // what it blocks of signals
  void (*prepare)();      // alternate signal stack, working directory
  pthread_key_t end_key;  // its destructor is called with `record` when the thread ends
  void* record;
  int core;  // of the creating strand's worker, which the thread does not inherit; -1: none
  cpu_set_t chosen_cpus;  // of the creating strand
};

// The function for libc's pthread_create; `entry` is a ThreadEntry that lives until it has been
// copied.
void* enter_thread(void* entry);

}  // namespace heddle::process
