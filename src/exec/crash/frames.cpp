#include "exec/crash/frames.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <unwind.h>

#include <algorithm>

#include "base/platform/call_site.h"
#include "base/platform/memory.h"
#include "base/platform/signals.h"
#include "exec/ult/ult.h"

namespace heddle::crash {

namespace {

constexpr std::uintptr_t kWord = sizeof(std::uintptr_t);
// How many bytes of the stack are searched for return addresses.
constexpr std::uintptr_t kMostScanned = 256 << 10;
// The frames of a strand's first functions lie so near to its stack's top.
constexpr std::uintptr_t kNearTop = 4096;

sigjmp_buf before_unwinding;
std::uintptr_t last_frame = 0;  // of the unwinder: the address of the frame

bool is_code(std::uintptr_t address) noexcept {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(address), &info) != 0;
}

bool is_return_address(std::uintptr_t address) noexcept {
  return is_code(address) && platform::is_behind_call(address);
}

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  Frames& frames = *static_cast<Frames*>(argument);
  int before = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before);
  if (address == 0 || frames.count == kMostFrames) return _URC_END_OF_STACK;
  last_frame = _Unwind_GetCFA(context);
  // A return address may be the next line's; the call is one byte before it.
  frames.add(before != 0 ? address : address - 1);
  return _URC_NO_REASON;
}

void give_up_unwinding(int) {
  siglongjmp(before_unwinding, 1);
}

// Unwinds as far as it can, also where it crashes.
void unwind(Frames* frames) noexcept {
  constexpr int kSignals[] = {SIGSEGV, SIGBUS};
  struct sigaction second = {}, before[2];
  second.sa_handler = give_up_unwinding;
  second.sa_flags = SA_ONSTACK;
  sigset_t open, mask;
  sigemptyset(&open);
  for (int i = 0; i < 2; ++i) {
    sigaction(kSignals[i], &second, &before[i]);
    sigaddset(&open, kSignals[i]);
  }
  platform::change_mask_of_this_thread(SIG_UNBLOCK, open, &mask);
  if (sigsetjmp(before_unwinding, 0) == 0) _Unwind_Backtrace(add_frame, frames);
  platform::change_mask_of_this_thread(SIG_SETMASK, mask, nullptr);
  for (int i = 0; i < 2; ++i) sigaction(kSignals[i], &before[i], nullptr);
}

// The index of the frame at `counter`, or of the end.
int find(const Frames& frames, std::uintptr_t counter) noexcept {
  return static_cast<int>(std::find(frames.at, frames.at + frames.count, counter) - frames.at);
}

// The program has jumped to where no code is. If that was a call, its caller lies on top of the
// stack.
void unwind_from_caller(ucontext_t& context, Frames* frames) noexcept {
  frames->add(platform::program_counter(context));
  std::uintptr_t caller = 0;
  if (!platform::return_address(context, &caller) || !is_return_address(caller)) return;
  platform::leave_call(context, caller);
  Frames of_caller;
  unwind(&of_caller);
  const int first = find(of_caller, platform::program_counter(context));
  for (int i = first; i < of_caller.count; ++i) {
    for (int n = 0; n < of_caller.times[i]; ++n) frames->add(of_caller.at[i]);
  }
}

std::uintptr_t top_of_stack(std::uintptr_t pointer) noexcept {
  const ult::Ult* const self = ult::current();
  if (self == nullptr) return pointer + kMostScanned;
  const ult::StackRange stack = ult::stack_of(*self);
  return reinterpret_cast<std::uintptr_t>(stack.low) + stack.bytes;
}

bool ends_early(const Frames& frames) noexcept {
  if (frames.count - frames.first < 2 || !is_code(frames.at[frames.count - 1])) return true;
  return ult::current() != nullptr && last_frame + kNearTop < top_of_stack(last_frame);
}

void scan_stack(std::uintptr_t pointer, Frames* frames) noexcept {
  pointer = (pointer + kWord - 1) & ~(kWord - 1);
  const std::uintptr_t end = std::min(top_of_stack(pointer), pointer + kMostScanned);
  for (; pointer < end && frames->count < kMostFrames; pointer += kWord) {
    std::uintptr_t word = 0;
    if (!platform::read_memory(pointer, &word, sizeof word)) return;
    const bool is_new = !frames->has(word - 1) || frames->at[frames->count - 1] == word - 1;
    if (is_new && is_return_address(word)) frames->add(word - 1);
  }
}

}  // namespace

void Frames::add(std::uintptr_t call) noexcept {
  if (count > 0 && at[count - 1] == call && (exact == 0 || count > exact)) {
    ++times[count - 1];
    return;
  }
  if (count == kMostFrames) return;
  at[count] = call;
  times[count++] = 1;
}

bool Frames::has(std::uintptr_t call) const noexcept {
  return std::find(at, at + count, call) != at + count;
}

void find_frames(ucontext_t& context, Frames* frames) noexcept {
  const std::uintptr_t counter = platform::program_counter(context);
  const std::uintptr_t pointer = platform::stack_pointer(context);
  if (is_code(counter)) {
    unwind(frames);
    frames->first = find(*frames, counter);
  }
  if (frames->first == frames->count) {
    *frames = Frames();
    unwind_from_caller(context, frames);
  }
  const bool incomplete = ends_early(*frames);
  // The last one may be garbage that was written over a return address.
  if (frames->count - frames->first > 1 && !is_code(frames->at[frames->count - 1])) --frames->count;
  frames->exact = frames->count;
  if (incomplete) scan_stack(pointer, frames);
}

}  // namespace heddle::crash
