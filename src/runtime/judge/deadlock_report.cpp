#include "runtime/judge/deadlock_report.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "exec/crash/symbols.h"
#include "exec/process/threads/threads.h"
#include "exec/rank/rank.h"
#include "exec/ult/stillness.h"
#include "exec/ult/ult.h"
#include "runtime/crew/hosts.h"
#include "runtime/judge/places.h"

namespace heddle::runtime {

namespace {

using ult::WaitReason;

constexpr std::size_t kMostRanks = 64;

// What a strand waits for, and whose it is.
struct Line {
  std::string words;
  int rank = 0;
  bool is_main = false;
  int thread = 0;  // 0, and not the main strand: a helper of what the rank has started
};

// The calling thread speaks for a rank: its communicators have names there (comm::in_report).
class InRank {
 public:
  explicit InRank(Rank* rank) noexcept { Rank::enter(rank); }
  ~InRank() { Rank::enter(nullptr); }
  InRank(InRank&&) = delete;
};

class Report {
 public:
  Report(const std::vector<ult::Ult*>& mains, const std::vector<int>& numbers, Hosts& hosts)
      : hosts_(hosts) {
    for (std::size_t i = 0; i < mains.size(); ++i) {
      if (mains[i] == nullptr) {
        ended_.push_back(numbers[i]);
      } else {
        add({.rank = numbers[i], .is_main = true}, mains[i]);
      }
    }
    for (ult::Ult* const ult : ult::noted_ults()) {
      auto* const rank = static_cast<Rank*>(ult::owner(*ult));  // null: a main strand
      if (rank != nullptr)
        add({.rank = rank->number(), .thread = process::number_of(*rank, *ult)}, ult);
    }
    choose(numbers);
    for (const int rank : shown_) {
      const bool has_ended = std::ranges::binary_search(ended_, rank);
      const InRank speaker(has_ended ? nullptr : hosts.rank(rank));
      queues_.push_back(hosts.queues_of(rank, "\n    "));
    }
    places_ = ask_for_places(ults_);
    std::vector<std::uintptr_t> calls;
    for (const Calls& one : places_.calls) {
      calls.insert(calls.end(), one.places.begin(), one.places.begin() + one.count);
    }
    symbols_ = std::make_unique<crash::Symbols>(calls.data(), static_cast<int>(calls.size()));
    for (std::size_t i = 0; i < shown_.size(); ++i) add_rank(shown_[i], queues_[i]);
    if (numbers.size() > shown_.size()) {
      text_ += "\n  and " + std::to_string(numbers.size() - shown_.size()) + " more ranks";
    }
  }

  const std::string& text() const noexcept { return text_; }

 private:
  void add(Line line, ult::Ult* ult) {
    const ult::WaitNote* const note = ult::note_of(*ult);
    if (note == nullptr || note->reason == WaitReason::kNoTask) return;
    const InRank speaker(hosts_.rank(line.rank));
    line.words = std::string(note->call) + " waits for " + note->what(note->subject);
    lines_.push_back(std::move(line));
    ults_.push_back(ult);
  }

  // The ranks to show: all, or those whose main strands wait for what the fewest others wait for.
  void choose(std::vector<int> ranks) {
    if (ranks.size() > kMostRanks) {
      std::map<std::string_view, int> alike;
      std::map<int, std::string_view> words;  // none for a rank that has ended
      alike[{}] = static_cast<int>(ended_.size());
      for (const Line& line : lines_) {
        if (!line.is_main) continue;
        ++alike[line.words];
        words[line.rank] = line.words;
      }
      std::ranges::stable_sort(ranks, {}, [&](int rank) { return alike[words[rank]]; });
      ranks.resize(kMostRanks);
      std::ranges::sort(ranks);
    }
    shown_ = std::move(ranks);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!std::ranges::binary_search(shown_, lines_[i].rank)) continue;
      if (kept != i) lines_[kept] = std::move(lines_[i]);
      ults_[kept++] = ults_[i];
    }
    lines_.resize(kept);
    ults_.resize(kept);
  }

  void add_line(std::size_t index) {
    text_ += lines_[index].words;
    const Calls& calls = places_.calls[index];
    if (calls.count != 0) text_ += place_of(calls, *symbols_);
  }

  void add_rank(int number, const std::string& queues) {
    text_ += "\n  rank " + std::to_string(number);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].rank != number || !lines_[i].is_main) continue;
      text_ += " in ";
      add_line(i);
    }
    if (std::ranges::binary_search(ended_, number)) text_ += " has ended";
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      if (line.rank != number || line.is_main) continue;
      text_ += line.thread != 0 ? "\n    thread " + std::to_string(line.thread) + " in "
                                : "\n    a started ";
      add_line(i);
    }
    text_ += queues;
  }

  Hosts& hosts_;
  std::vector<Line> lines_;
  std::vector<ult::Ult*> ults_;      // of each line
  std::vector<int> ended_;           // ranks whose main strands have, ascending
  std::vector<int> shown_;           // ranks, ascending
  std::vector<std::string> queues_;  // of each of them
  Places places_;                    // of each line
  std::unique_ptr<crash::Symbols> symbols_;
  std::string text_;
};

}  // namespace

const char kDeadlock[] =
    "all ranks of the job wait for each other (deadlock; communicator 1 is MPI_COMM_WORLD):";

std::string lines_of_deadlock(const std::vector<ult::Ult*>& mains, const std::vector<int>& numbers,
                              Hosts& hosts) {
  return Report(mains, numbers, hosts).text();
}

}  // namespace heddle::runtime
