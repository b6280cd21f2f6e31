// thread_annotations.h — what a lock guards, in words that clang checks (its thread safety
// analysis).
//
//   SpinLock lock_;
//   int count_ GUARDED_BY(lock_);            read and written with lock_ only
//   Node* first_ PT_GUARDED_BY(lock_);       the same for what the pointer points to
//   void add() REQUIRES(lock_);              the caller holds lock_
//   void publish() EXCLUDES(lock_);          the caller does not hold it: the function takes it
//   void lock() ACQUIRE(); … RELEASE(); bool try_lock() TRY_ACQUIRE(true);     of a lock itself
//
// `./dev tidy` runs the analysis. It looks at one function at a time and does not follow pointers
// to locks; NO_THREAD_SAFETY_ANALYSIS takes a function out of it, with a comment that says why.
// Other compilers see nothing of all this.

#pragma once

#if defined(__clang__)
#define HEDDLE_ANNOTATION(x) __attribute__((x))
#else
#define HEDDLE_ANNOTATION(x)
#endif

#define CAPABILITY(name) HEDDLE_ANNOTATION(capability(name))
#define SCOPED_CAPABILITY HEDDLE_ANNOTATION(scoped_lockable)
#define GUARDED_BY(lock) HEDDLE_ANNOTATION(guarded_by(lock))
#define PT_GUARDED_BY(lock) HEDDLE_ANNOTATION(pt_guarded_by(lock))
#define REQUIRES(...) HEDDLE_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) HEDDLE_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) HEDDLE_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) HEDDLE_ANNOTATION(release_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) HEDDLE_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS HEDDLE_ANNOTATION(no_thread_safety_analysis)
