// out_queue.h — what a stream has accepted and the kernel has not: copies of frames, and memory
// that is sent from where it lies.
//
// Thread safety: one thread at a time.

#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "net/transport/transport.h"

namespace heddle::transport {

class OutQueue {
 public:
  bool empty() const noexcept { return chunks_.empty(); }
  std::size_t bytes() const noexcept { return bytes_; }

  // Adds a copy of the parts, except for the first `skipped` bytes of them.
  void add_copy(std::span<const iovec> parts, std::size_t skipped);
  // The memory stays as it is until it has been sent, or is kept.
  void add_memory(Bytes memory, std::uint64_t key);
  // Memory with this key may change from now on: what has not been sent is copied.
  void keep(std::uint64_t key);

  // What to send next. / So much of it has been sent.
  int next(std::span<iovec> parts) const noexcept;
  void sent(std::size_t bytes) noexcept;
  void clear() noexcept;

 private:
  struct Chunk {
    const std::byte* at = nullptr;
    std::size_t bytes = 0;
    std::unique_ptr<std::byte[]> copy;  // or null
    std::size_t room = 0;               // behind it, in the copy
    std::uint64_t key = 0;              // of memory
  };
  static constexpr std::size_t kBlock = 16 << 10;

  std::byte* grow(std::size_t bytes);

  std::deque<Chunk> chunks_;
  std::size_t bytes_ = 0;
};

}  // namespace heddle::transport
