// jumps.h — longjmp of a rank's strand: which mask it restores, and what it leaves.
//
// Thread safety: the calling strand about itself.

#pragma once

#include <setjmp.h>

namespace heddle::process::signals {

// Sets what ends the job when a handler that has interrupted an MPI function (its name) leaves it
// by longjmp. Does not return. Once, before the first rank.
void set_ender_of_left_calls(void (*end_job)(const char* call)) noexcept;

// sigsetjmp and longjmp: the kernel's mask, which libc saves, is not the strand's.
void save_mask(struct __jmp_buf_tag* target) noexcept;
void prepare_jump(struct __jmp_buf_tag* target);

}  // namespace heddle::process::signals
