// receive_request.h — a receive: what it wants, where the payload goes, how it ended.
//
// Two cache lines hold all that a sender touches: what was asked for and the links in the table in
// one, completion and outcome in the other.
//
// Thread safety: see request.h. Between Port::receive and its match it belongs to its lane.

#pragma once

#include "mpi/datatype/buffer.h"
#include "mpi/match/posted_queue.h"
#include "mpi/p2p/target.h"
#include "mpi/request/request.h"

namespace heddle::p2p {

class ReceiveRequest final : public request::Request, public match::PostedReceive {
 public:
  // For a persistent receive or one that has a handle, call hold() as well.
  ReceiveRequest(datatype::Buffer buffer, const Source& source, Life life = Life::kOnce) noexcept
      : Request(life), buffer_(buffer) {
    key = source.pattern();
  }
  ~ReceiveRequest() override {
    if (lane != nullptr && !done()) [[unlikely]] {
      cancel();
      wait();  // a sender may be copying into the buffer
    }
  }

  // Keeps the communicator and the datatype alive as long as the request. Before begin().
  void hold(const comm::Comm* comm) noexcept { keep_alive(comm, buffer_.type); }
  // Of one in the place of a matched message, which held the communicator.
  void hold_type() noexcept { refer_also(buffer_.type); }

  // Starts it; true if it is done already, with the outcome written but no completion set. For
  // requests on the stack: one that somebody waits for needs begin().
  bool begin_quickly() noexcept;
  void begin() noexcept {
    if (begin_quickly()) complete();
  }

  // Writes the outcome of being matched with this message; returns how much of it is wanted.
  MPI_Count admit(const match::Envelope& envelope) noexcept {
    const MPI_Count room = buffer_.bytes();
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

  // The same, and the payload comes from `data`; with a lock only if it is small. Does not complete().
  void take_over(const match::Envelope& envelope, datatype::ConstBuffer data) noexcept;
  void end_cancelled() noexcept;

  datatype::Buffer buffer() const noexcept { return buffer_; }

  Error verdict() const override;
  std::uint64_t turn() const noexcept override { return order; }
  void cancel() noexcept override;

 private:
  Error launch() override {
    begin();
    return {};
  }

  const datatype::Buffer buffer_;
  MPI_Count incoming_bytes_ = 0;  // what the message had
};

}  // namespace heddle::p2p
