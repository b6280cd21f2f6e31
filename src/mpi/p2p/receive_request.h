// receive_request.h — a receive: what it wants, where the payload goes, how it ended. receive.h
// starts it.
//
// Two cache lines hold all that a sender touches for a small blocking receive (blocking_receive.h):
// what was asked for and the links in the table in one; completion, outcome and payload in the
// other. Other receives touch a third line, which describes the program's buffer, and the buffer.
//
// A buffer in many short runs is many cache lines that the receiver's core has, and each would go
// to the sender's core and back. So a blocking receive takes a payload from another core packed,
// and its strand unpacks it (decision 124).
//
// Thread safety: see request.h. Between Port::receive and its match it belongs to its lane.

#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "mpi/datatype/buffer.h"
#include "mpi/match/posted_queue.h"
#include "mpi/p2p/target.h"
#include "mpi/request/request.h"

namespace heddle::p2p {

// A slot for a tiny payload; the waiting receiver copies it to the user's buffer. The sender writes
// one cache line less, and the receiver fetches one less.
struct Box {
  static constexpr MPI_Count kMost = 16;
  static constexpr std::uint8_t kUnused = 0xff;

  std::uint8_t box_room = kUnused;  // the program's buffer's, if that is at most kMost
  // Set by the strand that delivers; in one byte, since the line is full.
  bool boxed : 1 = false;           // or packed
  bool from_this_host : 1 = false;  // a source does not change its host
  std::uint8_t unused : 6 = 0;      // so that the byte is written without being read
  std::byte box[kMost];
};

// For reports: "a message from rank 3 with tag 7 (communicator 0)".
std::string message_that_fits(const match::Pattern& wanted);
std::string with_tag(std::uint64_t context, int tag);  // "with tag 7 (communicator 1)"
std::string from_rank(const match::Pattern& wanted);   // "from rank 1 with tag 7 (communicator 1)"

// The order of its bases is the order in memory, so that the box is beside the outcome.
class ReceiveRequest : public request::Request, private Box, public match::PostedReceive {
 public:
  // For a persistent receive or one that has a handle, call hold() as well.
  ReceiveRequest(datatype::Buffer buffer, const Source& source, Life life = Life::kBare) noexcept
      : Request(life), buffer_(buffer) {
    key = source.pattern();
  }
  ~ReceiveRequest() override {
    if (lane != nullptr && !done()) [[unlikely]] {
      cancel();
      wait();  // a sender may be copying into the buffer
    }
    if (packed_ != nullptr) [[unlikely]]
      drop_packed();
  }

  // Keeps the communicator and the datatype alive as long as the request. Before begin().
  void hold(const comm::Comm* comm) noexcept { keep_alive(comm, buffer_.type); }
  // Keeps the datatype alive for a receive that is made in the place of a matched message, which
  // has kept the communicator.
  void hold_type() noexcept { refer_also(buffer_.type); }

  // For a receive whose strand waits in its call, and then calls open_box(): a payload that fits
  // goes through the box, and one for a buffer in short runs may come packed. Before it starts.
  void use_box() noexcept {
    if (!buffer_.type->dense()) [[unlikely]]
      return allow_packed();
    const MPI_Count bytes = buffer_.bytes();
    if (bytes <= Box::kMost) box_room = static_cast<std::uint8_t>(bytes);
  }
  void open_box() noexcept {
    if (!boxed) return;
    if (packed_ != nullptr) [[unlikely]]
      return unpack();
    const auto bytes = static_cast<std::size_t>(outcome().bytes);
    if (bytes != 0) std::memcpy(buffer_.data, box, bytes);
  }

  // Writes the outcome of being matched with this message; returns how much of it is wanted.
  MPI_Count admit(const match::Envelope& envelope) noexcept {
    const MPI_Count room = box_room == Box::kUnused ? buffer_.bytes() : box_room;
    request::Outcome& outcome = outcome_for_writing();
    outcome.source = envelope.key.source;
    outcome.tag = envelope.key.tag;
    outcome.bytes = envelope.bytes;
    if (envelope.bytes > room) [[unlikely]] {
      outcome.bytes = room;
      outcome.error_class = MPI_ERR_TRUNCATE;
      incoming_bytes_ = envelope.bytes;
    }
    return outcome.bytes;
  }

  // Admits the message, and takes its payload from `data`; with a lock only if it is small. Does
  // not complete().
  void take_over(const match::Envelope& envelope, datatype::ConstBuffer data) noexcept;
  // Does what take_over() does, for a sender that finds this receive posted.
  void take_pushed(const match::Envelope& envelope, datatype::ConstBuffer data) noexcept;
  // Does what take_over() does without a switch, however long the payload is: for arrivals
  // (gateway.h).
  void take_arrived(const match::Envelope& envelope, datatype::ConstBuffer data) noexcept;
  // Where `bytes` bytes of a payload may be written as one piece; empty: nowhere.
  std::span<std::byte> place_for(MPI_Count bytes) const noexcept;
  // The sender is a rank of this host, so the next message may be a ring message.
  void note_sender_is_here() noexcept { from_this_host = true; }
  // From MPI_PROC_NULL.
  void take_nothing() noexcept { outcome_for_writing() = request::kFromNobody; }
  void end_cancelled() noexcept;

  datatype::Buffer buffer() const noexcept { return buffer_; }

  Error verdict() const override;
  std::string awaited() const override { return message_that_fits(key); }
  std::uint64_t posting_order() const noexcept override { return order; }
  void cancel() noexcept override;
  void stand_alone() noexcept override;
  bool spin() noexcept override;

 private:
  void look() noexcept override;
  bool spin_on_ring(match::Lane& its) noexcept;
  // It met its message while its strand spun.
  void note_spin(match::Lane& its) const noexcept;

  void allow_packed() noexcept;
  // Takes the first `bytes` bytes of `data` packed, if that is allowed and pays.
  bool take_packed(datatype::ConstBuffer data, MPI_Count bytes) noexcept;
  void unpack() noexcept;
  void drop_packed() noexcept;

  template <void (&kMove)(datatype::ConstBuffer, datatype::Buffer, MPI_Count) noexcept>
  void take_by(const match::Envelope& envelope, datatype::ConstBuffer data) noexcept;

  static constexpr int kNotPacked = -1;

  const datatype::Buffer buffer_;
  MPI_Count incoming_bytes_ = 0;  // what the message had
  void* packed_ = nullptr;        // from malloc
  int worker_ = kNotPacked;  // where its strand waits, if payloads from elsewhere may come packed

  friend class BlockingReceive;  // for its layout
};

}  // namespace heddle::p2p
