#include "mpi/io/mover.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace heddle::io {

void Mover::add(MPI_Offset offset, void* address, MPI_Count bytes, Done& done) {
  if (error_ != 0 || offset >= file_end_) return;
  const auto length = static_cast<std::size_t>(bytes);
  const bool is_full = entries_.size() == kMostEntries || pieces_.size() == kMostPieces ||
                       (length < kShort && filled_ + length > kBuffer);
  if (!pieces_.empty() && (offset != end_ || is_full)) flush();
  if (pieces_.empty()) begin_ = end_ = offset;
  end_ += bytes;
  auto* const at = static_cast<std::byte*>(address);
  if (length < kShort) return add_short(at, length, done);
  add_entry(at, length);
  pieces_.push_back({at, length, &done, nullptr});
}

void Mover::add_short(std::byte* address, std::size_t bytes, Done& done) {
  if (buffer_ == nullptr) buffer_.reset(new std::byte[kBuffer]);
  std::byte* const copy = buffer_.get() + filled_;
  filled_ += bytes;
  if (direction_ == Direction::kWrite) std::memcpy(copy, address, bytes);
  add_entry(copy, bytes);
  pieces_.push_back({address, bytes, &done, copy});
}

void Mover::add_entry(std::byte* address, std::size_t bytes) {
  if (!entries_.empty()) {
    iovec& last = entries_.back();
    if (static_cast<std::byte*>(last.iov_base) + last.iov_len == address) {
      last.iov_len += bytes;
      return;
    }
  }
  entries_.push_back({address, bytes});
}

void Mover::flush() noexcept {
  if (pieces_.empty()) return;
  const std::size_t moved = error_ == 0 ? move_all() : 0;
  const MPI_Offset moved_to = begin_ + static_cast<MPI_Offset>(moved);
  if (moved_to < end_) file_end_ = std::min(file_end_, moved_to);
  give_out(moved);
  entries_.clear();
  pieces_.clear();
  filled_ = 0;
}

std::size_t Mover::move_all() noexcept {
  std::size_t moved = 0;
  iovec* next = entries_.data();
  auto left = static_cast<int>(entries_.size());
  while (left > 0) {
    const off_t at = begin_ + static_cast<off_t>(moved);
    const ssize_t now = direction_ == Direction::kRead
                            ? preadv2(descriptor_, next, left, at, flags_)
                            : pwritev(descriptor_, next, left, at);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) error_ = errno;
    if (now == 0 && direction_ == Direction::kWrite) error_ = ENOSPC;
    if (now <= 0) break;
    moved += static_cast<std::size_t>(now);
    for (auto rest = static_cast<std::size_t>(now); rest > 0;) {
      const std::size_t step = std::min(rest, next->iov_len);
      next->iov_base = static_cast<std::byte*>(next->iov_base) + step;
      next->iov_len -= step;
      rest -= step;
      if (next->iov_len == 0) ++next, --left;
    }
  }
  return moved;
}

void Mover::give_out(std::size_t moved) noexcept {
  for (const Piece& piece : pieces_) {
    const std::size_t part = std::min(moved, piece.bytes);
    if (part == 0) break;
    if (piece.copy != nullptr && direction_ == Direction::kRead) {
      std::memcpy(piece.address, piece.copy, part);
    }
    // relaxed: the owner reads it when all have met again.
    piece.done->fetch_add(static_cast<MPI_Count>(part), std::memory_order_relaxed);
    moved -= part;
  }
}

}  // namespace heddle::io
