// hooks.h — the interface between a rank's private libheddle_libc.so and its host
// (libmpi_abi.so.1).
//
// The linker gives every rank its own copy of libheddle_libc.so. Its constructor passes the host a
// table of the library's functions (heddle_libc_attach), and gets back the host's table and a
// description of the rank (sides.h). A null answer means that no host carries the program (it was
// started as ./app): then every function of the library does what libc's would.
//
// Each subject has its hooks in a hooks.h of its own. Here they come together.
//
//   program ──calls──► libheddle_libc.so ──hooks──► libmpi_abi.so.1 (exec/process)
//                                        ◄─image──
//
// Both sides come from one build. If the sizes of the tables differ, they do not, and the program
// is refused.
//
// Thread safety: the tables are constant once exchanged. The hooks may be called by every strand of
// the rank.

#pragma once

#include "exec/process/children/hooks.h"
#include "exec/process/descriptors/hooks.h"
#include "exec/process/exit/hooks.h"
#include "exec/process/files/hooks.h"
#include "exec/process/program/hooks.h"
#include "exec/process/sleep/hooks.h"
#include "exec/process/state/sides.h"
#include "exec/process/streams/hooks.h"
#include "exec/process/time/hooks.h"
#include "exec/process/waits/hooks.h"

extern "C" {

struct heddle_libc_hooks {
  heddle_exit_hooks exit;
  heddle_program_hooks program;
  heddle_sleep_hooks sleep;
  heddle_wait_hooks waits;
  heddle_time_hooks time;
  heddle_file_hooks files;
  heddle_descriptor_hooks descriptors;
  heddle_stream_hooks streams;
  heddle_children_hooks children;
};

// Null if the calling strand belongs to no hosted rank; else *rank is that rank. Once for each copy
// of the library.
__attribute__((visibility("default"))) const struct heddle_libc_hooks* heddle_libc_attach(
    const struct heddle_libc_image* image, const struct heddle_libc_rank** rank);

}  // extern "C"
