#include "net/transport/tcp/out_queue.h"

#include <algorithm>
#include <cstring>

namespace heddle::transport {

// Room behind what is there, or in a new block.
std::byte* OutQueue::grow(std::size_t bytes) {
  bytes_ += bytes;
  if (!chunks_.empty() && chunks_.back().room >= bytes) {
    Chunk& last = chunks_.back();
    auto* const at = const_cast<std::byte*>(last.at) + last.bytes;
    last.bytes += bytes;
    last.room -= bytes;
    return at;
  }
  const std::size_t room = std::max(bytes, kBlock);
  Chunk& made = chunks_.emplace_back();
  made.copy.reset(new std::byte[room]);
  made.at = made.copy.get();
  made.bytes = bytes;
  made.room = room - bytes;
  return made.copy.get();
}

void OutQueue::add_copy(std::span<const iovec> parts, std::size_t skipped) {
  std::size_t all = 0;
  for (const iovec& part : parts) all += part.iov_len;
  std::byte* to = grow(all - skipped);
  for (const iovec& part : parts) {
    const std::size_t without = std::min(skipped, part.iov_len);
    skipped -= without;
    const std::size_t bytes = part.iov_len - without;
    if (bytes == 0) continue;
    std::memcpy(to, static_cast<const std::byte*>(part.iov_base) + without, bytes);
    to += bytes;
  }
}

void OutQueue::add_memory(Bytes memory, std::uint64_t key) {
  Chunk& made = chunks_.emplace_back();
  made.at = memory.data();
  made.bytes = memory.size();
  made.key = key;
  bytes_ += memory.size();
}

void OutQueue::keep(std::uint64_t key) {
  for (Chunk& chunk : chunks_) {
    if (chunk.key != key) continue;
    chunk.copy.reset(new std::byte[chunk.bytes]);
    std::memcpy(chunk.copy.get(), chunk.at, chunk.bytes);
    chunk.at = chunk.copy.get();
    chunk.key = 0;
  }
}

int OutQueue::next(std::span<iovec> parts) const noexcept {
  const std::size_t count = std::min(parts.size(), chunks_.size());
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = {const_cast<std::byte*>(chunks_[i].at), chunks_[i].bytes};
  }
  return static_cast<int>(count);
}

void OutQueue::sent(std::size_t bytes) noexcept {
  bytes_ -= bytes;
  while (!chunks_.empty() && bytes >= chunks_.front().bytes) {
    bytes -= chunks_.front().bytes;
    chunks_.pop_front();
  }
  if (bytes == 0) return;
  chunks_.front().at += bytes;
  chunks_.front().bytes -= bytes;
}

void OutQueue::clear() noexcept {
  chunks_.clear();
  bytes_ = 0;
}

}  // namespace heddle::transport
