#include "mpi/p2p/message.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/platform/streaming.h"
#include "exec/ult/shared_work.h"
#include "exec/ult/strand.h"

namespace heddle::p2p {

namespace {
constexpr auto kAlignment = std::align_val_t{platform::kCacheLine};
}  // namespace

Cell* Cell::make(MPI_Count bytes) noexcept {
  const MPI_Count room = bytes <= match::Spares::kTiny    ? match::Spares::kTiny
                         : bytes <= match::Spares::kSmall ? match::Spares::kSmall
                                                          : kLargest;
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

class LongCopy final : public ult::SharedWork {
 public:
  LongCopy(datatype::ConstBuffer from, datatype::Buffer to, MPI_Count bytes) noexcept
      : from_(from), to_(to), bytes_(bytes) {}

  std::uint32_t parts() const noexcept {
    return static_cast<std::uint32_t>((bytes_ + kSlice - 1) / kSlice);
  }
  void do_part(std::uint32_t part) noexcept override {
    const MPI_Count at = part * kSlice;
    datatype::copy(from_, to_, at, std::min(bytes_ - at, kSlice));
  }

 private:
  const datatype::ConstBuffer from_;
  const datatype::Buffer to_;
  const MPI_Count bytes_;
};

}  // namespace

void transfer_slow(datatype::ConstBuffer from, datatype::Buffer to, MPI_Count bytes) noexcept {
  if (bytes <= kSlice) return datatype::copy(from, to, 0, bytes);
  LongCopy copy(from, to, bytes);
  ult::share(copy, copy.parts());
}

void push_long(datatype::ConstBuffer from, datatype::Buffer to, MPI_Count bytes) noexcept {
  const auto* const source = static_cast<const std::byte*>(datatype::adjacent(from));
  auto* const target = static_cast<std::byte*>(const_cast<void*>(datatype::adjacent(to)));
  if (source == nullptr || target == nullptr) return transfer(from, to, bytes);
  constexpr MPI_Count kLooked = platform::kLookedAt;
  static_assert(kLooked <= kLeastPushed);
  if (platform::copy_and_look(target, source) < platform::kFar) {
    const MPI_Count rest = bytes - kLooked;
    return transfer(datatype::bytes_at(source + kLooked, rest),
                    datatype::bytes_at(target + kLooked, rest), rest);
  }
  // Alone: this core fills the bandwidth of these stores.
  for (MPI_Count at = kLooked; at < bytes; at += kSlice) {
    if (at != kLooked) ult::yield_to_ready();
    const MPI_Count part = std::min(bytes - at, kSlice);
    platform::copy_past_caches(target + at, source + at, static_cast<std::size_t>(part));
  }
}

}  // namespace heddle::p2p
