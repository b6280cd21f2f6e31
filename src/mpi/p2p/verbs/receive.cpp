#include "mpi/p2p/receive.h"

#include "mpi/lifetime/in_call.h"
#include "mpi/p2p/verbs/blocking_receive.h"

namespace heddle::p2p {

namespace {

class PersistentReceive final : public ReceiveRequest {
 public:
  PersistentReceive(datatype::Buffer buffer, const Source& from) noexcept
      : ReceiveRequest(buffer, from, Life::kPersistent) {}

 private:
  Error launch() override {
    begin(*this, true);
    return {};
  }
};

}  // namespace

Error recv_from_rank(datatype::Buffer buffer, const Source& from, MPI_Status* status) {
  BlockingReceive receive(buffer, from);
  const lifetime::InCall in_call(from.comm, buffer.type);
  receive.begin();
  return receive.finish(status);
}

Error recv_init(datatype::Buffer buffer, const Source& from, request::Request** request) {
  auto made = request::make<PersistentReceive>(buffer, from);
  if (!made) return request::no_memory();
  made->hold(from.comm);
  *request = made.leak();
  return {};
}

}  // namespace heddle::p2p
