// once.h — pthread_once, which parks while another strand runs the function.
//
// The word has libc's first and last value, so code that asks libc instead agrees when it is over:
//
//   from     to       by
//   -------  -------  ------------------------------------------------------------------------
//   kNew     kRuns    the first thread                                                   [A1]
//   kRuns    kDone    the function returned; wakes all waiting strands                    [R1]
//   kRuns    kNew     it threw, or the thread left by pthread_exit: another one tries     [R1]
//
// Memory order: [R1] release pairs with [A1] acquire: the others see what the function did.
// Thread safety: any strand. May switch.

#pragma once

#include <pthread.h>

namespace heddle::process {

// What the function throws passes through, so this is not noexcept.
int once(pthread_once_t* control, void (*function)());

}  // namespace heddle::process
