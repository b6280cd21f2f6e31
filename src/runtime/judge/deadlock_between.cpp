#include "runtime/judge/deadlock_between.h"

#include <time.h>

#include <algorithm>
#include <string_view>

namespace heddle::runtime {

bool BoardWitness::judge(const StillWord& word, std::string (*own_lines)(), std::string* lines) {
  if (is_one_of_several() ? word.rings == 0 : word.traffic.given != word.traffic.handled)
    return false;
  Card& card = page_.card(process_);
  card.steps.store(word.steps, std::memory_order_release);
  card.answered.store(word.answered, std::memory_order_release);
  card.still.store(is_one_of_several() ? word.rings : 1, std::memory_order_seq_cst);  // [S]
  // seq_cst: with exchange() below; the one that sets it rings afterwards.
  if (!page_.deadlock.load(std::memory_order_seq_cst)) {
    StillWord all, again;
    if (!all_stand_still(&all) || !all_stand_still(&again)) return false;
    if (!round_.is_proven(all.steps, all.answered)) return false;
    if (!page_.deadlock.exchange(true, std::memory_order_seq_cst)) {
      ring_others();  // they look for their places while this process looks for its own
      *lines = collect(own_lines());
      return true;
    }
  }
  if (page_.lines_of(process_).empty()) page_.put_lines(process_, own_lines());
  return false;
}

// acquire, with the stores in judge(): a process that counts more later has rung, and the second
// look sees that.
bool BoardWitness::all_stand_still(StillWord* all) noexcept {
  for (int i = 0; i < page_.processes; ++i) {
    Card& card = page_.card(i);
    const std::uint64_t still = card.still.load(std::memory_order_seq_cst);  // [L]
    if (still == Card::kEnded) continue;
    if (still == 0) return false;
    if (is_one_of_several() && way_.bell(i)->rings() != static_cast<std::uint32_t>(still - 1))
      return false;
    all->steps += card.steps.load(std::memory_order_acquire);
    all->answered = std::min(all->answered, card.answered.load(std::memory_order_acquire));
  }
  return true;
}

void BoardWitness::ring_others() noexcept {
  for (int i = 0; i < page_.processes; ++i) {
    if (i != process_) way_.bell(i)->ring();
  }
}

// All answer, except one that has been stopped by a signal. On a crowded machine it takes them
// long.
std::string BoardWitness::collect(const std::string& own) {
  constexpr timespec kMoment = {.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr int kMostMoments = 10'000;
  int moments = 0;
  std::string all;
  for (int i = 0; i < page_.processes; ++i) {
    if (i == process_) {
      all += own;
      continue;
    }
    if (page_.card(i).still.load(std::memory_order_relaxed) == Card::kEnded) {
      all += "\n  process " + std::to_string(i) + " has ended";
      continue;
    }
    while (page_.lines_of(i).empty() && ++moments < kMostMoments) nanosleep(&kMoment, nullptr);
    const std::string_view lines = page_.lines_of(i);
    if (lines.empty()) all += "\n  process " + std::to_string(i) + " does not answer";
    all += lines;
  }
  return all;
}

}  // namespace heddle::runtime
