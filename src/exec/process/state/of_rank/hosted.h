// hosted.h — tells the rest of libheddle_libc.so whether a host runs this program, and has libc's
// own functions.
//
// The library is loaded once per rank, so a plain static variable here is private to its rank.
// It links to libc and libm alone (no libstdc++): a C program must not pay for more.
//
// Thread safety: all from every strand of the rank.

#pragma once

#include <stdlib.h>

#include "exec/process/exports/libc.h"
#include "exec/process/main/hooks.h"

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::process::of_rank {

// The host's table, or nullptr if the program runs by itself. Attaches when first called, which
// is in the constructor or, if another library's constructor comes first, before it.
const heddle_libc_hooks* hooks() noexcept;

// What the host shows of this rank. Only where there is a host.
const heddle_libc_rank& own_rank() noexcept;

// The host's table, as hooks() returns it. It is nullptr also in a child of fork, where
// descriptors, exec and the like are the kernel's again.
inline const heddle_libc_hooks* rank_hooks() noexcept {
  const heddle_libc_hooks* host = hooks();
  return host != nullptr && *host->children.host_process != 0 ? host : nullptr;
}

// At the beginning of calls that the program may repeat without waiting: if a tick has found it in
// one of them, it gives way now (exec/ult/due_turn.h). May switch.
[[gnu::always_inline]] inline void take_due_turn() noexcept {
  if (const auto* const host = rank_hooks()) host->waits.take_due_turn(__builtin_return_address(0));
}

inline bool is_standard(int descriptor) noexcept {
  return static_cast<unsigned>(descriptor) <= 2;
}

// The process's descriptor for a descriptor of the rank; -1 if the rank has closed it.
inline int in_process(int descriptor) noexcept {
  const bool differs = is_standard(descriptor) && rank_hooks() != nullptr;
  return differs ? hooks()->descriptors.in_process(descriptor) : descriptor;
}

// libc's own functions. The host has found them once for all ranks, before there were any: dlsym
// takes a lock of the dynamic linker, which a rank must not need where it first calls a function.
extern const heddle_libc_functions* found_functions;
void find_libc() noexcept;
inline const heddle_libc_functions& libc() noexcept {
  if (found_functions == nullptr) [[unlikely]]
    find_libc();
  return *found_functions;
}

// The check of a call in a program that was compiled with -D_FORTIFY_SOURCE.
inline void must_fit(size_t size, size_t room) noexcept {
  if (size > room) abort();
}

// Functions of other files, called when the library attaches to a host, and before it is unloaded.
void adopt_environment(char* const* variables) noexcept;
void forget_environment() noexcept;
void forget_lookups() noexcept;
void forget_locale() noexcept;
void adopt_streams(FILE* const streams[3]) noexcept;
void close_streams() noexcept;  // those that the program left open
int flush_streams() noexcept;   // fflush(nullptr)
// Flushes the standard streams alone, except where that would wait for another thread.
void flush_printed() noexcept;
extern char*** const environment_variable;

// syscall() of the program (descriptors/of_rank/by_number.cpp): 0 if it is for the kernel; else
// *result and errno are its answer.
int call_by_number(long number, const long* arguments, long* result);

// The program's copy of libomp, if it has one (program/of_rank/openmp.cpp).
void prepare_openmp();  // before constructors of the program, whose regions start the copy
void start_openmp();
void end_openmp();

// The work of exit() without leaving the program.
void finish(int status);

}  // namespace heddle::process::of_rank
