#include "mpi/p2p/port.h"

#include <exception>
#include <new>
#include <utility>

#include "base/settings.h"
#include "base/standing.h"
#include "exec/ult/completion.h"
#include "exec/ult/stillness.h"
#include "mpi/p2p/receive_request.h"
#include "mpi/p2p/remote/remote_message.h"
#include "mpi/p2p/send_request.h"

namespace heddle::p2p {

// To wait for the receiver costs less than a copy from 1 KiB on (docs/bench-notes/eager-limit.md);
// the default is higher, so that a sender that has something else to do is not held up by little.
const MPI_Count Port::eager_limit_ = settings::value(settings::Id::kEagerLimit);

// A strand that waits in MPI_Probe, on its stack.
class Port::Prober final : public match::Watcher {
 public:
  using Watcher::Watcher;
  void arrived() noexcept override { arrived_.set(); }
  void wait() noexcept { arrived_.wait(); }

 private:
  ult::Completion arrived_;
};

// The host gives up the port: its gateway is closed already.
void Port::drop(Message& message) noexcept {
  if (message.home == Home::kRemote) {
    RemoteMessage::destroy(&static_cast<RemoteMessage&>(message));
  } else {
    dispose(message);
  }
}

Port::~Port() {
  matcher_.clear(
      [](match::UnexpectedMessage& left) { drop(static_cast<Message&>(left)); },
      [](match::UnexpectedMessage& spare) { Cell::destroy(static_cast<Cell*>(&spare)); });
}

namespace {

template <class Visit>
void for_each_plane(world::ContextId context, Visit&& visit) noexcept {
  for (const Plane plane :
       {Plane::kUser, Plane::kCollective, Plane::kMaking, Plane::kPartitioned}) {
    visit(match::context_of(context, static_cast<unsigned>(plane)));
  }
}

}  // namespace

void Port::forget_idle(world::ContextId context) noexcept {
  for_each_plane(context, [&](match::MatchContext each) { matcher_.forget_idle(each); });
}

void Port::forget(world::ContextId context) noexcept {
  for_each_plane(context, [&](match::MatchContext each) { matcher_.forget(each); });
}

void Port::deliver(match::PostedReceive& posted, const match::Envelope& envelope,
                   datatype::ConstBuffer data) noexcept {
  note_received(envelope);
  auto& receive = static_cast<ReceiveRequest&>(posted);
  receive.take_pushed(envelope, data);
  receive.note_sender_is_here();
  receive.complete();
}

namespace {
datatype::ConstBuffer payload_of(const match::EagerSlot& slot) noexcept {
  return {slot.data, slot.bytes, &datatype::named(MPI_BYTE)};
}
}  // namespace

void Port::Delivery::deliver(match::PostedReceive& receive, const match::Key& key,
                             const match::EagerSlot& slot) noexcept {
  port_.deliver(receive, {key, slot.bytes}, payload_of(slot));
}

// The sender has gone on, so there is nowhere to report that no memory is left.
match::UnexpectedMessage& Port::Delivery::copy(const match::LaneHeld& lane, const match::Key& key,
                                               const match::EagerSlot& slot) noexcept {
  auto* cell = static_cast<Cell*>(lane.take_spare(slot.bytes));
  if (cell == nullptr) cell = Cell::make(slot.bytes);
  if (cell == nullptr) std::terminate();
  cell->fill(key, slot.data, slot.bytes);
  return *cell;
}

void Port::Delivery::discard(match::UnexpectedMessage& spare) noexcept {
  Cell::destroy(static_cast<Cell*>(&spare));
}

bool Port::send_small(const match::Key& key, datatype::ConstBuffer data) noexcept {
  const MPI_Count bytes = data.bytes();
  match::Lane* const probably = matcher_.find(key);
  if (probably != nullptr && probably->ring_is_open() && bytes <= match::EagerSlot::kMost) {
    if (matcher_.send_by_ring(*probably, key, data.data, static_cast<std::size_t>(bytes))) {
      return true;
    }
  }
  bool kept = false;
  match::PostedReceive* const posted =
      matcher_.arrive(probably, key, [&](match::LaneHeld lane) -> Cell* {
        auto* const cell = static_cast<Cell*>(lane.take_spare(bytes));
        kept = cell != nullptr;
        if (kept) cell->fill(key, data.data, bytes);
        return cell;
      });
  if (posted != nullptr) {
    deliver(*posted, {key, bytes}, data);
    return true;
  }
  return kept || send_in_new_cell(key, data);
}

// A function of its own, so that send_small() keeps its values in registers.
[[gnu::noinline]] bool Port::send_in_new_cell(const match::Key& key,
                                              datatype::ConstBuffer data) noexcept {
  const MPI_Count bytes = data.bytes();
  Cell* const cell = Cell::make(bytes);
  if (cell == nullptr) return false;
  cell->fill(key, data.data, bytes);
  // A receive may have come meanwhile.
  match::PostedReceive* const posted = matcher_.arrive(key, [=](match::LaneHeld) { return cell; });
  if (posted != nullptr) {
    Cell::destroy(cell);
    deliver(*posted, {key, bytes}, data);
  }
  return true;
}

bool Port::offer_posted(const match::Key& key, datatype::ConstBuffer data) noexcept {
  match::PostedReceive* posted = matcher_.arrive(key, [](match::LaneHeld) { return nullptr; });
  if (posted == nullptr) return false;
  deliver(*posted, {key, data.bytes()}, data);
  return true;
}

Error Port::send_copied(const match::Key& key, datatype::ConstBuffer data, Deposit deposit) {
  HeapMessage* message = HeapMessage::copy_of(key, data, std::move(deposit));
  if (message == nullptr) {
    return Error::make(MPI_ERR_NO_MEM, "no memory for a copy of a message of %lld bytes",
                       static_cast<long long>(data.bytes()));
  }
  match::PostedReceive* posted = matcher_.arrive(key, [=](match::LaneHeld) { return message; });
  if (posted != nullptr) {
    // The message's deposit is back before any strand can know that it has been received.
    auto& receive = static_cast<ReceiveRequest&>(*posted);
    hand_over(*message, receive);
    receive.complete();
  }
  return {};
}

bool Port::offer(SendRequest& request) noexcept {
  match::PostedReceive* posted =
      matcher_.arrive(request.key, [&request](match::LaneHeld) { return &request; });
  if (posted == nullptr) return false;
  deliver(*posted, request.envelope(), request.data);
  return true;
}

bool Port::receive(ReceiveRequest& request, bool attended) noexcept {
  if (request.key.source == MPI_PROC_NULL) [[unlikely]] {
    request.take_nothing();
    return true;
  }
  Message* message = nullptr;
  const auto take = [&](match::UnexpectedMessage& oldest) {
    message = static_cast<Message*>(&oldest);
    if (message->home != Home::kCell || !request.buffer().type->dense()) return false;
    auto& cell = static_cast<Cell&>(*message);
    if (!cell.small()) return false;
    note_received(cell.envelope());
    // Taking the lock again for the cell would cost more.
    request.take_over(cell.envelope(), cell.data);
    message = nullptr;
    return true;
  };
  const auto open = [&](const match::EagerSlot& slot) {
    const match::Envelope envelope{request.key, slot.bytes};
    note_received(envelope);
    request.take_over(envelope, payload_of(slot));
  };
  const bool found = matcher_.post(request, attended, take, open);
  return message != nullptr ? hand_over(*message, request) : found;
}

bool Port::hand_over(Message& message, ReceiveRequest& request) noexcept {
  note_received(message.envelope());
  if (message.home == Home::kRemote) [[unlikely]] {
    auto& remote = static_cast<RemoteMessage&>(message);
    return remote.origin.carrier.receive(request, remote);
  }
  request.take_over(message.envelope(), message.data);
  dispose(message);
  return true;
}

ReceiveRequest* Port::take_posted(const match::Envelope& envelope) noexcept {
  match::PostedReceive* posted =
      matcher_.arrive(envelope.key, [](match::LaneHeld) { return nullptr; });
  if (posted == nullptr) return nullptr;
  note_received(envelope);
  return static_cast<ReceiveRequest*>(posted);
}

void Port::arrive(RemoteMessage& message) noexcept {
  match::PostedReceive* posted =
      matcher_.arrive(message.key, [&message](match::LaneHeld) { return &message; });
  if (posted == nullptr) return;
  note_received(message.envelope());
  auto& request = static_cast<ReceiveRequest&>(*posted);
  if (message.origin.carrier.receive(request, message)) request.complete();
}

void Port::wait_for(const match::Pattern& wanted) noexcept {
  Prober prober(wanted);
  if (!matcher_.watch(prober)) return;
  const ult::NotedWait noted({Standing::mine.call,
                              [](const void* subject) {
                                return message_that_fits(
                                    *static_cast<const match::Pattern*>(subject));
                              },
                              &wanted});
  prober.wait();
}

void Port::note_received_slow(const match::Envelope& envelope) const noexcept {
  const match::Key& key = envelope.key;
  if (match::plane_of(key.context) != static_cast<unsigned>(Plane::kUser)) return;
  observe::message_received({rank_, key.source, key.context, key.tag, envelope.bytes});
}

void Port::dispose(Message& message) noexcept {
  switch (message.home) {
    case Home::kCell:
      match::Matcher::give_back(message);
      break;
    case Home::kHeap: {
      auto& heap = static_cast<HeapMessage&>(message);
      HeapMessage::destroy(&heap);
      break;
    }
    case Home::kSender:
      static_cast<SendRequest&>(message).complete();
      break;
    case Home::kRemote: {
      auto& remote = static_cast<RemoteMessage&>(message);
      remote.origin.carrier.refuse(remote);
      break;
    }
  }
}

namespace {

// The first few of a list, in words.
class Few {
 public:
  void add(const std::string& one) {
    if (++count_ > kMost) return;
    text_ += (count_ == 1 ? "" : ", ") + one;
  }
  std::string line(const char* title) const {
    if (count_ == 0) return {};
    return title + (" (" + std::to_string(count_) + "): ") + text_ +
           (count_ > kMost ? ", ..." : "");
  }

 private:
  static constexpr int kMost = 4;

  int count_ = 0;
  std::string text_;
};

bool is_of_user(const match::Key& key) noexcept {
  return match::plane_of(key.context) == static_cast<unsigned>(Plane::kUser);
}

}  // namespace

std::string Port::describe_queues(const std::string& before) {
  Few posted, kept, by_ring;
  const auto add = [](Few& list, const match::Envelope& one) {
    if (!is_of_user(one.key)) return;
    list.add(std::to_string(one.bytes) + " bytes " + from_rank(one.key));
  };
  matcher_.for_each(
      [&posted](const match::PostedReceive& one) {
        if (is_of_user(one.key)) posted.add(from_rank(one.key));
      },
      [&](const match::Envelope& one) { add(kept, one); },
      [&](const match::Envelope& one) { add(by_ring, one); });
  std::string lines;
  for (const std::string& line :
       {posted.line("posted receives"), kept.line("unexpected messages"),
        by_ring.line("messages that a posted receive has not taken yet")}) {
    if (!line.empty()) lines += before + line;
  }
  return lines;
}

}  // namespace heddle::p2p
