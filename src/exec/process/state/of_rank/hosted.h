// hosted.h — tells the rest of libheddle_libc.so whether a host runs this program, and finds libc's own functions.
//
// The library is loaded once per rank, so a plain static variable here is private to its rank.
// It links to libc and libm alone (no libstdc++): a C program must not pay for more.
//
// Thread safety: all from every strand of the rank.

#pragma once

#include <dlfcn.h>

#include "exec/process/main/hooks.h"

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::process_of_rank {

// The host's table, or nullptr if the program runs by itself. Attaches when first called, which
// is in the constructor or, if another library's constructor comes first, before it.
const heddle_libc_hooks* hooks() noexcept;

// What the host shows of this rank. Only where there is a host.
const heddle_libc_rank& own_rank() noexcept;

// The same, but also nullptr in a child of fork, where descriptors, exec and the like are the kernel's again.
inline const heddle_libc_hooks* rank_hooks() noexcept {
  const heddle_libc_hooks* host = hooks();
  return host != nullptr && *host->children.host_process != 0 ? host : nullptr;
}

// libc's function behind ours. Keep the result in a function-local static: the search takes about
// a microsecond, too long to do for every name when a rank is loaded. `name` is a literal, which
// bindings/libc_calls.py finds.
void* find_next(const char* name) noexcept;
template <class Function>
Function* next(const char* name) noexcept {
  return reinterpret_cast<Function*>(find_next(name));
}

// From here on next() needs no lock of the dynamic linker. Before one strand holds it and waits for others, which may
// call any function for the first time: in a constructor. Only the first call does anything.
void find_all_next() noexcept;

// Functions of other files, called when the library attaches to a host, and before it is unloaded.
void adopt_environment(char* const* variables) noexcept;
void forget_environment() noexcept;
void forget_lookups() noexcept;
void forget_locale() noexcept;
void adopt_streams(FILE* const streams[3]) noexcept;
void close_streams() noexcept;  // those that the program left open
int flush_streams() noexcept;   // fflush(nullptr)
void flush_printed() noexcept;  // the standard ones alone, and not where that would wait for another thread
extern char*** const environment_variable;

// The program's copy of libomp, if it has one (program/of_rank/openmp.cpp).
void prepare_openmp();  // before constructors of the program, whose regions start the copy
void start_openmp();
void end_openmp();

// The work of exit() without leaving the program.
void finish(int status);

}  // namespace heddle::process_of_rank
