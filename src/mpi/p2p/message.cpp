#include "mpi/p2p/message.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace heddle::p2p {

HeapMessage* HeapMessage::copy_of(const match::Key& key, datatype::ConstBuffer data) noexcept {
  const MPI_Count bytes = data.bytes();
  void* memory = std::malloc(sizeof(HeapMessage) + static_cast<std::size_t>(bytes));
  if (memory == nullptr) return nullptr;
  auto* message = new (memory) HeapMessage();
  message->key = key;
  message->bytes = bytes;
  message->data = {message->payload(), bytes, &datatype::named(MPI_BYTE)};
  transfer(data, {message->payload(), bytes, &datatype::named(MPI_BYTE)}, bytes);
  return message;
}

void HeapMessage::destroy(HeapMessage* message) noexcept {
  message->~HeapMessage();
  std::free(message);
}

void transfer(datatype::ConstBuffer from, datatype::Buffer to, MPI_Count bytes) noexcept {
  if (bytes == 0) return;
  if (from.type->dense() && to.type->dense()) {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(bytes));
  } else {
    datatype::copy(from, to, bytes);
  }
}

}  // namespace heddle::p2p
