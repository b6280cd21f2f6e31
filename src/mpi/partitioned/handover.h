// handover.h — the partitions of one message between two ranks of a host, written straight into the
// receiver's buffer.
//
//   round k of a partition   by                                     then
//   -----------------------  -------------------------------------  -------------------------------
//   absent ──► ready         the sender's strand that marks it      has the receiver begun round k?
//                                                                   take() it
//   ready ──► taken          take(): the marking strand, or the     it copies
//                            receiver's, in begin_receive()
//   taken                    the same, when it has copied           one less is missing; the last
//                                                                   completes both
//   taken ──► there          the same                               it touches nothing afterwards
//
// The state of a partition is 4 * round + step and only grows, so that no round needs a reset:
// `there` of round k is `absent` of round k + 1.
//
// Invariants
//   I1  A partition that is ready in a round that the receiver has begun is taken: the sender marks
//       it and then looks at `begun_`, the receiver sets `begun_` and then looks at all partitions;
//       both in the one order of seq_cst.
//   I2  Exactly one strand takes a partition in each round (a compare-and-swap), so it is copied
//       once.
//   I3  `missing_` is set by the sender before it marks the first partition of a round, when none
//       is taken.
//   I4  The strand that brings `missing_` to 0 completes the receiver and then the sender. So where
//       all partitions are there, the receiver is complete.
//   I5  Strands may still be between their count and `there` when a round is over: mark() waits for
//       that of its partition, and the end of a side for all. So the handover outlives them.
//
// A side that is destroyed while active (a rank that ends early) is never complete: its end lets no
// other copy begin.
//
// Thread safety: mark() any strand of the sender; has() any of the receiver; the others the owner
// of that side.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "mpi/datatype/buffer.h"
#include "mpi/request/request.h"

namespace heddle::partitioned {

class Handover {
 public:
  // Makes a handover with two references: the sender's and the offer's. nullptr: no memory.
  // `partitions`: at least one.
  static Handover* make(request::Request& sender, datatype::ConstBuffer data,
                        int partitions) noexcept;
  void release() noexcept;

  // ---- the sender: one round after the other
  void begin_send() noexcept;
  // False: it is marked already. May switch: it may copy the partition.
  bool mark(int partition) noexcept;
  void end_send() noexcept;

  // ---- the receiver
  // The bytes that do not fit are left out. May switch: it copies what is ready.
  void begin_receive(request::Request& receiver, datatype::Buffer data) noexcept;
  // True if these bytes of the message have come in this round of the receiver.
  bool has(std::uint64_t round, MPI_Count begin, MPI_Count end) const noexcept;
  void end_receive() noexcept;

 private:
  using State = std::atomic<std::uint64_t>;
  enum Step : std::uint64_t { kReady = 1, kTaken = 2, kThere = 3 };
  static constexpr std::uint64_t state(std::uint64_t round, Step step) noexcept {
    return 4 * round + step;
  }

  Handover(request::Request& sender, datatype::ConstBuffer data, int partitions,
           std::unique_ptr<State[]> states) noexcept;

  void take(int partition, std::uint64_t round) noexcept;
  void copy(int partition) const noexcept;
  // Ends this side, and gives up its share of the handover.
  void close(request::Request& side) noexcept;

  request::Request& sender_;
  const datatype::ConstBuffer from_;
  const int partitions_;
  const MPI_Count bytes_;  // of each
  const std::unique_ptr<State[]> states_;
  std::uint64_t round_ = 0;  // the sender's

  // The receiver's, constant while a round that it has begun is not over.
  request::Request* receiver_ = nullptr;
  datatype::Buffer into_;
  std::atomic<std::uint64_t> begun_{0};  // its round

  std::atomic<std::int64_t> missing_{0};
  std::atomic<bool> closed_{false};  // no copy begins any more
  std::atomic<int> references_{2};
};

}  // namespace heddle::partitioned
