// taking.h — what a receive finds where messages wait: among those that are fresh, or in the stock
// (matcher.h). Private to matcher.h.
//
// Thread safety: of the strand that holds the lock.

#pragma once

#include <utility>

#include "mpi/match/held.h"

namespace heddle::match {

// A stock that has been searched in vain, up to a delivery. Nothing that fits can be there before
// the next one; also if the lane has served others meanwhile, since it was empty then.
struct StockSearch {
  bool covers(LaneHeld now) const noexcept {
    return lane == &*now && deliveries == now->stock.deliveries;
  }
  const Lane* lane = nullptr;
  std::uint64_t deliveries = 0;
};

// Takes the message of a receive that is in the stock, and unlocks that. False: there is none, and
// `searched` says so.
template <class Take>
bool take_from_stock(StockHeld stock, PostedReceive& receive, Take&& take,
                     StockSearch* searched) noexcept {
  UnexpectedMessage* const message = stock->messages.take(receive.key);
  if (message != nullptr) {
    receive.order = ++stock->last_order;
    receive.lane = nullptr;
    if (stock->messages.empty()) stock.show();
    if (const auto* next = stock->messages.likely_next()) next->expect();
    if (take(*message)) stock->used.push(*message);
  }
  *searched = {&stock.lane(), stock->deliveries};
  stock.unlock();
  return message != nullptr;
}

// Takes the oldest message, if there is no stock and it fits, and unlocks the lane; what else is
// fresh goes to the stock, for the receives to come. Else false, and the lane is locked still.
template <class Take>
[[gnu::noinline]] bool take_fresh(LaneHeld lane, PostedReceive& receive, Take&& take) noexcept {
  if (lane->fresh.empty() || lane->stocked()) return false;
  if (!(lane->fresh.front()->key == receive.key)) return false;
  UnexpectedMessage& message = lane->fresh.pop();
  --lane->fresh_count;
  lane->posted.number(receive);
  receive.lane = nullptr;
  if (!lane->fresh.empty()) {
    const BothHeld both = lane.with_delivery();
    const Locked stock(both.stock());
    stock->show();
    (*stock)->messages.likely_next()->expect();
  }
  if (take(message)) lane->returned.push(message);
  lane.unlock();
  return true;
}

}  // namespace heddle::match
