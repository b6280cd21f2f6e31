#include "exec/process/children/children.h"

#include <fcntl.h>
#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/fork.h"
#include "exec/process/children/start_child.h"
#include "exec/process/descriptors/descriptor_owners.h"
#include "exec/process/descriptors/open_files.h"
#include "exec/process/descriptors/spawn_actions.h"
#include "exec/process/descriptors/standard_places.h"
#include "exec/process/state/rank_state.h"
#include "exec/ult/outside.h"
#include "exec/ult/worker_core.h"

namespace heddle::process {

namespace {

// The lines that the rank has begun.
void emit_lines() noexcept {
  RankState* const state = hosted_state();
  if (state != nullptr && !is_child()) state->flush_lines();
}

void become_process(bool of_host) noexcept {
  RankState* const state = hosted_state();
  if (state == nullptr || !of_host) return;
  StandardPlaces(*state).fill();
  for (int i = 0; i < 3; ++i) state->standard[i].redirect_to_shared(i);
  keep_descriptors_in_child(*state);
  lower_open_files_of(0);
  // What libc does by itself (execvp, system …) sees the rank's variables, too; see
  // of_rank/environ.cpp.
  if (state->image != nullptr) environ = *state->image->environment;
}
[[maybe_unused]] const bool standard_at_forks =
    at_fork(ForkPart::kStandard, {.hold = emit_lines, .become_child = become_process});

const heddle_libc_image* image_of_caller() noexcept {
  const RankState* const state = hosted_state();
  return state != nullptr ? state->image : nullptr;
}

[[maybe_unused]] const bool image_at_forks =
    at_fork(ForkPart::kImage, {.hold =
                                   [] {
                                     if (const auto* image = image_of_caller()) image->hold_locks();
                                   },
                               .release =
                                   [] {
                                     if (const auto* image = image_of_caller())
                                       image->release_locks();
                                   }});

// False in a child of fork, too.
bool is_a_rank() noexcept {
  const RankState* const state = hosted_state();
  return state != nullptr && !is_child();
}

// The process's descriptors 0, 1 and 2 before prepare_exec; -1: none. Only used by a rank that is
// alone in its job.
std::array<int, 3> before_exec = {-1, -1, -1};
// Until undo_exec the worker is off its core, which the program would inherit.
std::optional<ult::OffCore> off_core;

int try_to_spawn(const RankState& state, pid_t* made, const char* path,
                 const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                 char* const* argv, char* const* environment) noexcept {
  const StandardPlaces places(state);
  SpawnActions all;
  for (int i = 0; i < 3; ++i) {
    int error = 0;
    if (places.at(i) >= 0) error = all.add_dup2(places.at(i), i);
    if (places.is_empty(i)) error = all.add_close(i);
    if (error != 0) return error;
  }
  if (const int error = pass_on_descriptors(state, &all)) return error;
  if (actions != nullptr) {
    if (const int error = all.add_all(*actions)) return error;
  }
  const ult::OffCore meanwhile;
  return start_child(made, path, all, attributes, argv, environment);
}

}  // namespace

int spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
          const posix_spawnattr_t* attributes, char* const* argv,
          char* const* environment) noexcept {
  RankState& state = *hosted_state();
  state.flush_lines();
  pid_t made = 0;
  int error = EBADF;
  // Another thread of the rank may close a descriptor between the list of actions and the start.
  constexpr int kTries = 4;
  for (int i = 0; i < kTries && error == EBADF; ++i) {
    error = try_to_spawn(state, &made, path, actions, attributes, argv, environment);
  }
  if (error != 0) return error;
  if (child != nullptr) *child = made;
  return 0;
}

int prepare_exec(const char* path) noexcept {
  if (!is_a_rank()) return 0;
  RankState& state = *hosted_state();
  if (state.ranks > 1) {
    char sentence[512];
    const int length = std::snprintf(sentence, sizeof sentence,
                                     "rank %d: to execute %.300s here would replace all ranks of "
                                     "the job, which share one process; "
                                     "start it by fork and exec, posix_spawn or system\n",
                                     state.shown.number, path);
    state.write(STDERR_FILENO, sentence, static_cast<std::size_t>(length));
    errno = EPERM;
    return -1;
  }
  state.flush_lines();
  for (int i = 0; i < 3; ++i) {
    before_exec[static_cast<std::size_t>(i)] = fcntl(i, F_DUPFD_CLOEXEC, 3);
  }
  StandardPlaces(state).fill();
  show_descriptors(state);
  lower_open_files_of(0);
  off_core.emplace();
  return 0;
}

void undo_exec() noexcept {
  if (!is_a_rank()) return;
  const int error = errno;
  for (int i = 0; i < 3; ++i) {
    int& before = before_exec[static_cast<std::size_t>(i)];
    if (before < 0) continue;
    dup2(before, i);
    close(before);
    before = -1;
  }
  hide_descriptors(*hosted_state());
  raise_open_files();
  off_core.reset();
  errno = error;
}

int go_to_tracer(pid_t traced) noexcept {
  char text[1024];
  std::snprintf(text, sizeof text, "/proc/%d/status", traced);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[std::max<ssize_t>(size, 0)] = '\0';
  constexpr char kName[] = "TracerPid:";
  const char* const place = std::strstr(text, kName);
  const long tracer = place != nullptr ? std::strtol(place + sizeof kName - 1, nullptr, 10) : 0;
  // It may have sent the caller home a moment ago, and be about to become a spare one.
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 100'000};
  constexpr int kTries = 100;
  for (int i = 0; tracer != 0 && i < kTries; ++i) {
    if (ult::move_to_thread(static_cast<int>(tracer))) return 0;
    nanosleep(&kPause, nullptr);
  }
  return -1;
}

}  // namespace heddle::process
