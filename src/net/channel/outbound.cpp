#include "net/channel/outbound.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace heddle::channel {

Parcel* Parcel::make(int to_host, transport::Bytes head, std::size_t body_bytes) noexcept {
  const std::size_t bytes = head.size() + body_bytes;
  void* memory = std::malloc(sizeof(Parcel) + bytes);
  if (memory == nullptr) return nullptr;
  auto* parcel = new (memory) Parcel(to_host, head.size(), bytes);
  std::memcpy(parcel->bytes(), head.data(), head.size());
  return parcel;
}

void Parcel::destroy() noexcept {
  this->~Parcel();
  std::free(this);
}

}  // namespace heddle::channel
