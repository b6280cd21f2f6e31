#include "exec/process/files/file_locks.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <tuple>

#include "base/fork.h"
#include "base/mutex.h"
#include "exec/process/files/held_ranges.h"
#include "exec/process/sleep/sleep.h"
#include "exec/process/state/rank_state.h"

namespace heddle::process {

namespace {

struct File {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(const File& other) const noexcept {
    return device == other.device && number == other.number;
  }
};

// Ordered by file, so that all ranks of one stand together.
struct Key {
  File file;
  const RankState* rank = nullptr;
  bool operator<(const Key& other) const noexcept {
    return std::tie(file.device, file.number, rank) <
           std::tie(other.file.device, other.file.number, other.rank);
  }
};

struct RankLocks {
  int descriptor = -1;  // the host's, of a description for this rank and file
  HeldRanges held;
};

// What a program asks for.
struct Wish {
  File file;
  ByteRange range;
  short type = F_UNLCK;
  bool for_writing() const noexcept { return type == F_WRLCK; }
};

struct Table {
  // Lock: guards what ranks have locked by `fcntl`; held across system calls that do not wait, and
  // a fork; never a switch.
  Mutex mutex;
  std::map<Key, RankLocks> entries GUARDED_BY(mutex);
};
// Never destroyed: ranks may end after static objects.
Table& table() noexcept {
  static Table& instance = *new Table;
  return instance;
}

// These two take and release one lock.
void hold_file_locks() noexcept NO_THREAD_SAFETY_ANALYSIS {
  table().mutex.lock();
}
// A child has no locks, and no copy of the descriptions that hold its parent's.
void release_file_locks() noexcept NO_THREAD_SAFETY_ANALYSIS {
  if (is_child()) {
    for (const auto& [key, entry] : table().entries) close(entry.descriptor);
    table().entries.clear();
  }
  table().mutex.unlock();
}
[[maybe_unused]] const bool file_locks_at_forks =
    at_fork(ForkPart::kFileLocks, {.hold = hold_file_locks, .release = release_file_locks});

int fail(int error) noexcept {
  errno = error;
  return -1;
}

struct flock kernel_lock(const ByteRange& range, short type) noexcept {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = range.first;
  lock.l_len = range.last == ByteRange{}.last ? 0 : range.last - range.first + 1;
  return lock;
}

// An error number.
int find_range(int descriptor, const struct stat& file, const struct flock& lock,
               ByteRange* out) noexcept {
  off_t origin = 0;
  if (lock.l_whence == SEEK_CUR) {
    origin = lseek(descriptor, 0, SEEK_CUR);
    if (origin < 0) return errno;
  } else if (lock.l_whence == SEEK_END) {
    origin = file.st_size;
  } else if (lock.l_whence != SEEK_SET) {
    return EINVAL;
  }
  off_t first = 0, after = 0;
  if (__builtin_add_overflow(origin, lock.l_start, &first)) return EOVERFLOW;
  if (lock.l_len != 0 && __builtin_add_overflow(first, lock.l_len, &after)) return EOVERFLOW;
  *out = {};
  // A negative length is what lies before.
  out->first = lock.l_len < 0 ? after : first;
  if (lock.l_len > 0) out->last = after - 1;
  if (lock.l_len < 0) out->last = first - 1;
  return out->first < 0 ? EINVAL : 0;
}

bool may(int descriptor, short type) noexcept {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_PATH) != 0) return false;
  const int access = flags & O_ACCMODE;
  return type == F_UNLCK || access == O_RDWR || (access == O_WRONLY) == (type == F_WRLCK);
}

// A description of its own for the file behind `descriptor`, or, where the file cannot be opened
// once more, that of the program.
int open_description(int descriptor, const struct stat& file) noexcept {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  int opened = -1;
  if (S_ISREG(file.st_mode)) {
    // Opens it for both kinds of lock, if it may be.
    opened = open(path, O_RDWR | O_CLOEXEC);
    const int access = fcntl(descriptor, F_GETFL) & O_ACCMODE;
    if (opened < 0) opened = open(path, access | O_CLOEXEC);
  }
  return opened >= 0 ? opened : fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

int kernel_set(const RankLocks& entry, const ByteRange& range, short type) noexcept {
  struct flock lock = kernel_lock(range, type);
  return fcntl(entry.descriptor, F_OFD_SETLK, &lock);
}

void close_entry(const RankLocks& entry) noexcept {
  // A child of fork may have the description still.
  kernel_set(entry, {}, F_UNLCK);
  close(entry.descriptor);
}

// Null and errno where no descriptor can be had.
RankLocks* entry_for(RankState& rank, int descriptor, const struct stat& status, const Wish& wish)
    REQUIRES(table().mutex) {
  const auto [found, is_new] = table().entries.try_emplace({wish.file, &rank});
  RankLocks& entry = found->second;
  // What it was first opened for may not do for this kind of lock.
  const bool reopens = !is_new && !may(entry.descriptor, wish.type) && entry.held.empty();
  if (!is_new && !reopens) return &entry;
  const int opened = open_description(descriptor, status);
  if (opened < 0) {
    const int error = errno;
    if (is_new) table().entries.erase(found);
    errno = error;
    return nullptr;
  }
  if (reopens) close(entry.descriptor);
  if (is_new) rank.locked_files.fetch_add(1, std::memory_order_relaxed);
  entry.descriptor = opened;
  return &entry;
}

int try_to_set(RankState& rank, int descriptor, const struct stat& status, const Wish& wish)
    REQUIRES(table().mutex) {
  const bool unlocks = wish.type == F_UNLCK;
  if (unlocks && table().entries.count({wish.file, &rank}) == 0) return 0;
  RankLocks* const entry = entry_for(rank, descriptor, status, wish);
  if (entry == nullptr) return fail(ENOLCK);
  if (!may(entry->descriptor, wish.type)) return fail(ENOLCK);
  if (kernel_set(*entry, wish.range, wish.type) != 0) return -1;
  if (unlocks) {
    entry->held.unlock(wish.range);
  } else {
    entry->held.lock(wish.range, wish.for_writing());
  }
  return 0;
}

// True if another rank holds what `rank` wishes.
bool is_held(const RankState& rank, const Wish& wish) REQUIRES(table().mutex) {
  auto& entries = table().entries;
  for (auto it = entries.lower_bound({wish.file, nullptr});
       it != entries.end() && it->first.file == wish.file; ++it) {
    if (it->first.rank == &rank) continue;
    if (it->second.held.conflicts(wish.range, wish.for_writing())) return true;
  }
  return false;
}

// 1: not yet.
int try_in_turn(RankState& rank, int descriptor, const struct stat& status, const Wish& wish) {
  const MutexGuard lock(table().mutex);
  if (try_to_set(rank, descriptor, status, wish) == 0) return 0;
  return errno == EAGAIN || errno == EACCES ? 1 : -1;
}

int wait_to_set(RankState& rank, int descriptor, const struct stat& status, const Wish& wish) {
  Pauses pauses;
  for (;;) {
    const int result = try_in_turn(rank, descriptor, status, wish);
    if (result != 1) return result;
    if (!pauses.wait()) return fail(EINTR);
  }
}

int ask(RankState& rank, int descriptor, const Wish& wish, struct flock* lock) {
  const MutexGuard guard(table().mutex);
  const auto own = table().entries.find({wish.file, &rank});
  struct flock found = kernel_lock(wish.range, wish.type);
  // Without a lock of the rank's own any description will do.
  const int asked = own != table().entries.end() ? own->second.descriptor : descriptor;
  if (fcntl(asked, F_OFD_GETLK, &found) != 0) return -1;
  if (found.l_type == F_UNLCK) {
    lock->l_type = F_UNLCK;
    return 0;
  }
  if (found.l_pid == -1 && is_held(rank, wish)) {
    found.l_pid = getpid();
  }
  *lock = found;
  return 0;
}

}  // namespace

int lock_file(int descriptor, int command, struct flock* lock) {
  RankState* const rank = hosted_state();
  struct stat status;
  if (rank == nullptr || fstat(descriptor, &status) != 0) return fail(EBADF);
  Wish wish;
  wish.file = {status.st_dev, status.st_ino};
  wish.type = lock->l_type;
  const bool is_lock = wish.type == F_RDLCK || wish.type == F_WRLCK;
  if (!is_lock && (wish.type != F_UNLCK || command == F_GETLK)) return fail(EINVAL);
  if (const int error = find_range(descriptor, status, *lock, &wish.range)) return fail(error);
  if (command == F_GETLK) return ask(*rank, descriptor, wish, lock);
  if (!may(descriptor, wish.type)) return fail(EBADF);
  if (command == F_SETLKW) return wait_to_set(*rank, descriptor, status, wish);
  const MutexGuard guard(table().mutex);
  return try_to_set(*rank, descriptor, status, wish);
}

void unlock_before_close(int descriptor) noexcept {
  RankState* const rank = hosted_state();
  // relaxed: a program that locks and closes in two threads orders them itself.
  if (rank == nullptr || rank->locked_files.load(std::memory_order_relaxed) == 0) return;
  struct stat status;
  if (fstat(descriptor, &status) != 0) return;
  const MutexGuard guard(table().mutex);
  const auto found = table().entries.find({{status.st_dev, status.st_ino}, rank});
  if (found == table().entries.end()) return;
  close_entry(found->second);
  table().entries.erase(found);
  rank->locked_files.fetch_sub(1, std::memory_order_relaxed);
}

void unlock_all_of(const RankState& rank) noexcept {
  if (rank.locked_files.load(std::memory_order_relaxed) == 0) return;
  const MutexGuard guard(table().mutex);
  auto& entries = table().entries;
  for (auto it = entries.begin(); it != entries.end();) {
    const bool is_its = it->first.rank == &rank;
    if (is_its) close_entry(it->second);
    it = is_its ? entries.erase(it) : std::next(it);
  }
}

}  // namespace heddle::process
