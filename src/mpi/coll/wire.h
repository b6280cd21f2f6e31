// wire.h — messages of collectives: their own plane, tags from tickets (ticket.h).
//
// Thread safety: any strand of the rank. All functions may switch.

#pragma once

#include <list>
#include <utility>

#include "base/error.h"
#include "mpi/coll/first_error.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/buffer.h"
#include "mpi/p2p/receive_request.h"
#include "mpi/p2p/send_request.h"

namespace heddle::coll {

// One way of talking to the peers of a communicator.
struct Wire {
  comm::Comm& comm;
  int tag;

  p2p::Target to(int rank) const noexcept { return {&comm, rank, tag, comm::Plane::kCollective}; }
  p2p::Source from(int rank) const noexcept { return {&comm, rank, tag, comm::Plane::kCollective}; }

  Error send(datatype::ConstBuffer data, int rank) const;
  Error receive(datatype::Buffer buffer, int rank) const;
  Error swap(datatype::ConstBuffer data, int to_rank, datatype::Buffer buffer, int from_rank) const;

  // Receives from a rank that others depend on, and that may have nothing to give because it has
  // failed: then it sends zero bytes, and that is an error where some are expected.
  Error receive_unless_failed(datatype::Buffer buffer, int rank) const;
  Error swap_unless_failed(datatype::ConstBuffer data, datatype::Buffer buffer, int rank) const;
};

// What a rank sends to itself has to fit, as if it were a message; the second does so.
Error fits_oneself(const datatype::ConstBuffer& data, const datatype::Buffer& buffer);
Error to_oneself(datatype::ConstBuffer data, datatype::Buffer buffer);

// What a message says that was cancelled.
[[gnu::cold]] Error not_taken();

// Several messages under way at a time.
class Batch {
 public:
  // How many messages a caller starts before it waits.
  static constexpr std::size_t kWindow = 32;

  explicit Batch(const Wire& wire) noexcept : wire_(wire) {}

  void receive(datatype::Buffer buffer, int rank);
  // The buffer is in use until wait() or finish().
  void send(datatype::ConstBuffer data, int rank);
  // Something else has failed; the messages go on.
  void note(Error error) noexcept { error_.note(std::move(error)); }

  std::size_t pending() const noexcept { return receives_.size() + sends_.size(); }

  // True if something has failed.
  bool failed() const noexcept { return error_.any(); }

  // Returns when all are done. With the first error of the batch.
  void wait();
  Error finish();
  // For a batch of sends: wait(request, rank) waits for the one to that rank, and may cancel it.
  template <class Wait>
  void wait_by(Wait&& wait);

 private:
  struct Send {
    Send(const datatype::ConstBuffer& data, const p2p::Target& to) noexcept
        : rank(to.rank), request(data, to) {}
    const int rank;
    p2p::SendRequest request;
  };

  const Wire wire_;
  FirstError error_;
  // Lists, because they allocate nothing while they are empty.
  std::list<p2p::ReceiveRequest> receives_;
  std::list<Send> sends_;  // those that wait for their receiver
};

template <class Wait>
void Batch::wait_by(Wait&& wait) {
  for (Send& send : sends_) {
    wait(send.request, send.rank);
    if (send.request.outcome().cancelled) note(not_taken());
  }
  sends_.clear();
}

}  // namespace heddle::coll
