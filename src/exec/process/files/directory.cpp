#include "exec/process/files/directory.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <vector>

#include "base/fork.h"
#include "base/mutex.h"
#include "exec/process/own/own.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {

constexpr std::size_t kMostWorkers = 4096;

// For each worker, the id of the Directory that is installed on its kernel thread. Each is used on
// its worker only.
constexpr std::uint64_t kNothingKnown = ~std::uint64_t{0};
std::array<std::uint64_t, kMostWorkers> installed{};

std::atomic<std::uint64_t> last_id{0};
std::atomic<bool> separable{true};  // false: the kernel refused unshare

int open_here() noexcept {
  return open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

mode_t present_mask() noexcept {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

// The process's own, which all ranks start with; taken before the first change.
struct Start {
  int descriptor = open_here();
  mode_t mask = present_mask();
};
const Start& start() noexcept {
  static const Start instance;
  return instance;
}

bool is_same(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Runs on a ult just after its worker has resumed it.
void on_resume(int) noexcept {
  if (const Directory* own = find_own(&Own::directory)) enter_directory(*own);
}

void apply(int descriptor, mode_t mask) noexcept {
  // A directory that was removed meanwhile can still be entered.
  [[maybe_unused]] const int result = fchdir(descriptor);
  umask(mask);
}

// False with errno: a change would reach other ranks.
bool prepare_change() noexcept {
  start();
  if (!separable.load(std::memory_order_relaxed) && ult::worker_count() > 1) {
    errno = ENOTSUP;
    return false;
  }
  ult::set_resume_hook(on_resume);
  return true;
}

}  // namespace

Directory::~Directory() {
  if (owned_) close(descriptor_);
}

int Directory::remember() noexcept {
  const int opened = open_here();
  if (opened < 0) return -1;
  const mode_t mask = present_mask();
  int previous = -1;
  std::uint64_t id = 0;
  {
    SpinGuard guard(lock_);
    if (owned_) previous = descriptor_;
    descriptor_ = opened;
    owned_ = true;
    mask_ = mask;
    id = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
    id_.store(id, std::memory_order_relaxed);
  }
  if (previous >= 0) close(previous);
  if (const ult::Ult* self = ult::current()) {
    installed[static_cast<std::size_t>(ult::worker_of(*self)) % kMostWorkers] = id;
  }
  return 0;
}

// And no other thread is making what start() gives.
void Directory::hold() const noexcept {
  start();
  lock_.lock();
}

namespace {
// These two take and release one lock.
void hold_for_fork() noexcept NO_THREAD_SAFETY_ANALYSIS {
  if (const Directory* const own = find_own(&Own::directory)) own->hold();
}
void release_after_fork() noexcept NO_THREAD_SAFETY_ANALYSIS {
  if (const Directory* const own = find_own(&Own::directory)) own->release();
}
void become_child(bool) noexcept {
  if (Directory* const own = find_own(&Own::directory)) own->forget_holder();
}
[[maybe_unused]] const bool at_forks =
    at_fork(ForkPart::kDirectory,
            {.hold = hold_for_fork, .release = release_after_fork, .become_child = become_child});
}  // namespace

int Directory::start_in(const char* path) noexcept {
  // Never closed: there are as many as a job has different -wdir.
  struct Shared {
    struct stat file;
    std::uint64_t id;
    int descriptor;
  };
  // Lock: guards the starting directories that ranks share (`-wdir`); held across system calls that
  // do not wait.
  static Mutex mutex;
  static std::vector<Shared> known;

  struct stat wanted;
  if (stat(path, &wanted) != 0) return -1;
  struct stat own;
  if (fstat(start().descriptor, &own) == 0 && is_same(wanted, own)) return 0;
  const MutexGuard lock(mutex);
  auto found = std::find_if(known.begin(), known.end(),
                            [&](const Shared& shared) { return is_same(shared.file, wanted); });
  if (found == known.end()) {
    if (!prepare_change()) return -1;
    const int opened = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return -1;
    known.push_back({wanted, last_id.fetch_add(1, std::memory_order_relaxed) + 1, opened});
    found = std::prev(known.end());
  }
  SpinGuard guard(lock_);
  id_ = found->id;
  descriptor_ = found->descriptor;
  mask_ = start().mask;
  return 0;
}

int Directory::change(const char* path) noexcept {
  if (!prepare_change()) return -1;
  return chdir(path) != 0 ? -1 : remember();
}

int Directory::change(int descriptor) noexcept {
  if (!prepare_change()) return -1;
  return fchdir(descriptor) != 0 ? -1 : remember();
}

mode_t Directory::set_mask(mode_t mask) noexcept {
  if (!prepare_change()) return present_mask();
  const mode_t previous = umask(mask);
  remember();
  return previous;
}

std::uint64_t Directory::install() const noexcept {
  SpinGuard guard(lock_);
  if (id() == 0) {
    apply(start().descriptor, start().mask);
  } else {
    apply(descriptor_, mask_);
  }
  return id();
}

void separate_worker_directory(int worker) noexcept {
  if (unshare(CLONE_FS) != 0) separable.store(false, std::memory_order_relaxed);
  // The thread has the directory of the thread that made it, or of a worker that it ran before.
  installed[static_cast<std::size_t>(worker) % kMostWorkers] = kNothingKnown;
}

void separate_thread_directory(const Directory& directory) noexcept {
  if (last_id.load(std::memory_order_relaxed) == 0 && directory.id() == 0) {
    if (unshare(CLONE_FS) != 0) separable.store(false, std::memory_order_relaxed);
    return;
  }
  if (unshare(CLONE_FS) == 0) directory.install();
}

void enter_directory(const Directory& directory) noexcept {
  const ult::Ult* self = ult::current();
  if (self == nullptr) return;
  std::uint64_t& present =
      installed[static_cast<std::size_t>(ult::worker_of(*self)) % kMostWorkers];
  if (present == directory.id()) return;
  present = directory.install();
}

}  // namespace heddle::process
