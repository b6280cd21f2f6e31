#include "exec/process/descriptors/descriptor_owners.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "exec/process/descriptors/open_files.h"
#include "exec/process/files/file_locks.h"
#include "exec/process/state/rank_state.h"

namespace heddle::process {

namespace {

constexpr int kFirst = 3;

// A rank, and whether its children get the descriptor; 0: no rank.
using OwnerWord = std::uintptr_t;
constexpr OwnerWord kPassesOn = 1;
static_assert(alignof(RankState) > kPassesOn);

// By descriptor. Pages that are not needed are never touched.
// relaxed: a program that gives a descriptor to another of its threads orders them itself.
// Not of std::atomic, whose million constructors the compiler would have to evaluate.
constinit std::array<OwnerWord, kMostOpenFiles> entries{};
std::atomic_ref<OwnerWord> at(int descriptor) noexcept {
  return std::atomic_ref<OwnerWord>(entries[static_cast<std::size_t>(descriptor)]);
}

// All entries from here on are 0.
constinit std::atomic<int> end{kFirst};

OwnerWord of(const RankState& rank) noexcept {
  return reinterpret_cast<OwnerWord>(&rank);
}

OwnerWord entry(int descriptor) noexcept {
  if (descriptor < kFirst || descriptor >= kMostOpenFiles) return 0;
  return at(descriptor).load(std::memory_order_relaxed);
}

bool belongs(OwnerWord entry, const RankState& rank) noexcept {
  return (entry & ~kPassesOn) == of(rank);
}

void set(int descriptor, OwnerWord entry) noexcept {
  if (descriptor < kFirst || descriptor >= kMostOpenFiles) return;
  at(descriptor).store(entry, std::memory_order_relaxed);
  int seen = end.load(std::memory_order_relaxed);
  while (entry != 0 && seen <= descriptor &&
         !end.compare_exchange_weak(seen, descriptor + 1, std::memory_order_relaxed)) {
  }
}

// The first descriptor from `first` on that belongs to the rank; -1: none.
int next_of(const RankState& rank, int first) noexcept {
  for (int i = std::max(first, kFirst); i < end.load(std::memory_order_relaxed); ++i) {
    if (belongs(entry(i), rank)) return i;
  }
  return -1;
}

template <class Visit>
void for_each_of(const RankState& rank, Visit visit) noexcept {
  for (int i = next_of(rank, kFirst); i >= 0; i = next_of(rank, i + 1)) visit(i);
}

template <class Visit>
void for_each_passed_on(const RankState& rank, Visit visit) noexcept {
  for_each_of(rank, [&](int descriptor) {
    if ((entry(descriptor) & kPassesOn) != 0) visit(descriptor);
  });
}

void own(int descriptor, int passes_on) noexcept {
  const RankState* const rank = hosted_state();
  if (rank != nullptr) set(descriptor, of(*rank) | (passes_on != 0 ? kPassesOn : 0));
}

int give_up(int descriptor) noexcept {
  const RankState* const rank = hosted_state();
  // A destructor that runs after its rank's end closes what is left by itself.
  if (rank == nullptr) return 0;
  if (!belongs(entry(descriptor), *rank)) {
    errno = EBADF;
    return -1;
  }
  unlock_before_close(descriptor);
  set(descriptor, 0);
  return 0;
}

int refuse_to_replace(RankState& rank, int onto) noexcept {
  char sentence[256];
  const int length =
      std::snprintf(sentence, sizeof sentence,
                    "rank %d: dup2 onto %d: this descriptor is open and not this rank's, since all "
                    "ranks share one "
                    "table of descriptors; take a free number by dup or fcntl(F_DUPFD)\n",
                    rank.shown.number, onto);
  rank.write(STDERR_FILENO, sentence, static_cast<std::size_t>(length));
  errno = EBUSY;
  return -1;
}

int replace(int from, int onto, int passes_on) noexcept {
  if (hosted_state() == nullptr) {
    errno = EBADF;
    return -1;
  }
  RankState& rank = *hosted_state();
  if (from == onto) return fcntl(from, F_GETFD) < 0 ? -1 : onto;
  if (belongs(entry(onto), rank)) {
    unlock_before_close(onto);
    if (dup3(from, onto, O_CLOEXEC) < 0) return -1;
  } else {
    // This takes the number only if it is free, even if another rank opens a file at this moment.
    const int made = fcntl(from, F_DUPFD_CLOEXEC, onto);
    if (made < 0) {
      if (errno == EINVAL) errno = EBADF;  // beyond the limit
      return -1;
    }
    if (made != onto) {
      close(made);
      return refuse_to_replace(rank, onto);
    }
  }
  own(onto, passes_on);
  return onto;
}

int passes_on(int descriptor) noexcept {
  const RankState* const rank = hosted_state();
  const OwnerWord noted = entry(descriptor);
  if (rank == nullptr || !belongs(noted, *rank)) return -1;
  return (noted & kPassesOn) != 0 ? 1 : 0;
}

int next(int first) noexcept {
  const RankState* const rank = hosted_state();
  return rank != nullptr ? next_of(*rank, first) : -1;
}

}  // namespace

void add_owner_hooks(heddle_descriptor_hooks* hooks) noexcept {
  hooks->own = own;
  hooks->give_up = give_up;
  hooks->replace = replace;
  hooks->passes_on = passes_on;
  hooks->next = next;
}

void keep_descriptors_in_child(const RankState& rank) noexcept {
  for_each_passed_on(rank, [](int descriptor) { fcntl(descriptor, F_SETFD, 0); });
  for (int i = kFirst; i < end.load(std::memory_order_relaxed); ++i) {
    if (entry(i) != 0 && !belongs(entry(i), rank)) close(i);
  }
}

int pass_on_descriptors(const RankState& rank, SpawnActions* actions) noexcept {
  int error = 0;
  // A duplicate at the same number is not close-on-exec.
  for_each_passed_on(rank, [&](int descriptor) {
    if (error == 0) error = actions->add_dup2(descriptor, descriptor);
  });
  return error;
}

void show_descriptors(const RankState& rank) noexcept {
  for_each_passed_on(rank, [](int descriptor) { fcntl(descriptor, F_SETFD, 0); });
}

void hide_descriptors(const RankState& rank) noexcept {
  for_each_passed_on(rank, [](int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); });
}

void adopt_descriptor(int descriptor) noexcept {
  const int flags = fcntl(descriptor, F_GETFD);
  if (flags < 0) return;
  own(descriptor, (flags & FD_CLOEXEC) == 0 ? 1 : 0);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void disown_descriptor(int descriptor) noexcept {
  set(descriptor, 0);
}

void close_descriptors_of(const RankState& rank) noexcept {
  for_each_of(rank, [](int descriptor) {
    set(descriptor, 0);
    close(descriptor);
  });
}

}  // namespace heddle::process
