// kind_table.h — which function takes the packets of a kind.
//
//   Receiver::on_x(const Arrival&)                returns false if the packet makes no sense
//   Receiver::begin_x(const Arrival&, bytes)      the packet's begin has come: where its payload
//                                                 goes, or nowhere (transport.h, T10). For kinds
//                                                 whose payloads are long
//
// A kind that no module has registered makes no sense, so a call needs no test for it.
//
// Thread safety: constant after the last set().

#pragma once

#include <array>
#include <cassert>

#include "net/gateway/kinds.h"
#include "net/gateway/receiver.h"

namespace heddle::gateway {

class KindTable {
 public:
  KindTable() noexcept { entries_.fill({nullptr, refuse, land_nowhere}); }

  // `kHandle`, `kBegin`: functions of the receiver's. Requires that the kind has none.
  template <auto kHandle, auto kBegin = nullptr, class Own>
  void set(PacketKind kind, Own& receiver) noexcept {
    assert(entries_[kind].call == refuse);
    PacketReceiver entry{&receiver,
                         [](void* own, const Arrival& arrival) noexcept {
                           return (static_cast<Own*>(own)->*kHandle)(arrival);
                         },
                         land_nowhere};
    if constexpr (kBegin != nullptr) {
      entry.begin = [](void* own, const Arrival& arrival, std::size_t bytes) noexcept {
        return (static_cast<Own*>(own)->*kBegin)(arrival, bytes);
      };
    }
    entries_[kind] = entry;
  }

  // Returns false if the packet makes no sense.
  bool deliver(const Arrival& arrival) const noexcept {
    if (arrival.packet.empty()) return false;
    const PacketReceiver& entry = entries_[static_cast<PacketKind>(arrival.packet.front())];
    return entry.call(entry.receiver, arrival);
  }

  // Requires that the begin is not empty.
  transport::Landing begin(const Arrival& arrival, std::size_t bytes) const noexcept {
    const PacketReceiver& entry = entries_[static_cast<PacketKind>(arrival.packet.front())];
    return entry.begin(entry.receiver, arrival, bytes);
  }

 private:
  struct PacketReceiver {
    void* receiver;
    bool (*call)(void* receiver, const Arrival& arrival) noexcept;
    transport::Landing (*begin)(void* receiver, const Arrival& arrival, std::size_t bytes) noexcept;
  };

  static bool refuse(void*, const Arrival&) noexcept { return false; }
  static transport::Landing land_nowhere(void*, const Arrival&, std::size_t) noexcept { return {}; }

  std::array<PacketReceiver, kKinds> entries_;
};

}  // namespace heddle::gateway
