// blocking_receive.h — the receive of a call that waits for it, on its stack.
//
// It lies so that a sender, and the strand that waits, touch as few cache lines as there can be:
//
//   line      0           1                           2                3
//   what      (constant)  completion, outcome, box    PostedReceive    the program's buffer
//   a sender              writes                      finds it here    reads where the box is too
//                                                                      small
//
// Thread safety: the strand that receives.

#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/platform/cpu.h"
#include "mpi/p2p/port.h"
#include "mpi/p2p/receive_request.h"

namespace heddle::p2p {

class BlockingReceive {
 public:
  BlockingReceive(datatype::Buffer buffer, const Source& from) noexcept : receive_(buffer, from) {
    assert(line_of(&receive_.completion()) == line_of(receive_.box + Box::kMost - 1));
    assert(line_of(&receive_.key) == line_of(&receive_.lane));
    receive_.use_box();
  }

  void begin() noexcept { done_ = Port::here().receive(receive_, true); }

  // Returns when it is done. May switch.
  Error finish(MPI_Status* status) {
    if (!done_) receive_.wait();
    receive_.open_box();
    request::write_status(status, receive_.outcome());
    return receive_.verdict();
  }

 private:
  static std::uintptr_t line_of(const void* address) noexcept {
    return reinterpret_cast<std::uintptr_t>(address) / platform::kCacheLine;
  }

  bool done_ = false;
  alignas(platform::kCacheLine) std::byte before_[32];
  ReceiveRequest receive_;
};

}  // namespace heddle::p2p
