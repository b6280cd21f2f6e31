#include "runtime/judge/deadlock_over_hosts.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "base/platform/clock.h"
#include "base/platform/futex.h"
#include "exec/ult/stillness.h"

namespace heddle::runtime {

StillHosts::StillHosts(int host, int hosts)
    : host_(host), hosts_(hosts), rounds_(hosts), lines_(static_cast<std::size_t>(hosts)) {}

bool StillHosts::judge(const StillWord& word, std::string (*own_lines)(), std::string* lines) {
  if (proven_.load(std::memory_order_seq_cst)) {
    if (std::exchange(has_said_, true)) return false;
    if (host_ == 0) {
      *lines = collect(own_lines());
      return true;
    }
    watch_->tell(0, {.kind = watch::WordKind::kLines, .host = host_}, own_lines());
    return false;
  }
  if (is_to_report(word)) report(word);
  return false;
}

// Once for each round, when all that ask in it have been answered; and once for numbers that stay.
bool StillHosts::is_to_report(const StillWord& word) noexcept {
  const std::int64_t now = platform::now_ns();
  if (seen_since_ns_ == 0 || !seen_.has_numbers_of(word)) {
    seen_ = word;
    seen_since_ns_ = now;
  }
  const bool is_news = reported_.round != word.round || !reported_.is_answer();
  if (has_reported_ && is_news && word.is_answer()) {
    news_after_ns_ = kNewsAfterNs;
    return true;
  }
  if (has_reported_ && reported_.has_numbers_of(word)) return false;
  if (now - seen_since_ns_ < news_after_ns_) return false;
  news_after_ns_ = std::min(2 * news_after_ns_, kNewsAfterAtMostNs);
  return true;
}

// It looks again after a while, since a word that could not be said is to be said later.
std::int64_t StillHosts::next_look_ns() const noexcept {
  if (seen_since_ns_ == 0 || (has_reported_ && reported_.has_numbers_of(seen_)))
    return platform::kNever;
  return std::max(seen_since_ns_ + news_after_ns_, platform::now_ns() + kNewsAfterNs);
}

void StillHosts::report(const StillWord& word) noexcept {
  reported_ = word;
  has_reported_ = true;
  if (host_ == 0) return take(0, word);
  has_reported_ = watch_->tell(0, {.kind = watch::WordKind::kStill,
                                   .host = host_,
                                   .round = word.round,
                                   .given = word.traffic.given,
                                   .handled = word.traffic.handled,
                                   .steps = word.steps,
                                   .answered = word.answered});
}

// At host 0, from now on.
void StillHosts::take(int host, const StillWord& word) noexcept {
  StillRounds::Then then;
  std::uint64_t round = 0;
  {
    SpinGuard guard(lock_);
    then = rounds_.take(host, word);
    round = rounds_.round();
  }
  if (then == StillRounds::Then::kNothing) return;
  if (then == StillRounds::Then::kAsk) {
    asked_.store(round, std::memory_order_seq_cst);
    tell_others(watch::WordKind::kAsk, round);
  } else {
    proven_.store(true, std::memory_order_seq_cst);
    tell_others(watch::WordKind::kSay, round);
  }
  ult::call_judge();
}

void StillHosts::tell_others(watch::WordKind kind, std::uint64_t round) noexcept {
  for (int other = 1; other < hosts_; ++other) {
    watch_->tell(other, {.kind = kind, .round = round});
  }
}

void StillHosts::heard(const watch::Word& word, std::string_view text) {
  switch (word.kind) {
    case watch::WordKind::kStill:
      if (host_ == 0) {
        take(word.host, {word.round, {word.given, word.handled}, word.steps, word.answered});
      }
      return;
    case watch::WordKind::kAsk:
      asked_.store(word.round, std::memory_order_seq_cst);
      return ult::call_judge();
    case watch::WordKind::kSay:
      proven_.store(true, std::memory_order_seq_cst);
      return ult::call_judge();
    case watch::WordKind::kLines: {
      std::string lines(text);
      SpinGuard guard(lock_);
      lines_[static_cast<std::size_t>(word.host)].swap(lines);
      break;
    }
    default:
      return;
  }
  lines_there_.fetch_add(1, std::memory_order_release);
}

std::string StillHosts::collect(const std::string& own) {
  constexpr timespec kMoment = {.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr int kMostMoments = 1500;
  for (int i = 0; i < kMostMoments; ++i) {
    if (lines_there_.load(std::memory_order_acquire) == hosts_ - 1) break;
    nanosleep(&kMoment, nullptr);
  }
  std::vector<std::string> others(static_cast<std::size_t>(hosts_));
  {
    SpinGuard guard(lock_);
    lines_.swap(others);
  }
  std::string all = own;
  for (const std::string& each : others) all += each;
  return all;
}

}  // namespace heddle::runtime
