#include "mpi/p2p/receive.h"

#include "mpi/object/in_call.h"
#include "mpi/p2p/blocking_receive.h"

namespace heddle::p2p {

namespace {

Error make_request(datatype::Buffer buffer, const Source& from, request::Request::Life life,
                   object::Ref<ReceiveRequest>* made) {
  *made = request::make<ReceiveRequest>(buffer, from, life);
  if (!*made) return Error::make(MPI_ERR_NO_MEM, "no memory for a request");
  (*made)->hold(from.comm);
  return {};
}

}  // namespace

Error recv(datatype::Buffer buffer, const Source& from, MPI_Status* status) {
  BlockingReceive receive(buffer, from);
  const object::InCall in_call(from.comm, buffer.type);
  receive.begin();
  return receive.finish(status);
}

Error irecv(datatype::Buffer buffer, const Source& from, request::Request** request) {
  object::Ref<ReceiveRequest> made;
  if (Error e = make_request(buffer, from, request::Request::Life::kOnce, &made)) return e;
  made->begin();
  *request = made.leak();
  return {};
}

Error recv_init(datatype::Buffer buffer, const Source& from, request::Request** request) {
  object::Ref<ReceiveRequest> made;
  if (Error e = make_request(buffer, from, request::Request::Life::kPersistent, &made)) return e;
  *request = made.leak();
  return {};
}

}  // namespace heddle::p2p
