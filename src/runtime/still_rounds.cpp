#include "runtime/still_rounds.h"

#include <algorithm>

namespace heddle::runtime {

bool StillRounds::is_balanced() const noexcept {
  transport::Traffic sum;
  for (const Host& host : hosts_) {
    if (!host.has_said) return false;
    sum += host.last.traffic;
  }
  return sum.given == sum.handled;
}

bool StillRounds::all_answered() const noexcept {
  return std::ranges::all_of(hosts_,
                             [this](const Host& host) { return host.last.round == round_; });
}

StillRounds::Then StillRounds::take(int host, const StillWord& word) noexcept {
  Host& from = hosts_[static_cast<std::size_t>(host)];
  if (from.last.traffic != word.traffic) asks_ = false;
  from.has_said = true;
  from.last = word;
  if (asks_) {
    if (!all_answered()) return Then::kNothing;
    asks_ = false;
    return Then::kProven;
  }
  if (!is_balanced() || !all_answered()) return Then::kNothing;
  asks_ = true;
  ++round_;
  return Then::kAsk;
}

}  // namespace heddle::runtime
