// exec and its relatives, fork and vfork.
//
// In a child of fork they are ordinary, with the rank's environment. In a rank itself they would
// replace all ranks; the host says whether they may (exec/process/children/children.h).
//
// vfork is fork: between a real one and its exec the child would share the memory in which the host
// keeps what 0, 1 and 2 are, while other threads of the rank run.

#include <alloca.h>
#include <errno.h>
#include <paths.h>
#include <stdarg.h>
#include <sys/types.h>
#include <unistd.h>

#include "exec/process/children/of_rank/fork_handlers.h"
#include "exec/process/children/of_rank/own_children.h"
#include "exec/process/children/of_rank/program_path.h"
#include "exec/process/program/of_rank/own_process.h"
#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::process::of_rank;

namespace {

// Does `execute`, which returns only if it fails.
template <class Execute>
int replace(const char* path, Execute execute) noexcept {
  const auto* const host = rank_hooks();
  if (host != nullptr && host->children.prepare_exec(path) != 0) return -1;
  execute();
  if (host != nullptr) host->children.undo_exec();
  return -1;
}

int libc_execve(const char* path, char* const* argv, char* const* environment) noexcept {
  const char* const program = own_program(path);
  return libc().execve(program != nullptr ? program : path, argv, environment);
}

// A file without a header that the kernel knows is one for the shell.
void execute_by_shell(const char* path, char* const* argv, char* const* environment) noexcept {
  size_t count = 0;
  while (argv[count] != nullptr) ++count;
  auto** words = static_cast<char**>(alloca((count + 3) * sizeof(char*)));
  words[0] = const_cast<char*>(_PATH_BSHELL);
  words[1] = const_cast<char*>(path);
  words[2] = nullptr;
  for (size_t i = 1; i < count; ++i) words[i + 1] = argv[i];
  if (count > 1) words[count + 1] = nullptr;
  libc_execve(_PATH_BSHELL, words, environment);
}

int execute_found(const char* file, char* const* argv, char* const* environment) noexcept {
  return replace(file, [&] {
    find_program(file, [&](const char* path) {
      libc_execve(path, argv, environment);
      if (errno == ENOEXEC) execute_by_shell(path, argv, environment);
      return false;
    });
  });
}

// Calls exec(argv, rest) for execl and its kind: argv is `first` and what follows it in `words`, up
// to the null; `rest` is behind that.
template <class Exec>
int with_words(const char* first, va_list words, Exec exec) noexcept {
  va_list rest;
  va_copy(rest, words);
  size_t count = 1;
  while (va_arg(words, char*) != nullptr) ++count;
  auto** argv = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  argv[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= count; ++i) argv[i] = va_arg(rest, char*);
  const int result = exec(argv, rest);
  va_end(rest);
  return result;
}

}  // namespace

HEDDLE_EXPORT int execve(const char* path, char* const argv[], char* const environment[]) noexcept {
  return replace(path, [&] { libc_execve(path, argv, environment); });
}

HEDDLE_EXPORT int fexecve(int descriptor, char* const argv[], char* const environment[]) noexcept {
  return replace("a file", [&] { libc().fexecve(in_process(descriptor), argv, environment); });
}

HEDDLE_EXPORT int execveat(int folder, const char* path, char* const argv[],
                           char* const environment[], int flags) noexcept {
  return replace(path,
                 [&] { libc().execveat(in_process(folder), path, argv, environment, flags); });
}

HEDDLE_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  va_list words;
  va_start(words, first);
  const int result =
      with_words(first, words, [&](char** argv, va_list) { return execv(path, argv); });
  va_end(words);
  return result;
}

HEDDLE_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  va_list words;
  va_start(words, first);
  const int result =
      with_words(first, words, [&](char** argv, va_list) { return execvp(file, argv); });
  va_end(words);
  return result;
}

HEDDLE_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  va_list words;
  va_start(words, first);
  const int result = with_words(first, words, [&](char** argv, va_list rest) {
    char** const environment = va_arg(rest, char**);
    return execve(path, argv, environment);
  });
  va_end(words);
  return result;
}

namespace {
// Forks without calling the functions of pthread_atfork.
pid_t make_child() noexcept {
  const pid_t child = libc().fork();
  if (child > 0 && rank_hooks() != nullptr) remember_child(child);
  return child;
}
}  // namespace

HEDDLE_EXPORT pid_t fork() noexcept {
  const Registration* const youngest = prepare_fork();
  const pid_t child = make_child();
  const int error = errno;
  if (child == 0) {
    finish_fork_in_child(youngest);
  } else {
    finish_fork_in_parent(youngest);
  }
  errno = error;
  return child;
}

// It leaves out what libc does around a fork, and so the host's part of it.
HEDDLE_EXPORT pid_t _Fork() noexcept {
  const pid_t child = libc()._Fork();
  if (child == 0 && hooks() != nullptr) hooks()->children.become_child();
  if (child > 0 && rank_hooks() != nullptr) remember_child(child);
  return child;
}

#include "exec.inc"
