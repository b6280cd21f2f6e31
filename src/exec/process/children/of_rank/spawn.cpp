// posix_spawn, popen and system of a rank: the host puts the rank's descriptors in place (hooks.h),
// and programs get the rank's environment. popen and system are made of posix_spawn here, because
// libc's would start the shell with the process's environment. A child of fork uses libc's.
//
// While a rank waits for its child, others run. Unlike libc's, system() leaves SIGINT, SIGQUIT and
// SIGCHLD alone: what the kernel does at Ctrl-C concerns the process, and ignoring it would keep
// the job from ending.

#include "exec/process/children/of_rank/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/process/children/of_rank/own_children.h"
#include "exec/process/children/of_rank/program_path.h"
#include "exec/process/program/of_rank/own_process.h"
#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/state/of_rank/lock.h"
#include "exec/process/streams/of_rank/files.h"
#include "exec/process/waits/of_rank/pauses.h"

using namespace heddle::process::of_rank;

namespace {

using Actions = posix_spawn_file_actions_t;
using Attributes = posix_spawnattr_t;

// The error number; `end` of a pipe becomes the shell's `onto`, unless it is -1.
int start_shell(const char* command, int end, int onto, pid_t* child) noexcept {
  char name[] = "sh", option[] = "-c";
  char* const argv[] = {name, option, const_cast<char*>(command), nullptr};
  Actions actions;
  if (const int error = posix_spawn_file_actions_init(&actions)) return error;
  int error = end >= 0 ? posix_spawn_file_actions_adddup2(&actions, end, onto) : 0;
  if (error == 0) {
    error = rank_hooks()->children.spawn(child, _PATH_BSHELL, &actions, nullptr, argv,
                                         *environment_variable);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

struct Pipe {
  FILE* stream;
  pid_t child;
  Pipe* next;
};
constinit Pipe* pipes = nullptr;

// Out of the list, or nullptr.
Pipe* take(const FILE* stream) noexcept {
  Guard guard(Guarded::kPipes);
  for (Pipe** link = &pipes; *link != nullptr; link = &(*link)->next) {
    Pipe* const found = *link;
    if (found->stream != stream) continue;
    *link = found->next;
    return found;
  }
  return nullptr;
}

void close_both(const int* ends) noexcept {
  close(ends[0]);
  close(ends[1]);
}

// `own` is the rank's end: 0 to read, 1 to write. Null and errno.
FILE* open_pipe(const char* command, int own) noexcept {
  auto* const made = static_cast<Pipe*>(malloc(sizeof(Pipe)));
  int ends[2];
  if (made == nullptr) return nullptr;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    free(made);
    return nullptr;
  }
  FILE* const stream = fdopen(ends[own], own == 0 ? "r" : "w");
  const int error =
      stream == nullptr ? errno : start_shell(command, ends[1 - own], 1 - own, &made->child);
  if (error != 0) {
    if (stream != nullptr) {
      fclose(stream);
      close(ends[1 - own]);
    } else {
      close_both(ends);
    }
    free(made);
    errno = error;
    return nullptr;
  }
  close(ends[1 - own]);
  made->stream = stream;
  Guard guard(Guarded::kPipes);
  made->next = pipes;
  pipes = made;
  return stream;
}

}  // namespace

namespace heddle::process::of_rank {

int await_child(pid_t child) {
  Pauses pauses;
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return -1;
    if (pauses.pause() == WaitEnd::kNot) {
      if (waitpid(child, &status, 0) == child) return status;
      if (errno != EINTR) return -1;
    }
  }
}

bool is_pipe(const FILE* stream) noexcept {
  Guard guard(Guarded::kPipes);
  for (const Pipe* pipe = pipes; pipe != nullptr; pipe = pipe->next) {
    if (pipe->stream == stream) return true;
  }
  return false;
}

}  // namespace heddle::process::of_rank

HEDDLE_EXPORT int posix_spawn(pid_t* child, const char* path, const Actions* actions,
                              const Attributes* attributes, char* const argv[],
                              char* const environment[]) {
  const auto* const host = rank_hooks();
  const char* const program = own_program(path);
  pid_t made = 0;
  const int error = (host != nullptr ? host->children.spawn : libc().posix_spawn)(
      &made, program != nullptr ? program : path, actions, attributes, argv, environment);
  if (error != 0) return error;
  if (host != nullptr) remember_child(made);
  if (child != nullptr) *child = made;
  return 0;
}

HEDDLE_EXPORT int posix_spawnp(pid_t* child, const char* file, const Actions* actions,
                               const Attributes* attributes, char* const argv[],
                               char* const environment[]) {
  if (rank_hooks() == nullptr)
    return libc().posix_spawnp(child, file, actions, attributes, argv, environment);
  const bool started = find_program(file, [&](const char* path) {
    errno = posix_spawn(child, path, actions, attributes, argv, environment);
    return errno == 0;
  });
  return started ? 0 : errno;
}

HEDDLE_EXPORT FILE* popen(const char* command, const char* mode) {
  if (rank_hooks() == nullptr) return libc().popen(command, mode);
  const bool reads = strchr(mode, 'r') != nullptr;
  if (reads == (strchr(mode, 'w') != nullptr) || mode[strspn(mode, "rwe")] != '\0') {
    errno = EINVAL;
    return nullptr;
  }
  return open_pipe(command, reads ? 0 : 1);
}

HEDDLE_EXPORT int pclose(FILE* stream) {
  Pipe* const pipe = take(stream);
  if (pipe == nullptr) return libc().pclose(stream);
  const pid_t child = pipe->child;
  free(pipe);
  fclose(stream);
  return await_child(child);
}

HEDDLE_EXPORT int system(const char* command) {
  if (rank_hooks() == nullptr) return libc().system(command);
  if (command == nullptr) return 1;
  pid_t child = 0;
  constexpr int kNoShell = 127 << 8;
  return start_shell(command, -1, -1, &child) == 0 ? await_child(child) : kNoShell;
}
