#include "exec/process/state/rank_state.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/fork.h"
#include "base/spin_lock.h"
#include "exec/process/own/own.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {

// All hosted ranks.
struct HostedRanks {
  // Lock: guards the list of all ranks with output; held across nothing, except in a crash: writing
  // what they have begun.
  SpinLock lock;
  IntrusiveList<RankState> states GUARDED_BY(lock);
};
constinit HostedRanks hosted_ranks;

}  // namespace

RankState::RankState(Rank& rank) noexcept
    : output(Sink::of(STDOUT_FILENO), rank.number()),
      errors(Sink::of(STDERR_FILENO), rank.number()),
      entered_(&rank) {}

RankState::~RankState() {
  {
    SpinGuard guard(hosted_ranks.lock);
    if (linked()) IntrusiveList<RankState>::erase(*this);  // else it has never been hosted
  }
  for (FILE* stream : shown.streams) {
    if (stream != nullptr) std::fclose(stream);
  }
  output.flush();
  errors.flush();
}

ssize_t RankState::write(int descriptor, const void* bytes, std::size_t size) noexcept {
  if (is_child()) return ::write(descriptor, bytes, size);
  if (silent.load(std::memory_order_relaxed)) return static_cast<ssize_t>(size);
  const Standard& target = standard[descriptor];
  if (target.own() >= 0) return ::write(target.own(), bytes, size);
  if (target.is_closed()) {
    errno = EBADF;
    return -1;
  }
  return writer(target.shared()).write(static_cast<const char*>(bytes), size);
}

void RankState::write_in_crash(int descriptor, const char* text, std::size_t size) noexcept {
  const Standard& target = standard[descriptor];
  const bool goes_on = !silent.load(std::memory_order_relaxed);
  // What it has printed before it redirected the descriptor is in the writer.
  const bool is_shared = target.own() < 0 && !target.is_closed() && goes_on;
  writer(descriptor).write_in_crash(nullptr, 0);
  if (is_shared) writer(target.shared()).write_in_crash(text, size);
  if (goes_on && target.own() >= 0 && ::write(target.own(), text, size) < 0) return;
}

bool RankState::enter_from_outside() noexcept {
  inside_.fetch_add(1, std::memory_order_seq_cst);
  Rank* const rank = entered_.load(std::memory_order_seq_cst);
  if (rank == nullptr) {
    inside_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  Rank::enter(rank);
  return true;
}

void RankState::leave_to_outside() noexcept {
  Rank::enter(nullptr);
  inside_.fetch_sub(1, std::memory_order_release);  // with close_to_outside
}

void RankState::close_to_outside() noexcept {
  entered_.store(nullptr, std::memory_order_seq_cst);
  while (inside_.load(std::memory_order_seq_cst) != 0) ult::yield();
}

RankState* hosted_state() noexcept {
  const Own* const rank = own_of_rank.find();
  // relaxed: the rank's main strand has written it before the rank had others.
  return rank != nullptr ? rank->hosted.load(std::memory_order_relaxed) : nullptr;
}

void host_state(std::unique_ptr<RankState> state) {
  {
    SpinGuard guard(hosted_ranks.lock);
    hosted_ranks.states.push_back(*state);
  }
  own().hosted.store(state.release(), std::memory_order_relaxed);
}

void visit_in_crash(void (*visit)(RankState& state)) noexcept NO_THREAD_SAFETY_ANALYSIS {
  constexpr int kTries = 100;  // of a millisecond
  bool locked = hosted_ranks.lock.try_lock();
  for (int i = 0; i < kTries && !locked; ++i) {
    poll(nullptr, 0, 1);
    locked = hosted_ranks.lock.try_lock();
  }
  if (!locked) return;
  for (RankState& state : hosted_ranks.states) visit(state);
  hosted_ranks.lock.unlock();
}

}  // namespace heddle::process
