#include "mpi/p2p/sendrecv.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include "mpi/lifetime/in_call.h"
#include "mpi/p2p/receive.h"
#include "mpi/p2p/send.h"
#include "mpi/p2p/verbs/blocking_receive.h"

namespace heddle::p2p {

namespace {

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
using PackedCopy = std::unique_ptr<void, Free>;

// A packed copy of the buffer; null without memory.
PackedCopy copy_of(datatype::ConstBuffer data) {
  // Allocates one byte more: malloc(0) may return null.
  PackedCopy copy(std::malloc(static_cast<std::size_t>(data.bytes()) + 1));
  if (copy != nullptr) datatype::pack(data, 0, copy.get(), data.bytes());
  return copy;
}

datatype::ConstBuffer packed(const PackedCopy& copy, MPI_Count bytes) {
  return {copy.get(), bytes, &datatype::named(MPI_BYTE)};
}

Error no_memory(MPI_Count bytes) {
  return Error::make(MPI_ERR_NO_MEM, "no memory for a copy of %lld bytes and a request",
                     static_cast<long long>(bytes));
}

class SendrecvRequest final : public request::Request {
 public:
  SendrecvRequest(datatype::ConstBuffer data, const Target& to, datatype::Buffer buffer,
                  const Source& from, PackedCopy copy) noexcept
      : Request(Life::kOnce), copy_(std::move(copy)), receive_(buffer, from), send_(data, to) {
    adopt(receive_);
    adopt(send_);
  }

  void hold(const comm::Comm* comm) noexcept {
    keep_alive(comm, receive_.buffer().type, send_.data.type);
  }

  ~SendrecvRequest() override {
    if (done()) [[likely]]
      return;
    receive_.cancel();
    send_.take_back();
    wait();
  }

  Error begin(const Target& to) {
    p2p::begin(receive_, true);
    return p2p::begin(send_, to, Mode::kStandard);
  }
  Error verdict() const override { return receive_.verdict(); }
  void cancel() noexcept override { receive_.cancel(); }
  void stand_alone() noexcept override { receive_.stand_alone(); }
  // The receive first: it may be for this strand to bring its ring message in.
  bool spin() noexcept override { return receive_.spin() && completion().spin(); }

 private:
  void look() noexcept override { static_cast<void>(receive_.done()); }
  void parts_completed() noexcept override { outcome_for_writing() = receive_.outcome(); }

  const PackedCopy copy_;  // what is sent, where the buffer is replaced
  ReceiveRequest receive_;
  SendRequest send_;
};

Error start(object::Ref<SendrecvRequest> made, const Target& to, MPI_Count bytes,
            request::Request** out) {
  if (!made) return no_memory(bytes);
  made->hold(to.comm);
  if (Error e = made->begin(to)) return e;
  *out = made.leak();
  return {};
}

}  // namespace

Error sendrecv_from_nobody(datatype::ConstBuffer data, const Target& to, MPI_Status* status) {
  if (Error e = send(data, to)) return e;
  if (status != MPI_STATUS_IGNORE) request::write_status(status, request::kFromNobody);
  return {};
}

Error sendrecv_from_rank(datatype::ConstBuffer data, const Target& to, datatype::Buffer buffer,
                         const Source& from, MPI_Status* status) {
  const lifetime::InCall in_call(to.comm, buffer.type, data.type);
  BlockingReceive receive(buffer, from);
  receive.begin();
  if (Error e = send(data, to)) return e;
  return receive.finish(status);
}

Error sendrecv_replace(datatype::Buffer buffer, const Target& to, const Source& from,
                       MPI_Status* status) {
  const PackedCopy copy = copy_of(buffer);
  if (copy == nullptr) return no_memory(buffer.bytes());
  return sendrecv(packed(copy, buffer.bytes()), to, buffer, from, status);
}

Error isendrecv(datatype::ConstBuffer data, const Target& to, datatype::Buffer buffer,
                const Source& from, request::Request** request) {
  return start(request::make<SendrecvRequest>(data, to, buffer, from, nullptr), to, 0, request);
}

Error isendrecv_replace(datatype::Buffer buffer, const Target& to, const Source& from,
                        request::Request** request) {
  PackedCopy copy = copy_of(buffer);
  if (copy == nullptr) return no_memory(buffer.bytes());
  const datatype::ConstBuffer data = packed(copy, buffer.bytes());
  return start(request::make<SendrecvRequest>(data, to, buffer, from, std::move(copy)), to,
               buffer.bytes(), request);
}

}  // namespace heddle::p2p
