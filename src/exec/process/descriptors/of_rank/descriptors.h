// descriptors.h — descriptors of this rank: 0, 1 and 2 may be other numbers in the host process;
// the others belong to the rank that makes them.
//
// Thread safety: any strand of the rank.

#pragma once

#include <fcntl.h>

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/waits/of_rank/descriptor_waits.h"

namespace heddle::process::of_rank {

// Says what a stream or a folder closes in place of its descriptor: what the rank has at 0 to 2
// stays.
inline int to_be_closed(int descriptor) noexcept {
  const int own = in_process(descriptor);
  return own == descriptor ? own : fcntl(own, F_DUPFD_CLOEXEC, 3);
}

// What a rank makes is close-on-exec in the kernel (exec/process/descriptors/descriptor_owners.h).
// Returns `flags` with that bit set; `bit` is the call's bit for it. O_CLOEXEC, SOCK_CLOEXEC and
// their kind are one bit.
inline int hidden(int flags, int bit = O_CLOEXEC) noexcept {
  return rank_hooks() != nullptr ? flags | bit : flags;
}

// Takes the result of a call that made a descriptor, close-on-exec. Notes that it is the rank's.
// `passes_on`: the program did not ask for close-on-exec.
inline int owned(int made, bool passes_on) noexcept {
  if (made >= 0 && rank_hooks() != nullptr) hooks()->descriptors.own(made, passes_on ? 1 : 0);
  forget_kind(made);
  return made;
}

// Calls owned(), and gives the descriptor the lowest number of 0 to 2 that the rank has closed, as
// POSIX asks.
inline int placed(int made, bool passes_on) noexcept {
  owned(made, passes_on);
  return made >= 0 && rank_hooks() != nullptr ? hooks()->descriptors.place(made) : made;
}

// For a call of libc that does not take close-on-exec: notes `made` as the rank's and hides it
// then.
void hide(int made, bool passes_on) noexcept;

// Makes a descriptor by a call of libc, make(flags), that takes O_CLOEXEC among its flags, and
// calls placed() for it.
template <class Make>
int make_descriptor(int flags, Make make) noexcept(noexcept(make(0))) {
  return placed(make(hidden(flags)), (flags & O_CLOEXEC) == 0);
}

}  // namespace heddle::process::of_rank
