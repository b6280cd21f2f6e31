// files.h — the streams that this rank opened by fopen and its relatives and has not closed.
//
// exit() must flush and the rank's end must close them: libc keeps one list for all ranks and looks
// at it when the process ends, when this rank's buffers and code are gone.
//
// Thread safety: any strand of the rank.

#pragma once

#include <stdio.h>

namespace heddle::process::of_rank {

// 0, 1 or 2 for the rank's standard streams, else -1.
int standard_descriptor(const FILE* stream) noexcept;

// True if popen has made it and pclose has not closed it.
bool is_pipe(const FILE* stream) noexcept;

// freopen of a stream that is no standard one.
FILE* reopen_file(const char* path, const char* mode, FILE* stream);

// 0, or EOF if one of them cannot be written. Waits for strands that are in them.
int flush_open_files() noexcept;
void discard_open_files() noexcept;
void close_open_files() noexcept;

}  // namespace heddle::process::of_rank
