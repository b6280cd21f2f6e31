#include "exec/process/descriptors/spawn_actions.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace heddle::process {

namespace {

char* bytes_of(const posix_spawn_file_actions_t& list) noexcept {
  return reinterpret_cast<char*>(list.__actions);
}

struct Dup2 {
  int from;
  int onto;
};

// Where it stands in the list, which has it.
std::size_t place_of(const Dup2& action, const posix_spawn_file_actions_t& list) noexcept {
  std::size_t place = 0;
  while (std::memcmp(bytes_of(list) + place, &action, sizeof action) != 0) place += sizeof(int);
  return place;
}

// The bytes of one element; 0: no memory is left.
std::size_t element_size() noexcept {
  constexpr Dup2 kFirst = {11, 12}, kSecond = {13, 14};
  posix_spawn_file_actions_t list;
  if (posix_spawn_file_actions_init(&list) != 0) return 0;
  std::size_t size = 0;
  if (posix_spawn_file_actions_adddup2(&list, kFirst.from, kFirst.onto) == 0 &&
      posix_spawn_file_actions_adddup2(&list, kSecond.from, kSecond.onto) == 0) {
    size = place_of(kSecond, list) - place_of(kFirst, list);
  }
  posix_spawn_file_actions_destroy(&list);
  return size;
}

enum ActionKind { kClose, kDup2, kOpen, kChdir, kFchdir, kCloseFrom, kForeground, kKinds };

struct Open {
  int descriptor;
  const char* path;
  int flags;
  mode_t mode;
};

// An element of the list.
struct Action {
  int kind;  // libc's number of it
  union {
    int descriptor;  // of the other kinds
    Dup2 dup2;
    Open open;
    const char* path;  // of kChdir
  };
};

Action element(const posix_spawn_file_actions_t& list, int i) noexcept {
  Action action;
  std::memcpy(&action, bytes_of(list) + static_cast<std::size_t>(i) * sizeof action, sizeof action);
  return action;
}

// libc's number of each kind; not known: an element looks otherwise.
struct Kinds {
  bool are_known = false;
  std::array<int, kKinds> number = {};

  ActionKind of(const Action& action) const noexcept {
    return static_cast<ActionKind>(std::find(number.begin(), number.end(), action.kind) -
                                   number.begin());
  }
};

bool fill_with_samples(
    posix_spawn_file_actions_t* list) noexcept {  // one of each kind, in their order
  return posix_spawn_file_actions_addclose(list, 11) == 0 &&
         posix_spawn_file_actions_adddup2(list, 12, 13) == 0 &&
         posix_spawn_file_actions_addopen(list, 14, "/", O_PATH, 0123) == 0 &&
         posix_spawn_file_actions_addchdir_np(list, "/") == 0 &&
         posix_spawn_file_actions_addfchdir_np(list, 15) == 0 &&
         posix_spawn_file_actions_addclosefrom_np(list, 16) == 0 &&
         posix_spawn_file_actions_addtcsetpgrp_np(list, 17) == 0;
}

bool are_as_known(const std::array<Action, kKinds>& samples) noexcept {
  const auto is = [&](ActionKind kind, int descriptor) {
    return samples[kind].descriptor == descriptor;
  };
  const Open& open = samples[kOpen].open;
  return is(kClose, 11) && is(kDup2, 12) && samples[kDup2].dup2.onto == 13 && is(kOpen, 14) &&
         open.flags == O_PATH && open.mode == 0123 && std::strcmp(open.path, "/") == 0 &&
         std::strcmp(samples[kChdir].path, "/") == 0 && is(kFchdir, 15) && is(kCloseFrom, 16) &&
         is(kForeground, 17);
}

Kinds learn_kinds() noexcept {
  Kinds kinds;
  posix_spawn_file_actions_t list;
  if (element_size() != sizeof(Action) || posix_spawn_file_actions_init(&list) != 0) return kinds;
  if (fill_with_samples(&list)) {
    std::array<Action, kKinds> samples;
    for (int i = 0; i < kKinds; ++i) {
      const auto place = static_cast<std::size_t>(i);
      samples[place] = element(list, i);
      kinds.number[place] = samples[place].kind;
    }
    kinds.are_known = are_as_known(samples);
  }
  posix_spawn_file_actions_destroy(&list);
  return kinds;
}

const Kinds& known_kinds() noexcept {
  static const Kinds kinds = learn_kinds();
  return kinds;
}

// What follows runs in the child. System calls by number: libc's functions are cancellation points,
// and a sanitizer would take them for the parent's.

int error_of(long result) noexcept {
  return result < 0 ? errno : 0;
}

int put(int from, int onto) noexcept {
  // At the same number: not close-on-exec any more.
  return error_of(from == onto ? syscall(SYS_fcntl, from, F_SETFD, 0)
                               : syscall(SYS_dup3, from, onto, 0));
}

int perform_open(const Open& open) noexcept {
  syscall(SYS_close, open.descriptor);
  const auto made =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, open.path, open.flags, open.mode));
  if (made < 0 || made == open.descriptor) return error_of(made);
  const int error = put(made, open.descriptor);
  syscall(SYS_close, made);
  return error;
}

int close_from(int first) noexcept {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return 0;
  rlimit limit = {};  // an old kernel
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
  for (int i = first; static_cast<rlim_t>(i) < limit.rlim_cur; ++i) syscall(SYS_close, i);
  return 0;
}

int enter_foreground(int terminal) noexcept {
  const auto group = static_cast<pid_t>(syscall(SYS_getpgid, 0));
  return error_of(syscall(SYS_ioctl, terminal, TIOCSPGRP, &group));
}

int perform_one(const Action& action) noexcept {
  switch (known_kinds().of(action)) {
    case kClose:
      syscall(SYS_close, action.descriptor);  // one that is not open is no error
      return 0;
    case kDup2:
      return put(action.dup2.from, action.dup2.onto);
    case kOpen:
      return perform_open(action.open);
    case kChdir:
      return error_of(syscall(SYS_chdir, action.path));
    case kFchdir:
      return error_of(syscall(SYS_fchdir, action.descriptor));
    case kCloseFrom:
      return close_from(action.descriptor);
    case kForeground:
      return enter_foreground(action.descriptor);
    case kKinds:
      break;
  }
  return EINVAL;
}

}  // namespace

SpawnActions::SpawnActions() noexcept {
  posix_spawn_file_actions_init(&all_);
}

SpawnActions::~SpawnActions() {
  // libc's function would free what elements of the program's list point to.
  std::free(all_.__actions);
}

int SpawnActions::add_dup2(int from, int onto) noexcept {
  return posix_spawn_file_actions_adddup2(&all_, from, onto);
}

int SpawnActions::add_close(int descriptor) noexcept {
  return posix_spawn_file_actions_addclose(&all_, descriptor);
}

int SpawnActions::add_all(const posix_spawn_file_actions_t& programs) noexcept {
  const std::size_t size = element_size();
  if (size == 0) return ENOMEM;
  const auto own = static_cast<std::size_t>(all_.__used);
  const auto added = static_cast<std::size_t>(programs.__used);
  void* const grown = std::realloc(bytes_of(all_), (own + added) * size + 1);
  if (grown == nullptr) return ENOMEM;
  all_.__actions = static_cast<__spawn_action*>(grown);
  if (added != 0) std::memcpy(bytes_of(all_) + own * size, bytes_of(programs), added * size);
  all_.__used = all_.__allocated = static_cast<int>(own + added);
  return 0;
}

bool SpawnActions::are_known() const noexcept {
  const Kinds& kinds = known_kinds();
  if (!kinds.are_known) return false;
  for (int i = 0; i < all_.__used; ++i) {
    if (kinds.of(element(all_, i)) == kKinds) return false;
  }
  return true;
}

int SpawnActions::perform() const noexcept {
  for (int i = 0; i < all_.__used; ++i) {
    if (const int error = perform_one(element(all_, i))) return error;
  }
  return 0;
}

}  // namespace heddle::process
