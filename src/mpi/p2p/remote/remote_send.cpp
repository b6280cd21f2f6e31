#include "mpi/p2p/remote/remote_send.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/platform/cpu.h"
#include "mpi/p2p/send_request.h"

namespace heddle::p2p {

void RemoteSend::stream(Id receive_id, MPI_Count wanted) noexcept {
  adjacent_ = static_cast<const std::byte*>(datatype::adjacent(data_));
  receive_id_ = receive_id;
  wanted_ = wanted;
}

transport::RemoteMemory RemoteSend::expose(transport::Endpoint& endpoint) noexcept {
  const auto* payload = static_cast<const std::byte*>(datatype::adjacent(data_));
  if (!endpoint.expose({payload, static_cast<std::size_t>(data_.bytes())}, &exposed_)) {
    exposed_ = {};
  }
  return exposed_;
}

channel::Outbound::Step ReadableOffer::send_next(transport::Endpoint& endpoint,
                                                 std::span<std::byte>) noexcept {
  if (!packet_.memory) packet_.memory = send_.expose(endpoint);
  const bool readable = static_cast<bool>(packet_.memory);
  if (readable) packet_.offer.kind = PacketKind::kReadable;
  const Bytes packet = readable ? bytes_of(packet_) : bytes_of(packet_.offer);
  return endpoint.send(host_, packet, {}) ? Step::kLast : Step::kRefused;
}

namespace {
// How much of a payload a packet takes: whole lines, so that the next piece is aligned as this one.
// Such copies are faster.
MPI_Count room_in(std::span<std::byte> packet) noexcept {
  const std::size_t room = packet.size() - sizeof(DataPacket);
  return static_cast<MPI_Count>(room < platform::kCacheLine ? room
                                                            : room & ~(platform::kCacheLine - 1));
}
}  // namespace

channel::Outbound::Step RemoteSend::send_next(transport::Endpoint& endpoint,
                                              std::span<std::byte> scratch) noexcept {
  if (is_exposed()) endpoint.conceal(exposed_);
  exposed_ = {};
  if (wanted_ == 0) return Step::kLast;
  const MPI_Count room = room_in(scratch);
  const MPI_Count bytes = std::min(room, wanted_ - offset_);
  const std::byte* piece = adjacent_ + offset_;
  if (adjacent_ == nullptr) {
    datatype::pack(data_, offset_, scratch.data(), bytes);
    piece = scratch.data();
  }
  const DataPacket head{.receive_id = receive_id_, .offset = offset_};
  if (!endpoint.send(host_, bytes_of(head), {piece, static_cast<std::size_t>(bytes)})) {
    return Step::kRefused;
  }
  offset_ += bytes;
  return offset_ == wanted_ ? Step::kLast : Step::kMore;
}

void RequestSend::ended(bool withdrawn) noexcept {
  SendRequest& request = request_;
  delete this;
  request.end_elsewhere(withdrawn);
}

std::unique_ptr<BufferedSend> BufferedSend::copy_of(int host, datatype::ConstBuffer data,
                                                    Deposit deposit) noexcept {
  const MPI_Count bytes = data.bytes();
  void* copy = std::malloc(static_cast<std::size_t>(bytes) + 1);  // malloc(0) may return null
  if (copy == nullptr) return nullptr;
  datatype::pack(data, 0, copy, bytes);
  std::unique_ptr<BufferedSend> made(new (std::nothrow)
                                         BufferedSend(host, copy, bytes, std::move(deposit)));
  if (made == nullptr) std::free(copy);
  return made;
}

BufferedSend::BufferedSend(int host, void* copy, MPI_Count bytes, Deposit deposit) noexcept
    : RemoteSend(host, {copy, bytes, &datatype::named(MPI_BYTE)}),
      copy_(copy),
      deposit_(std::move(deposit)) {}

BufferedSend::~BufferedSend() {
  std::free(copy_);
}

void BufferedSend::ended(bool) noexcept {
  delete this;
}

}  // namespace heddle::p2p
