#include "mpi/p2p/message.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "exec/ult/strand.h"
#include "exec/ult/ult.h"

namespace heddle::p2p {

namespace {
constexpr auto kAlignment = std::align_val_t{platform::kCacheLine};
}  // namespace

Cell* Cell::make(MPI_Count bytes) noexcept {
  const MPI_Count room = bytes <= match::Spares::kSmall ? match::Spares::kSmall : kLargest;
  void* memory =
      ::operator new(sizeof(Cell) + static_cast<std::size_t>(room), kAlignment, std::nothrow);
  return memory != nullptr ? new (memory) Cell() : nullptr;
}

void Cell::destroy(Cell* cell) noexcept {
  cell->~Cell();
  ::operator delete(cell, kAlignment);
}

HeapMessage* HeapMessage::copy_of(const match::Key& key, datatype::ConstBuffer data,
                                  Deposit deposit) noexcept {
  const MPI_Count bytes = data.bytes();
  void* memory = std::malloc(sizeof(HeapMessage) + static_cast<std::size_t>(bytes));
  if (memory == nullptr) return nullptr;
  auto* message = new (memory) HeapMessage(std::move(deposit));
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

namespace {

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  while (bytes > kSlice) {
    std::memcpy(to, from, kSlice);
    to += kSlice;
    from += kSlice;
    bytes -= kSlice;
    ult::yield_to_ready();
  }
  std::memcpy(to, from, bytes);
}

}  // namespace

void transfer_slow(datatype::ConstBuffer from, datatype::Buffer to, MPI_Count bytes) noexcept {
  if (from.type->dense() && to.type->dense()) {
    copy_bytes(static_cast<std::byte*>(to.data), static_cast<const std::byte*>(from.data),
               static_cast<std::size_t>(bytes));
  } else {
    datatype::copy(from, to, bytes);
  }
}

}  // namespace heddle::p2p
