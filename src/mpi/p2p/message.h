// message.h — a message that waits at its receiver, and where its payload is meanwhile.
//
//   home      payload                            once it has been received
//   --------  ---------------------------------  ----------------------------------------
//   kCell     in a cell of the receiver's lane   the cell goes back to the lane
//   kHeap     behind the Message, from malloc    freed, and with it its room in a buffer
//   kSender   in the sender's own buffer         the sender's request completes
//   kRemote   on another host, or a copy here    the other host is told, now or later
//                                                (remote_message.h)
//
// Thread safety: the lane's lock until it is taken out, then the taker.

#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "base/platform/cpu.h"
#include "mpi/datatype/buffer.h"
#include "mpi/match/lane.h"
#include "mpi/p2p/buffer_account.h"

namespace heddle::p2p {

enum class Home : unsigned char { kCell, kHeap, kSender, kRemote };

struct Message : match::UnexpectedMessage {
  explicit Message(Home home_of_payload) noexcept : home(home_of_payload) {}

  datatype::ConstBuffer data;
  const Home home;
};

// For payloads of up to kLargest bytes: these are copied with the lane's lock held. Its room,
// behind it, is of one of the sizes of match::Spares, as its payload asks; the lane keeps it for
// the next one. A message of a few bytes fills a cache line with its links, and a second with its
// place and payload.
struct alignas(16) Cell final : Message {
  static constexpr MPI_Count kLargest = 1024;

  // Makes a cell with room for a payload of `bytes` bytes; nullptr if no memory is left.
  static Cell* make(MPI_Count bytes) noexcept;
  static void destroy(Cell* cell) noexcept;

  // Requires room for a payload of `bytes` bytes.
  void fill(const match::Key& its_key, const void* from, MPI_Count count) noexcept {
    key = its_key;
    bytes = count;
    auto* const payload = reinterpret_cast<std::byte*>(this + 1);
    data = {payload, count, &datatype::named(MPI_BYTE)};
    if (count != 0) std::memcpy(payload, from, static_cast<std::size_t>(count));
  }

  // True if a receiver may copy it with a lock held: a few cache lines.
  bool small() const noexcept { return bytes <= match::Spares::kSmall; }

 private:
  Cell() noexcept : Message(Home::kCell) {}
  ~Cell() = default;
};
static_assert(sizeof(Cell) + match::Spares::kTiny <= std::size_t{2} * platform::kCacheLine);

// A copy of a payload of any size, packed.
struct HeapMessage final : Message {
  // nullptr if no memory is left.
  static HeapMessage* copy_of(const match::Key& key, datatype::ConstBuffer data,
                              Deposit deposit) noexcept;
  static void destroy(HeapMessage* message) noexcept;

  std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }

  const Deposit deposit;  // of a buffered send

 private:
  explicit HeapMessage(Deposit room) noexcept : Message(Home::kHeap), deposit(std::move(room)) {}
  ~HeapMessage() = default;
};

// The rest of transfer(): bytes > 0.
constexpr MPI_Count kSlice = 32 << 10;
void transfer_slow(datatype::ConstBuffer from, datatype::Buffer to, MPI_Count bytes) noexcept;

// Moves the first `bytes` bytes of the packed form; the short way for dense layouts. A copy of more
// than kSlice bytes is shared with idle workers, and lets other ults of its own run every kSlice
// bytes: may switch.
inline void transfer(datatype::ConstBuffer from, datatype::Buffer to, MPI_Count bytes) noexcept {
  if (bytes == 0) return;
  if (bytes <= kSlice && from.type->dense() && to.type->dense()) [[likely]] {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(bytes));
  } else {
    transfer_slow(from, to, bytes);
  }
}

// The rest of push(): kLeastPushed bytes and more.
constexpr MPI_Count kLeastPushed = 8 << 10;
void push_long(datatype::ConstBuffer from, datatype::Buffer to, MPI_Count bytes) noexcept;

// Moves them as transfer() does, to where another strand waits for them, perhaps on another core,
// whose cache has the lines at `to` (base/platform/streaming.h).
inline void push(datatype::ConstBuffer from, datatype::Buffer to, MPI_Count bytes) noexcept {
  if (bytes < kLeastPushed) [[likely]] {
    transfer(from, to, bytes);
  } else {
    push_long(from, to, bytes);
  }
}

// Copies as transfer() does, by this thread alone: never switches.
inline void transfer_here(datatype::ConstBuffer from, datatype::Buffer to,
                          MPI_Count bytes) noexcept {
  if (bytes != 0) datatype::copy(from, to, 0, bytes);
}

}  // namespace heddle::p2p
