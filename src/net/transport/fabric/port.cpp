#include "net/transport/fabric/port.h"

#include <rdma/fi_cm.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace heddle::transport {

namespace {

// One look takes at most this many completions, so that other channels get their turn.
constexpr int kCompletionsPerLook = 64, kBatch = 16;

constexpr std::size_t kLongestName = 256;

Operation& operation_of(void* context) noexcept {
  return *static_cast<Operation*>(context);
}

}  // namespace

Port::Port(const Provider& provider, Losses& losses, const WireEnd& end, int window)
    : provider_(provider),
      losses_(losses),
      end_(end),
      window_(window),
      peers_(static_cast<std::size_t>(end.hosts)) {}

Port::~Port() = default;

Address Port::name() const {
  Address name(kLongestName);
  std::size_t bytes = name.size();
  if (fi_getname(&endpoint_->fid, name.data(), &bytes) != 0) bytes = 0;
  name.resize(std::min(bytes, name.size()));
  return name;
}

Error Port::connect(int host, Bytes name) {
  fi_addr_t address = FI_ADDR_UNSPEC;
  const int inserted = fi_av_insert(addresses_.get(), name.data(), 1, &address, 0, nullptr);
  if (inserted != 1) return provider_.failed("fi_av_insert", inserted < 0 ? inserted : FI_EINVAL);
  peer(host).address = address;
  return {};
}

// ---- out

bool Port::try_send(int to_host, Bytes head, Bytes body) noexcept {
  assert(head.size() + body.size() <= end_.packet_bytes);
  const Peer& to = peer(to_host);
  if (to.incoming.has_ended || is_cut_off(to_host)) return true;  // T6, T7
  refused_ =
      to.in_window >= window_ || !submit(to_host, WireKind::kPacket, head, body);  // I1 of fabric.h
  return !refused_;
}

bool Port::submit(int host, WireKind kind, Bytes head, Bytes body) noexcept {
  SendSlot* const slot = slots_->take();
  if (slot == nullptr) return false;
  Peer& to = peer(host);
  WireHead wire;
  wire.key = end_.key;
  wire.number = to.next_out++;
  wire.bytes = static_cast<std::uint32_t>(head.size() + body.size());
  wire.from = end_.host;
  wire.to = host;
  wire.channel = static_cast<std::uint16_t>(end_.channel);
  wire.kind = kind;
  const std::size_t used = sizeof wire + head.size() + body.size();
  std::byte* const payload = slot->memory + sizeof wire;
  std::memcpy(slot->memory, &wire, sizeof wire);
  if (!head.empty()) std::memcpy(payload, head.data(), head.size());
  if (!body.empty()) std::memcpy(payload + head.size(), body.data(), body.size());
  slot->to = host;
  slot->bytes = wire_bytes(wire.bytes);
  std::memset(slot->memory + used, 0, slot->bytes - used);
  ++to.in_window;
  ++unfinished_;
  if (to.queue.empty() && post(*slot) != Posted::kLater) return true;  // I2 of fabric.h
  to.queue.push_back(*slot);
  if (!to.linked()) queued_.push_back(to);
  return true;
}

bool Port::try_read(const Endpoint::Read& read) noexcept {
  refused_ = !start_read(read);
  return !refused_;
}

bool Port::start_read(const Endpoint::Read& read) noexcept {
  Peer& from = peer(read.from_host);
  if (from.incoming.has_ended || is_cut_off(read.from_host)) return true;  // T9
  if (from.reads >= Reads::kMost) return false;
  const long code = reads_->post(*endpoint_, from.address, read);
  if (code == -FI_EAGAIN) return false;
  if (code != 0) {
    losses_.lose(read.from_host);
    return true;
  }
  ++from.reads;
  ++unfinished_;
  return true;
}

Port::Posted Port::post(SendSlot& slot) noexcept {
  const ssize_t code = fi_send(endpoint_.get(), slot.memory, slot.bytes, slot.descriptor,
                               peer(slot.to).address, static_cast<Operation*>(&slot));
  if (code == 0) return Posted::kYes;
  if (code == -FI_EAGAIN) return Posted::kLater;
  const int host = slot.to;
  finished(slot);
  if (!peer(host).incoming.has_ended) losses_.lose(host);
  return Posted::kFailed;
}

bool Port::send_queued() noexcept {
  bool any = false;
  IntrusiveList<Peer> again;
  while (Peer* to = queued_.pop_front()) {
    bool refused = false;
    while (SendSlot* slot = refused ? nullptr : to->queue.pop_front()) {
      refused = post(*slot) == Posted::kLater;
      if (refused) to->queue.push_front(*slot);
      any |= !refused;
    }
    if (refused) again.push_back(*to);
  }
  while (Peer* to = again.pop_front()) queued_.push_back(*to);
  return any;
}

void Port::finished(SendSlot& slot) noexcept {
  --peer(slot.to).in_window;
  --unfinished_;
  slots_->free(slot);
}

Reader& Port::finished(ReadOperation& read) noexcept {
  --peer(read.from).reads;
  --unfinished_;
  reads_->finished(read);
  return *read.reader;
}

void Port::drop(int host) noexcept {
  Peer& lost = peer(host);
  while (SendSlot* slot = lost.queue.pop_front()) {
    finished(*slot);
    --lost.next_out;  // these were the last ones, and a farewell may follow
  }
  if (lost.linked()) IntrusiveList<Peer>::erase(lost);
}

// ---- in

bool Port::poll(Upcall* upcall) noexcept {
  bool any = send_queued();
  if (!idle_.empty()) any |= post_idle_buffers();
  fi_cq_data_entry entries[kBatch];
  for (int taken = 0; taken < kCompletionsPerLook;) {
    const ssize_t count = fi_cq_read(queue_.get(), entries, kBatch);
    if (count == -FI_EAVAIL) {
      fail();
      ++taken;
      any = true;
      continue;
    }
    if (count <= 0) break;
    for (ssize_t i = 0; i < count; ++i) complete(entries[i], upcall);
    taken += static_cast<int>(count);
    any = true;
  }
  return any;
}

void Port::complete(const fi_cq_data_entry& entry, Upcall* upcall) noexcept {
  Operation& operation = operation_of(entry.op_context);
  if (operation.kind == OperationKind::kSend) {
    finished(static_cast<SendSlot&>(operation));
    return;
  }
  if (operation.kind == OperationKind::kRead) {
    auto& read = static_cast<ReadOperation&>(operation);
    const std::size_t bytes = read.bytes;
    finished(read).came(bytes);
    return;
  }
  auto& buffer = static_cast<Buffer&>(operation);
  const bool many = provider_.multi_receive;
  if (entry.len > 0) {
    const void* const at = many ? entry.buf : buffer.memory.bytes();
    receive({static_cast<const std::byte*>(at), entry.len}, upcall);
  }
  if (!many || (entry.flags & FI_MULTI_RECV) != 0) let_go(buffer);
}

// The one way by which a buffer comes back, however what came into it has ended.
void Port::let_go(Buffer& buffer) noexcept {
  if (!buffer.posted) return;
  buffer.posted = false;
  if (!post(buffer)) idle_.push_back(&buffer);
}

void Port::fail() noexcept {
  fi_cq_err_entry entry = {};
  if (fi_cq_readerr(queue_.get(), &entry, 0) <= 0 || entry.op_context == nullptr) return;
  Operation& operation = operation_of(entry.op_context);
  if (operation.kind == OperationKind::kReceive) {
    // Too long for any packet, or its sender has gone. Providers let the whole buffer go then, and
    // not all of them say so by FI_MULTI_RECV.
    losses_.count_nonsense();
    let_go(static_cast<Buffer&>(operation));
    return;
  }
  int host = 0;
  if (operation.kind == OperationKind::kRead) {
    auto& read = static_cast<ReadOperation&>(operation);
    host = read.from;
    static_cast<void>(finished(read));
  } else {
    auto& slot = static_cast<SendSlot&>(operation);
    host = slot.to;
    finished(slot);
  }
  if (!peer(host).incoming.has_ended) losses_.lose(host);
}

bool Port::post(Buffer& buffer) noexcept {
  const bool many = provider_.multi_receive;
  iovec vector = {buffer.memory.bytes(), many ? Buffer::kManyBytes : wire_bytes(end_.packet_bytes)};
  void* descriptor = buffer.memory.descriptor();
  fi_msg message = {};
  message.msg_iov = &vector;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = FI_ADDR_UNSPEC;
  message.context = static_cast<Operation*>(&buffer);
  buffer.posted = fi_recvmsg(endpoint_.get(), &message, many ? FI_MULTI_RECV : 0) == 0;
  return buffer.posted;
}

bool Port::post_idle_buffers() noexcept {
  bool any = false;
  while (!idle_.empty() && post(*idle_.back())) {
    idle_.pop_back();
    any = true;
  }
  return any;
}

void Port::receive(Bytes came, Upcall* upcall) noexcept {
  WireHead head;
  if (!read_head(came, end_, &head) || !is_connected(head.from)) {
    losses_.count_nonsense();
    return;
  }
  if (is_cut_off(head.from)) return;
  switch (peer(head.from).incoming.take(head)) {
    case WireArrival::kDeliver:
      if (upcall != nullptr) deliver(head, came.subspan(sizeof head, head.bytes), upcall);
      break;
    case WireArrival::kFarewell:
      drop(head.from);
      say_farewell(head.from);
      break;
    case WireArrival::kGap:
      losses_.count_nonsense();
      losses_.lose(head.from);
      break;
    case WireArrival::kDrop:
      losses_.count_nonsense();
      break;
  }
}

void Port::deliver(const WireHead& head, Bytes payload, Upcall* upcall) noexcept {
  if (reinterpret_cast<std::uintptr_t>(payload.data()) % kWireAlignment != 0) {
    aligned_.assign(payload.begin(), payload.end());
    payload = aligned_;
  }
  upcall->on_packet(end_.channel, head.from, payload);
}

bool Port::may_sleep() noexcept {
  if (descriptor_ < 0) return false;
  fid* queue = &queue_->fid;
  return fi_trywait(provider_.fabric.get(), &queue, 1) == 0;
}

// ---- the end

void Port::say_farewell(int host) noexcept {
  Peer& to = peer(host);
  if (to.was_told || is_cut_off(host)) return;
  to.was_told = submit(host, WireKind::kFarewell, {}, {});
}

void Port::part() noexcept {
  for (int host = 0; host < end_.hosts; ++host) {
    const Peer& to = peer(host);
    if (to.next_out > 0 || to.incoming.next > 0) say_farewell(host);
  }
}

bool Port::has_parted() const noexcept {
  for (int host = 0; host < end_.hosts; ++host) {
    const Peer& to = peers_[static_cast<std::size_t>(host)];
    if (to.was_told && !is_cut_off(host) && (to.in_window > 0 || !to.incoming.has_ended))
      return false;
  }
  return true;
}

}  // namespace heddle::transport
