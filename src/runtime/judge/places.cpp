#include "runtime/judge/places.h"

#include <signal.h>
#include <time.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "base/platform/clock.h"
#include "base/platform/signals.h"
#include "base/standing.h"
#include "exec/crash/symbols.h"
#include "exec/image/image.h"
#include "exec/ult/alert.h"
#include "exec/ult/stillness.h"
#include "exec/ult/strand.h"
#include "exec/ult/ult.h"

namespace heddle::runtime {

namespace {

_Unwind_Reason_Code look_for_program(_Unwind_Context* context, void* found) {
  int before = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
  if (address == 0) return _URC_END_OF_STACK;
  const std::uintptr_t call = before != 0 ? address : address - 1;
  const image::Image* const program = image::current();
  if (program == nullptr || !program->has_code_at(call)) return _URC_NO_REASON;
  return static_cast<Calls*>(found)->add(call) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// A strand that is asked. What is below `claimed` is written by the one that claims it, on the
// strand.
struct Asked {
  const ult::Ult* ult = nullptr;
  std::atomic<bool> claimed{false};
  Calls calls;
  std::string words;               // of a strand that waits
  const char* mpi_call = nullptr;  // of one that runs
  std::atomic<bool> answered{false};
};

struct Question {
  std::unique_ptr<Asked[]> strands;
  std::size_t count = 0;

  Asked* find(const ult::Ult* ult) const noexcept {
    Asked* const end = strands.get() + count;
    Asked* const own =
        std::find_if(strands.get(), end, [ult](const Asked& one) { return one.ult == ult; });
    return ult != nullptr && own != end ? own : nullptr;
  }
  bool is_answered() const noexcept {
    return std::all_of(strands.get(), strands.get() + count, [](const Asked& one) {
      return one.ult == nullptr || one.answered.load(std::memory_order_acquire);
    });
  }
};
Question* question = nullptr;  // never freed: a strand may answer late

// Runs on the strand, as the answer to an alert.
void tell_as_waiter() {
  const ult::Ult* const self = ult::current();
  Asked* const own = question->find(self);
  if (own == nullptr) return;
  if (!own->claimed.exchange(true, std::memory_order_relaxed)) {
    if (const ult::WaitNote* const note = ult::note_of(*self)) {
      own->words = std::string("in ") + note->call + " waits for " + note->what(note->subject);
    } else {
      own->words = "waits";
    }
    own->calls.find();
    own->answered.store(true, std::memory_order_release);
  }
  // Some waits end by an alert, as one for a condition does. The program must not go on, nor its
  // strand end.
  for (;;) ult::Strand::park();
}

// Runs in a signal handler, on the strand or where the scheduler is.
void tell_as_runner(int) {
  Asked* const own = question->find(ult::current());
  if (own == nullptr || own->claimed.exchange(true, std::memory_order_relaxed)) return;
  own->mpi_call = Standing::mine.call;
  own->calls.find();
  own->answered.store(true, std::memory_order_release);
}

void make_question(std::size_t count) {
  auto* const made = new Question{std::make_unique<Asked[]>(count), count};
  question = made;
  ult::set_alert_handler(tell_as_waiter);
}

void alert_all(const std::vector<ult::Ult*>& ults) {
  for (std::size_t i = 0; i < ults.size(); ++i) question->strands[i].ult = ults[i];
  for (ult::Ult* const one : ults) {
    if (one != nullptr) ult::alert(*one);
  }
}

// Waits until all have answered, but no longer than `longest_ns`; calls `again` once a pause.
template <class Again>
void await_answers(std::int64_t longest_ns, std::int64_t pause_ns, Again again) {
  const timespec pause = {.tv_sec = 0, .tv_nsec = pause_ns};
  const std::int64_t end_ns = platform::now_ns() + longest_ns;
  while (!question->is_answered() && platform::now_ns() < end_ns) {
    again();
    nanosleep(&pause, nullptr);
  }
}

Places answers() {
  Places places;
  for (std::size_t i = 0; i < question->count; ++i) {
    const Asked& one = question->strands[i];
    const bool answered = one.answered.load(std::memory_order_acquire);
    places.calls.push_back(answered ? one.calls : Calls{});
    const bool runs = answered && one.words.empty();
    const std::string in = runs && one.mpi_call != nullptr ? std::string("in ") + one.mpi_call : "";
    places.words.push_back(!runs ? one.words : in.empty() ? "runs" : in + " runs");
  }
  return places;
}

// A signal that no program uses.
constexpr int kSignal = SIGSTKFLT;

}  // namespace

void Calls::find() noexcept {
  _Unwind_Backtrace(look_for_program, this);
}

std::string place_of(const Calls& calls, const crash::Symbols& symbols) {
  const crash::Symbol symbol = symbols.find_users(calls.places.data(), calls.count);
  const std::string place = symbol.place.empty() ? "" : " (" + symbol.place + ")";
  return ", called by " + (symbol.function.empty() ? "?" : symbol.function) + place;
}

Places ask_for_places(const std::vector<ult::Ult*>& ults) {
  make_question(ults.size());
  alert_all(ults);
  await_answers(300'000'000, 1'000'000, [] {});
  return answers();
}

Places insist_on_places(std::size_t count, const WithUlts& with_ults) {
  make_question(count);
  struct sigaction action = {};
  action.sa_handler = tell_as_runner;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(kSignal, &action, nullptr);
  with_ults(alert_all);
  await_answers(200'000'000, 1'000'000, [] {});
  // A strand that is ready gets its turn within some time slices.
  await_answers(5'000'000'000, 10'000'000, [&] {
    with_ults([](const std::vector<ult::Ult*>& ults) {
      for (std::size_t i = 0; i < ults.size(); ++i) {
        if (ults[i] == nullptr || question->strands[i].answered.load(std::memory_order_relaxed))
          continue;
        const int thread = ult::kernel_thread_of(*ults[i]);
        if (thread != 0) platform::signal_thread(thread, kSignal);
      }
    });
  });
  return answers();
}

}  // namespace heddle::runtime
