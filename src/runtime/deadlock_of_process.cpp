#include "runtime/deadlock_of_process.h"

#include <dlfcn.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdint>
#include <string>

#include "base/platform/foreign.h"
#include "exec/crash/symbols.h"
#include "exec/rank/rank.h"
#include "exec/ult/own_sleep.h"
#include "exec/ult/stillness.h"
#include "runtime/abort.h"
#include "runtime/deadlock_between.h"
#include "runtime/deadlock_report.h"
#include "runtime/members.h"
#include "runtime/process_rank.h"

namespace heddle::runtime {

namespace {

Members* own_members = nullptr;
StillProcesses* the_processes = nullptr;
const ult::OwnSleep* own_sleep = nullptr;  // while the thread looks

const void* library_of(std::uintptr_t address) noexcept {
  Dl_info info = {};
  return dladdr(reinterpret_cast<const void*>(address), &info) != 0 ? info.dli_fbase : nullptr;
}

// The first one that is not in this library.
_Unwind_Reason_Code look_past_library(_Unwind_Context* context, void* found) {
  static const void* const own = library_of(reinterpret_cast<std::uintptr_t>(&look_past_library));
  int before = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
  if (address == 0) return _URC_END_OF_STACK;
  const std::uintptr_t call = before != 0 ? address : address - 1;
  if (library_of(call) == own) return _URC_NO_REASON;
  *static_cast<std::uintptr_t*>(found) = call;
  return _URC_END_OF_STACK;
}

std::string place_of_call() {
  std::uintptr_t call = 0;
  _Unwind_Backtrace(look_past_library, &call);
  if (call == 0) return "";
  const crash::Symbol symbol = crash::Symbols(&call, 1).find(call);
  const std::string place = symbol.place.empty() ? "" : " (" + symbol.place + ")";
  return ", called by " + (symbol.function.empty() ? "?" : symbol.function) + place;
}

std::string lines_of_process() {
  const ult::WaitNote& note = own_sleep->note;
  const int number = Rank::current()->number();
  return "\n  rank " + std::to_string(number) + " in " + note.call + " waits for " +
         note.what(note.subject) + place_of_call() + own_members->queues_of(number, "\n    ");
}

void judge_sleep(const ult::OwnSleep& sleep) noexcept {
  const JobPage& page = *job_page();
  // Not in a child that has been forked.
  if (job_page()->card(own_process()).process.load(std::memory_order_relaxed) != getpid()) return;
  if (Rank::current() == nullptr) return;
  StillWord word{.round = page.question.load(std::memory_order_seq_cst), .traffic = {}};
  // Nor one of ours.
  const bool is_alone = platform::own_threads.load(std::memory_order_relaxed) == 1 &&
                        !platform::has_foreign_threads();
  if (!is_alone || platform::has_handlers() || !own_members->all_sent(&word.traffic)) return;
  word.steps = sleep.steps;
  word.answered = sleep.answered;
  own_sleep = &sleep;
  std::string lines;
  if (!the_processes->judge(sleep.rings, word, lines_of_process, &lines)) return;
  Rank::enter(nullptr);  // it speaks for all
  abort_job(1, kDeadlock + lines);
}

}  // namespace

void watch_process_for_deadlock(Members& members, NodeMemory& memory) noexcept {
  JobPage* const page = job_page();
  if (page == nullptr || !page->checks_deadlock) return;
  own_members = &members;
  the_processes = new StillProcesses(memory, *page, own_process());
  ult::set_question(page->question);
  ult::set_sleep_judge(judge_sleep);
}

}  // namespace heddle::runtime
