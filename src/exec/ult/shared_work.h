// shared_work.h — long work of one strand, at which idle workers help.
//
// The work is a row of parts of about a microsecond. Its owner takes them from the front, helpers
// from the back, until they meet: each walks over one stretch of memory, and over nearly the same
// one when the same work comes again, so that its lines stay in the caches of one core. Helpers are
// of the owner's NUMA node, since the thread that first touches a page decides where it lies.
//
//   owner    puts the work into a slot, takes parts and lets ready ults run between them; when none
//            is left it closes the slot, and waits until all helpers have left
//   helper   a worker with nothing to run: joins a slot, takes a few parts, until none is left or
//            there is news for it, and leaves
//
//   members of a slot   from                to                  by
//   -------------------  ------------------  ------------------  -------------------------------
//                        free                owned               owner
//                        owned               owned, open         owner, the work is in it     [R1]
//                        open, n helpers     open, n + 1         helper, joins                [A1]
//                        n + 1 helpers       n helpers           helper, leaves               [R2]
//                        owned, open, n      owned, n            owner, closes                [A2]
//                        owned, 0 helpers    free                owner
//
// A helper that is interrupted by a crash, because the program's memory ends earlier than it has
// said, gives its part back. The owner does it again, and so crashes itself: with its rank, its
// call, its stack.
//
// Invariants
//   I1  A helper touches the work only between joining and leaving.
//   I2  The last helper to leave a closed slot sets `all_left`, and does not touch the slot
//       afterwards.
//
// Memory order
//   [R1] release, pairs with [A1] acquire: the helper sees the work.
//   [R2] release, pairs with [A2] acquire or, through the completion, with the owner's wait: the
//        owner sees what the helpers did.
//
// Thread safety: any strand.

#pragma once

#include <signal.h>

#include <cstdint>

namespace heddle::ult {

class SharedWork {
 public:
  // Called once for each part, for several at a time on different workers. On a helper it runs in
  // the TLS block of some ult that waits there, or of the kernel thread. It neither switches nor
  // blocks.
  virtual void do_part(std::uint32_t part) noexcept = 0;

 protected:
  ~SharedWork() = default;
};

// Does the parts 0 to parts - 1 of `work`, and returns when all are done. May switch.
void share(SharedWork& work, std::uint32_t parts) noexcept;

// Called in the handler of a crash. If the calling thread is a helper and the crash is a memory
// fault, this ends the help, restores the thread's signal mask and does not return.
void give_part_back(const siginfo_t& crash, const sigset_t& mask) noexcept;

}  // namespace heddle::ult
