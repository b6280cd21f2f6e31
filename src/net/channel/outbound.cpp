#include "net/channel/outbound.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace heddle::channel {

PackedPacket* PackedPacket::make(int to_host, transport::Bytes head,
                                 std::size_t body_bytes) noexcept {
  const std::size_t bytes = head.size() + body_bytes;
  void* memory = std::malloc(sizeof(PackedPacket) + bytes);
  if (memory == nullptr) return nullptr;
  auto* packet = new (memory) PackedPacket(to_host, head.size(), bytes);
  std::memcpy(packet->bytes(), head.data(), head.size());
  return packet;
}

void PackedPacket::destroy() noexcept {
  this->~PackedPacket();
  std::free(this);
}

}  // namespace heddle::channel
