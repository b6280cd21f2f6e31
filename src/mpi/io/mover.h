// mover.h — hands the kernel pieces of a file: lists of addresses, for adjacent bytes of the file.
//
//   piece        offset in the file, address, bytes; in ascending order of offsets
//   batch        pieces that are adjacent in the file: one preadv or pwritev
//   hole         ends the batch. Nothing is read or written between pieces
//   short piece  of less than 128 bytes: goes by way of a buffer, since an entry of the list costs
//                the kernel as much as a copy of that length
//
// The kernel moves at most 0x7ffff000 bytes a call, and may move less than it is asked for; what is
// left is asked for again. A read ends at the file's end.
//
// Thread safety: none; on any kernel thread, outside of the scheduler.

#pragma once

#include <mpi.h>
#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

namespace heddle::io {

enum class Direction : bool { kRead, kWrite };

class Mover {
 public:
  // How many bytes of one rank's access have been moved; two strands may add to it.
  using Done = std::atomic<MPI_Count>;

  // kAtOnce, of reads: what would wait for a disk is the error EAGAIN.
  enum class Waits { kMayWait, kAtOnce };
  Mover(int descriptor, Direction direction, Waits waits = Waits::kMayWait) noexcept
      : descriptor_(descriptor),
        direction_(direction),
        flags_(waits == Waits::kAtOnce ? RWF_NOWAIT : 0) {}

  void add(MPI_Offset offset, void* address, MPI_Count bytes, Done& done);
  // Moves what is left. An errno, 0 for none: the first error, after which nothing is moved.
  int finish() noexcept {
    flush();
    return error_;
  }
  // Once it has finished: bytes that lie before are moved, those behind it are not.
  MPI_Offset end() const noexcept { return file_end_; }
  // What is added is not moved any more.
  bool is_over() const noexcept { return error_ != 0; }

 private:
  struct Piece {
    std::byte* address;
    std::size_t bytes;
    Done* done;
    const std::byte* copy;  // of a short piece, in the buffer
  };

  void add_short(std::byte* address, std::size_t bytes, Done& done);
  void add_entry(std::byte* address, std::size_t bytes);
  void flush() noexcept;
  std::size_t move_all() noexcept;
  void give_out(std::size_t moved) noexcept;

  static constexpr std::size_t kMostEntries = 1024;  // IOV_MAX
  static constexpr std::size_t kMostPieces = 16384;
  static constexpr std::size_t kShort = 128;
  static constexpr std::size_t kBuffer = std::size_t{1} << 18;

  const int descriptor_;
  const Direction direction_;
  const int flags_;
  int error_ = 0;
  MPI_Offset begin_ = 0, end_ = 0;  // of the batch
  // Once a read has met the file's end, or the kernel has moved less than it was asked for.
  MPI_Offset file_end_ = std::numeric_limits<MPI_Offset>::max();
  std::vector<iovec> entries_;
  std::vector<Piece> pieces_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t filled_ = 0;
};

}  // namespace heddle::io
