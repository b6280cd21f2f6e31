// inbox_item.h — what others put into a worker's inbox.
//
//   kind     is                            the worker
//   -------  ----------------------------  --------------------------------------------
//   news     a ult with news               counts its wake-ups, lets it look at an alert, takes it
//                                          over from another worker; makes it ready
//   thawed   FrozenUlts whose event is set appends the whole list to its run queue
//   home     a ult that was away (away.h)  makes it ready
//   look     the worker's own              polls: it was roused from its sleep (sleepers.h)
//   turn     the worker's own              gives each ult that has yielded a turn (run_queue.h)
//   stop     the worker's own              ends at its next look at the run queue
//
// Thread safety: the kind is constant; the rest as base/inbox.h says.

#pragma once

#include <cstdint>

#include "base/inbox.h"

namespace heddle::ult {

enum class ItemKind : std::uint8_t { kNews, kThawed, kHome, kLook, kTurn, kStop };

struct InboxItem : InboxNode {
  explicit InboxItem(ItemKind what) noexcept : kind(what) {}

  const ItemKind kind;
};

}  // namespace heddle::ult
