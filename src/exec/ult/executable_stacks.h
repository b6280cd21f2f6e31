// executable_stacks.h — whether code may run on the stacks of ults.
//
// Code on a stack is what gcc makes of a nested function, and gfortran of an internal procedure,
// whose address is taken. A file with such code says so in PT_GNU_STACK. The dynamic linker then
// makes the stacks of all kernel threads executable, but not stacks that it has not mapped; so ults
// get theirs here. As there, it holds for the process, and for good.
//
// Thread safety: any strand.

#pragma once

namespace heddle::ult {

// Makes the stacks of all ults executable, those that are there and those to come. Returns an
// errno, 0 on success.
int make_stacks_executable() noexcept;

// Makes the stacks executable if a file that this process has loaded asks for it.
void adopt_stacks_of_process() noexcept;

}  // namespace heddle::ult
