#include "runtime/judge/deadlock_of_process.h"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/signals.h"
#include "exec/crash/symbols.h"
#include "exec/rank/rank.h"
#include "exec/ult/host_bell.h"
#include "exec/ult/own_sleep.h"
#include "exec/ult/stillness.h"
#include "runtime/crew/hosts.h"
#include "runtime/job_board/abort.h"
#include "runtime/judge/deadlock_between.h"
#include "runtime/judge/deadlock_report.h"
#include "runtime/judge/places.h"

namespace heddle::runtime {

namespace {

Hosts* own_hosts = nullptr;
Way* own_way = nullptr;
BoardWitness* processes = nullptr;

// One thread of the process judges at a time.
constinit std::atomic_flag judging;

const void* library_of(std::uintptr_t address) noexcept {
  Dl_info info = {};
  return dladdr(reinterpret_cast<const void*>(address), &info) != 0 ? info.dli_fbase : nullptr;
}

_Unwind_Reason_Code look_past_library(_Unwind_Context* context, void* found) {
  static const void* const own = library_of(reinterpret_cast<std::uintptr_t>(&look_past_library));
  int before = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
  if (address == 0) return _URC_END_OF_STACK;
  const std::uintptr_t call = before != 0 ? address : address - 1;
  if (library_of(call) == own) return _URC_NO_REASON;
  return static_cast<Calls*>(found)->add(call) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

std::string place_of_call() {
  Calls calls;
  _Unwind_Backtrace(look_past_library, &calls);
  if (calls.count == 0) return "";
  return place_of(calls, crash::Symbols(calls.places.data(), calls.count));
}

// The line of the main thread, and those of the others. The calling thread alone knows its place.
struct Lines {
  std::string own_place;
  std::string main;
  std::string others;

  void add(const ult::SleeperLine& line) {
    const std::string words =
        line.words + (line.thread == platform::kernel_thread_id() ? own_place : "");
    if (line.thread == getpid()) {
      main = " in " + words;
    } else {
      others += "\n    another thread in " + words;
    }
  }
};

enum class Queues : bool { kUnread, kRead };

// The queues may be read while no other thread can be in MPI.
std::string lines_with(Queues queues) {
  Lines lines = {.own_place = place_of_call()};
  ult::for_each_sleeper(
      [](const ult::SleeperLine& line, void* all) { static_cast<Lines*>(all)->add(line); }, &lines);
  const int number = Rank::current()->number();
  std::string all = "\n  rank " + std::to_string(number) + lines.main + lines.others;
  if (queues == Queues::kRead) all += own_hosts->queues_of(number, "\n    ");
  return all;
}

std::string lines_of_process() {
  return lines_with(Queues::kRead);
}

// Nothing of the process runs, and nothing will unless its bell rings.
bool stands_still(const ult::OwnSleep& sleep, StillWord* word) noexcept {
  const ult::Sleepers before = ult::count_sleepers();
  word->steps = before.steps;
  word->answered = before.answered;
  int threads = 0;
  if (!ult::lent_ults_stand_still(&word->steps, &word->answered) ||
      !platform::others_sleep(&threads) || threads != before.all || platform::shares_memory() ||
      sleep.has_ended(sleep.sleep)) {
    return false;
  }
  StillWord again = {.round = 0, .traffic = {}};
  const ult::Sleepers after = ult::count_sleepers();
  again.steps = after.steps;
  again.answered = after.answered;
  return before == after && ult::lent_ults_stand_still(&again.steps, &again.answered) &&
         word->steps == again.steps && word->answered == again.answered;
}

void judge_alone(const ult::OwnSleep& sleep) noexcept {
  StillWord word{.round = processes->question().load(std::memory_order_seq_cst), .traffic = {}};
  if (platform::has_handlers() || !own_hosts->all_sent(&word.traffic)) return;
  // What the thread that sleeps at the bell has seen of it. If none sleeps there, no message of
  // another process ends a wait: all wait for each other.
  const std::uint64_t rings = ult::rings_before_sleep();
  const std::uint64_t rings_now = std::uint64_t{own_way->bell(own_way->process())->rings()} + 1;
  word.rings = rings != 0 ? rings : rings_now;
  // Another thread may be about to look, or to see that this one does.
  constexpr int kTries = 4;
  constexpr timespec kMoment = {.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int i = 0; !stands_still(sleep, &word); ++i) {
    if (i == kTries) return;
    nanosleep(&kMoment, nullptr);
  }
  if (ult::rings_before_sleep() != rings) return;
  std::string lines;
  if (!processes->judge(word, lines_of_process, &lines)) return;
  Rank::enter(nullptr);  // it speaks for all
  abort_job(1, kDeadlock + lines);
}

// The end of the job's time (time_limit.h): mpiexec says it, and ends the job.
bool is_late(JobPage& page, int process) {
  if (page.deadline_ns == 0 || platform::now_ns() < page.deadline_ns) return false;
  if (page.lines_of(process).empty()) {
    const Queues queues = platform::has_foreign_threads() ? Queues::kUnread : Queues::kRead;
    page.put_lines(process, lines_with(queues));
  }
  return true;
}

void judge_sleep(const ult::OwnSleep& sleep) noexcept {
  const JobBoard& board = job_board();
  if (!board.is_of_process()) return;  // a child that has been forked does not judge
  if (Rank::current() == nullptr || judging.test_and_set(std::memory_order_acquire)) return;
  if (!is_late(board.page(), board.process()) && board.page().checks_deadlock) judge_alone(sleep);
  judging.clear(std::memory_order_release);
}

}  // namespace

void watch_process_for_deadlock(Hosts& hosts, Way& way) {
  const JobPage& page = job_board().page();
  if (way.processes() == 1 || way.has_network()) return;
  if (!page.checks_deadlock && page.deadline_ns == 0) return;
  if (page.deadline_ns != 0) ult::judge_also_at(page.deadline_ns);
  own_hosts = &hosts;
  own_way = &way;
  processes = new BoardWitness(way, job_board());
  ult::set_question(page.question);
  ult::set_sleep_judge(judge_sleep);
}

}  // namespace heddle::runtime
