// descriptors.h — dup2, close and open of the calling rank where its descriptors 0, 1 and 2 are
// meant.
//
// These three belong to the process. Where a rank redirects or closes one, only its own view of it
// changes (state/standard.h); the other ranks keep theirs.
//
// Thread safety: any strand of a hosted rank.

#pragma once

#include "exec/process/descriptors/hooks.h"

namespace heddle::process {

// dup2(from, onto) of the calling rank, `onto` being 0, 1 or 2; errno on -1.
int redirect(int from, int onto) noexcept;

// close(standard) of the calling rank, likewise.
int close_standard(int standard) noexcept;

// A new descriptor of the process becomes the lowest one of 0 to 2 that the calling rank has
// closed, else it stays.
int place_descriptor(int made) noexcept;

// What a descriptor of the calling rank is in the process; -1: closed.
int process_descriptor(int descriptor) noexcept;

// All of them.
heddle_descriptor_hooks descriptor_hooks() noexcept;

}  // namespace heddle::process
