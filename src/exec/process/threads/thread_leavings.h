// thread_leavings.h — what a thread leaves in its TLS block: values of keys, thread_local objects.
//
// A kernel thread's block goes back to libc, which clears both. A ult's block serves again
// (ult::Attributes::reusable), so they are cleared here, on the ult, before it ends: destructors
// run in the thread itself, may call MPI and wait, and have run when join returns.
//
// thread_local variables get back the initial values of their modules, whose templates the dynamic
// linker shows (dl_iterate_phdr). Those of libc, of sanitizers and of this library stay; so malloc
// keeps its cache.
//
// Thread safety: any strand, about itself; key functions any strand.

#pragma once

#include <pthread.h>

namespace heddle::process {

// pthread_key_create and pthread_key_delete, which also remember the destructor.
int key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept;
int key_delete(pthread_key_t key) noexcept;

// Runs destructors of keys as the end of a thread does, then clears the keys. May switch.
void clear_keys();

// Called after the destructors of thread_local objects, also of those that clear_keys has made.
void reset_thread_locals() noexcept;

}  // namespace heddle::process
