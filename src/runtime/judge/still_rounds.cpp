#include "runtime/judge/still_rounds.h"

#include <algorithm>

namespace heddle::runtime {

// seq_cst: what has asked after it had read the number has asked after this moment.
bool OwnRound::is_proven(std::uint64_t steps, std::uint64_t answered) noexcept {
  if (answered == StillWord::kNothingIsAsked) return true;
  if (number_ != 0 && steps_ == steps) return answered >= number_;
  steps_ = steps;
  number_ = question_.fetch_add(1, std::memory_order_seq_cst) + 1;
  return false;
}

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

bool StillRounds::all_asked() const noexcept {
  return std::ranges::all_of(hosts_, [](const Host& host) { return host.last.is_answer(); });
}

StillRounds::Then StillRounds::take(int host, const StillWord& word) noexcept {
  Host& from = hosts_[static_cast<std::size_t>(host)];
  if (!from.last.has_numbers_of(word)) asks_ = false;
  from.has_said = true;
  from.last = word;
  if (asks_) {
    if (!all_answered() || !all_asked()) return Then::kNothing;
    asks_ = false;
    return Then::kProven;
  }
  if (!is_balanced() || !all_answered()) return Then::kNothing;
  asks_ = true;
  ++round_;
  return Then::kAsk;
}

}  // namespace heddle::runtime
