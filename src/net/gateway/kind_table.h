// kind_table.h — which function takes the packets of a kind.
//
//   Receiver::on_x(const Arrival&)   returns false if the packet makes no sense
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
  KindTable() noexcept { entries_.fill({nullptr, refuse}); }

  // `kHandle`: a function of the receiver's. Requires that the kind has none.
  template <auto kHandle, class Own>
  void set(Kind kind, Own& receiver) noexcept {
    assert(entries_[kind].call == refuse);
    entries_[kind] = {&receiver, [](void* own, const Arrival& arrival) noexcept {
                        return (static_cast<Own*>(own)->*kHandle)(arrival);
                      }};
  }

  // Returns false if the packet makes no sense.
  bool deliver(const Arrival& arrival) const noexcept {
    if (arrival.packet.empty()) return false;
    const Entry& entry = entries_[static_cast<Kind>(arrival.packet.front())];
    return entry.call(entry.receiver, arrival);
  }

 private:
  struct Entry {
    void* receiver;
    bool (*call)(void* receiver, const Arrival& arrival) noexcept;
  };

  static bool refuse(void*, const Arrival&) noexcept { return false; }

  std::array<Entry, kKinds> entries_;
};

}  // namespace heddle::gateway
