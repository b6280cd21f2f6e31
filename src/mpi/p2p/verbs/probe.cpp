#include "mpi/p2p/probe.h"

#include <utility>

#include "exec/ult/strand.h"
#include "mpi/lifetime/in_call.h"
#include "mpi/object/handle_table.h"
#include "mpi/p2p/port.h"
#include "mpi/p2p/receive.h"

namespace heddle::p2p {

namespace {

// What an MPI_Message is.
class MatchedMessage final : public lifetime::TransientObject {
 public:
  explicit MatchedMessage(Message& message) noexcept
      : TransientObject(object::Kind::kMessage), message_(&message) {}
  ~MatchedMessage() override {
    if (message_ != nullptr) Port::dispose(*message_);  // never received: the rank has ended
  }

  // The message. Once.
  Message& take() noexcept { return *std::exchange(message_, nullptr); }

  void hold(const comm::Comm* comm) noexcept { refer(comm, nullptr); }
  comm::Comm* comm() const noexcept {
    return const_cast<comm::Comm*>(static_cast<const comm::Comm*>(reference(0)));
  }

 private:
  Message* message_;
};

// The receive of MPI_MESSAGE_NO_PROC. It belongs to no communicator: with sessions alone a rank may
// have none.
class ReceiveFromNobody final : public request::Request {
 public:
  ReceiveFromNobody() noexcept : Request(Life::kOnce) {
    outcome_for_writing() = request::kFromNobody;
    complete_unseen();
  }
};

bool from_nobody(const Source& from, MPI_Status* status) {
  if (from.rank != MPI_PROC_NULL) return false;
  request::write_status(status, request::kFromNobody);
  return true;
}

void write_found(MPI_Status* status, const match::Envelope& found) {
  request::write_status(status, {found.key.source, found.key.tag, MPI_SUCCESS, false, found.bytes});
}

Error hand_out(Message& message, const Source& from, MPI_Message* handle, MPI_Status* status) {
  write_found(status, message.envelope());
  auto matched = lifetime::make_transient<MatchedMessage>(message);
  if (!matched) {
    Port::dispose(message);
    return Error::make(MPI_ERR_NO_MEM, "no memory for a message handle; the message is lost");
  }
  matched->hold(from.comm);
  *handle = reinterpret_cast<MPI_Message>(object::publish(matched.leak()));
  return {};
}

// Takes the object out of the handle.
Error redeem(MPI_Message* handle, object::Ref<MatchedMessage>* message) {
  const auto bits = reinterpret_cast<object::HandleBits>(*handle);
  object::Object* found = object::retire(object::Kind::kMessage, bits);
  if (found == nullptr) {
    return Error::make(MPI_ERR_REQUEST,
                       "argument message is %p, which is no message of this rank: received already "
                       "or never probed",
                       static_cast<void*>(*handle));
  }
  *handle = MPI_MESSAGE_NULL;
  *message = object::Ref<MatchedMessage>::adopt(static_cast<MatchedMessage*>(found));
  return {};
}

// A receive that is matched by hand, or not at all.
Source unmatched(const MatchedMessage& message) {
  return {message.comm(), 0, 0};
}

Error receive_from_nobody(request::Request** request) {
  auto receive = request::make<ReceiveFromNobody>();
  if (!receive) return Error::make(MPI_ERR_NO_MEM, "no memory for a request");
  *request = receive.leak();
  return {};
}

}  // namespace

Error probe(const Source& from, MPI_Status* status) {
  if (from_nobody(from, status)) return {};
  Port& port = Port::here();
  const match::Pattern wanted = from.pattern();
  match::Envelope found;
  while (!port.peek(wanted, &found)) {
    const lifetime::InCall in_call(from.comm, nullptr);
    port.wait_for(wanted);
  }
  write_found(status, found);
  return {};
}

Error iprobe(const Source& from, int* flag, MPI_Status* status) {
  *flag = 1;
  if (from_nobody(from, status)) return {};
  Port& port = Port::here();
  match::Envelope found;
  if (!port.peek(from.pattern(), &found)) {
    *flag = ult::relax() && port.peek(from.pattern(), &found);
  }
  if (*flag) write_found(status, found);
  return {};
}

Error mprobe(const Source& from, MPI_Message* message, MPI_Status* status) {
  if (from_nobody(from, status)) {
    *message = MPI_MESSAGE_NO_PROC;
    return {};
  }
  Port& port = Port::here();
  Message* found;
  const lifetime::InCall in_call(from.comm, nullptr);
  while ((found = port.take(from.pattern())) == nullptr) port.wait_for(from.pattern());
  return hand_out(*found, from, message, status);
}

Error improbe(const Source& from, int* flag, MPI_Message* message, MPI_Status* status) {
  *flag = 1;
  if (from_nobody(from, status)) {
    *message = MPI_MESSAGE_NO_PROC;
    return {};
  }
  Port& port = Port::here();
  const lifetime::InCall in_call(from.comm, nullptr);
  Message* found = port.take(from.pattern());
  if (found == nullptr && ult::relax()) found = port.take(from.pattern());
  *flag = found != nullptr;
  return found != nullptr ? hand_out(*found, from, message, status) : Error{};
}

MPI_Comm comm_of(const MPI_Message* message) noexcept {
  if (message == nullptr) return MPI_COMM_NULL;
  const auto* matched = object::find_as<MatchedMessage>(object::Kind::kMessage, *message);
  if (matched == nullptr || matched->comm()->handle() == 0) return MPI_COMM_NULL;
  return reinterpret_cast<MPI_Comm>(matched->comm()->handle());
}

Error mrecv(datatype::Buffer buffer, MPI_Message* message, MPI_Status* status,
            object::Ref<comm::Comm>* blamed) {
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    request::write_status(status, request::kFromNobody);
    return {};
  }
  object::Ref<MatchedMessage> matched;
  if (Error e = redeem(message, &matched)) return e;
  ReceiveRequest receive(buffer, unmatched(*matched));
  const lifetime::InCall in_call(matched->comm(), buffer.type);
  if (!Port::here().hand_over(matched->take(), receive)) receive.wait();
  request::write_status(status, receive.outcome());
  *blamed = object::Ref<comm::Comm>(matched->comm());
  return receive.verdict();
}

Error imrecv(datatype::Buffer buffer, MPI_Message* message, request::Request** request) {
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    return receive_from_nobody(request);
  }
  object::Ref<MatchedMessage> matched;
  if (Error e = redeem(message, &matched)) return e;
  const Source from = unmatched(*matched);
  Message& taken = matched->take();
  auto receive = lifetime::make_in_place_of<ReceiveRequest>(std::move(matched), buffer, from);
  receive->hold_type();
  if (Port::here().hand_over(taken, *receive)) receive->complete();
  *request = receive.leak();
  return {};
}

}  // namespace heddle::p2p
