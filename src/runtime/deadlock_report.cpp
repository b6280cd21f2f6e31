#include "runtime/deadlock_report.h"

#include <time.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "exec/crash/symbols.h"
#include "exec/image/image.h"
#include "exec/process/threads/threads.h"
#include "exec/rank/rank.h"
#include "exec/ult/alert.h"
#include "exec/ult/stillness.h"
#include "exec/ult/ult.h"
#include "runtime/hosts.h"

namespace heddle::runtime {

namespace {

using Kind = ult::WaitNote::Kind;

constexpr std::size_t kMostRanks = 64;

// A strand that waits. What is below `asked` is written by itself.
struct Strand {
  ult::Ult* ult = nullptr;
  std::uintptr_t call = 0;  // in the program; 0: not found
  std::atomic<bool> answered{false};
};

struct Asked {
  std::unique_ptr<Strand[]> strands;
  std::size_t count = 0;
};
Asked* asked = nullptr;  // never freed: a strand may answer late

_Unwind_Reason_Code look_for_program(_Unwind_Context* context, void* found) {
  int before = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
  if (address == 0) return _URC_END_OF_STACK;
  const std::uintptr_t call = before != 0 ? address : address - 1;
  const image::Image* const program = image::current();
  if (program == nullptr || !program->has_code_at(call)) return _URC_NO_REASON;
  *static_cast<std::uintptr_t*>(found) = call;
  return _URC_END_OF_STACK;
}

// On the strand, as the answer to an alert.
void tell_place() {
  const ult::Ult* const self = ult::current();
  Strand* const end = asked->strands.get() + asked->count;
  Strand* const own = std::find_if(asked->strands.get(), end,
                                   [self](const Strand& one) { return one.ult == self; });
  if (own == end) return;
  _Unwind_Backtrace(look_for_program, &own->call);
  own->answered.store(true, std::memory_order_release);
}

void ask_all(const std::vector<ult::Ult*>& ults) {
  auto* const made = new Asked{std::make_unique<Strand[]>(ults.size()), ults.size()};
  for (std::size_t i = 0; i < ults.size(); ++i) made->strands[i].ult = ults[i];
  asked = made;
  ult::set_alert_handler(tell_place);
  for (ult::Ult* const one : ults) ult::alert(*one);
  constexpr timespec kMoment = {.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr int kMostMoments = 300;
  for (int i = 0; i < kMostMoments; ++i) {
    if (std::all_of(made->strands.get(), made->strands.get() + made->count, [](const Strand& one) {
          return one.answered.load(std::memory_order_acquire);
        })) {
      return;
    }
    nanosleep(&kMoment, nullptr);
  }
}

class Report {
 public:
  Report(const std::vector<ult::Ult*>& mains, const std::vector<int>& numbers, Hosts& hosts)
      : mains_(mains), numbers_(numbers) {
    // Now: those that are asked run for a moment.
    for (std::size_t i = 0; i < std::min(mains.size(), kMostRanks); ++i) {
      queues_.push_back(mains[i] != nullptr ? hosts.queues_of(numbers[i], "\n    ") : "");
    }
    std::vector<ult::Ult*> shown = ult::noted_ults();
    std::erase_if(shown, [](ult::Ult* ult) { return ult::note_of(*ult)->kind == Kind::kNoTask; });
    for (ult::Ult* const ult : shown) {
      const ult::WaitNote& note = *ult::note_of(*ult);
      words_.push_back(std::string(note.call) + " waits for " + note.what(note.subject));
    }
    ask_all(shown);
    std::vector<std::uintptr_t> calls;
    for (std::size_t i = 0; i < asked->count; ++i) {
      if (const Strand* const one = answer(i)) calls.push_back(one->call);
    }
    symbols_ = std::make_unique<crash::Symbols>(calls.data(), static_cast<int>(calls.size()));
    for (std::size_t i = 0; i < std::min(mains.size(), kMostRanks); ++i) add_rank(i);
    if (mains.size() > kMostRanks) {
      text_ += "\n  and " + std::to_string(mains.size() - kMostRanks) + " more ranks";
    }
  }

  const std::string& text() const noexcept { return text_; }

 private:
  // Null: it has not said where it is.
  static const Strand* answer(std::size_t index) noexcept {
    const Strand& one = asked->strands[index];
    return one.answered.load(std::memory_order_acquire) && one.call != 0 ? &one : nullptr;
  }

  std::string line_of(std::size_t index) const {
    std::string text = words_[index];
    if (const Strand* const one = answer(index)) {
      const crash::Symbol symbol = symbols_->find(one->call);
      text += ", called by " + (symbol.function.empty() ? "?" : symbol.function);
      if (!symbol.place.empty()) text += " (" + symbol.place + ")";
    }
    return text;
  }

  void add_rank(std::size_t index) {
    const int number = numbers_[index];
    text_ += "\n  rank " + std::to_string(number);
    if (mains_[index] == nullptr) {
      text_ += " has ended";
      return;
    }
    for (std::size_t i = 0; i < asked->count; ++i) {
      if (asked->strands[i].ult == mains_[index]) text_ += " in " + line_of(i);
    }
    for (std::size_t i = 0; i < asked->count; ++i) add_other(number, i);
    text_ += queues_[index];
  }

  // A thread or helper of that rank.
  void add_other(int number, std::size_t index) {
    ult::Ult* const ult = asked->strands[index].ult;
    auto* const rank = static_cast<Rank*>(ult::owner(*ult));
    if (rank == nullptr || rank->number() != number) return;
    const int thread = posix::number_of(*rank, *ult);
    text_ += thread != 0 ? "\n    thread " + std::to_string(thread) + " in " : "\n    a started ";
    text_ += line_of(index);
  }

  const std::vector<ult::Ult*>& mains_;
  const std::vector<int>& numbers_;
  std::vector<std::string> queues_;  // of each rank that is shown
  std::vector<std::string> words_;   // of each that was asked
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
