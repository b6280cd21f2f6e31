// inbox_item.h — what others put into a worker's inbox.
//
//   kind     is                            the worker
//   -------  ----------------------------  --------------------------------------------
//   woken    a ult that was woken          counts its wake-ups, makes it ready
//   thawed   FrozenUlts whose gate opened  appends the whole list to its run queue
//   home     a ult that was away (away.h)  makes it ready
//   alerted  a ult's Alert (alert.h)       lets it look, if it is parked or frozen
//   look     the worker's own              polls: it was roused from its sleep (sleepers.h)
//   stop     the worker's own              ends at its next look at the run queue
//
// Thread safety: the kind is constant; the rest as base/inbox.h says.

#pragma once

#include <cstdint>

#include "base/inbox.h"

namespace heddle::ult {

struct InboxItem : InboxNode {
  enum class Kind : std::uint8_t { kWoken, kThawed, kHome, kAlerted, kLook, kStop };

  explicit InboxItem(Kind what) noexcept : kind(what) {}

  const Kind kind;
};

}  // namespace heddle::ult
