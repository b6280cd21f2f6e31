#include "mpi/p2p/receive.h"

#include "mpi/object/in_call.h"
#include "mpi/p2p/blocking_receive.h"

namespace heddle::p2p {

Error recv(datatype::Buffer buffer, const Source& from, MPI_Status* status) {
  BlockingReceive receive(buffer, from);
  const object::InCall in_call(from.comm, buffer.type);
  receive.begin();
  return receive.finish(status);
}

Error recv_init(datatype::Buffer buffer, const Source& from, request::Request** request) {
  ReceiveRequest* const made = make_receive(buffer, from, request::Request::Life::kPersistent);
  if (made == nullptr) return request::no_memory();
  *request = made;
  return {};
}

}  // namespace heddle::p2p
