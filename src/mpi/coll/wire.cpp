#include "mpi/coll/wire.h"

#include "mpi/p2p/message.h"
#include "mpi/p2p/receive.h"
#include "mpi/p2p/send.h"
#include "mpi/p2p/sendrecv.h"
#include "mpi/request/status.h"

namespace heddle::coll {

Error Wire::send(datatype::ConstBuffer data, int rank) const {
  return p2p::send(data, to(rank));
}

Error Wire::receive(datatype::Buffer buffer, int rank) const {
  return p2p::recv(buffer, from(rank), MPI_STATUS_IGNORE);
}

Error Wire::swap(datatype::ConstBuffer data, int to_rank, datatype::Buffer buffer,
                 int from_rank) const {
  return p2p::sendrecv(data, to(to_rank), buffer, from(from_rank), MPI_STATUS_IGNORE);
}

namespace {

Error unless_nothing_came(Error error, const MPI_Status& status, const datatype::Buffer& buffer) {
  if (error || buffer.bytes() == 0 || request::bytes_of(status) != 0) return error;
  return Error::make(MPI_ERR_OTHER, "a rank that this one depends on has failed");
}

}  // namespace

Error Wire::receive_unless_failed(datatype::Buffer buffer, int rank) const {
  MPI_Status status;
  Error error = p2p::recv(buffer, from(rank), &status);
  return unless_nothing_came(std::move(error), status, buffer);
}

Error Wire::swap_unless_failed(datatype::ConstBuffer data, datatype::Buffer buffer,
                               int rank) const {
  MPI_Status status;
  Error error = p2p::sendrecv(data, to(rank), buffer, from(rank), &status);
  return unless_nothing_came(std::move(error), status, buffer);
}

Error fits_oneself(const datatype::ConstBuffer& data, const datatype::Buffer& buffer) {
  if (data.bytes() <= buffer.bytes()) return {};
  return Error::make(MPI_ERR_TRUNCATE, "the rank sends %lld bytes to itself but receives %lld",
                     static_cast<long long>(data.bytes()), static_cast<long long>(buffer.bytes()));
}

Error to_oneself(datatype::ConstBuffer data, datatype::Buffer buffer) {
  if (Error e = fits_oneself(data, buffer)) return e;
  p2p::transfer(data, buffer, data.bytes());
  return {};
}

Error not_taken() {
  return Error::make(MPI_ERR_OTHER, "a rank that this one depends on is in another collective");
}

void Batch::receive(datatype::Buffer buffer, int rank) {
  p2p::begin(receives_.emplace_back(buffer, wire_.from(rank)), true);
}

void Batch::send(datatype::ConstBuffer data, int rank) {
  const p2p::Target to = wire_.to(rank);
  if (p2p::Port* const port = p2p::eager_port(data.bytes(), to)) {
    note(port->send_eager(to.key(), data));
    return;
  }
  Error error = p2p::begin(sends_.emplace_back(data, to).request, to, p2p::Mode::kStandard);
  if (!error) return;
  sends_.pop_back();  // it would never complete
  note(std::move(error));
}

void Batch::wait() {
  wait_by([](request::Request& request, int) { request.wait(); });
  for (p2p::ReceiveRequest& receive : receives_) {
    receive.wait();
    note(receive.verdict());
  }
  receives_.clear();
}

Error Batch::finish() {
  wait();
  return error_.take();
}

}  // namespace heddle::coll
