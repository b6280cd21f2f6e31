// getenv, setenv and environ: a copy of the environment for each rank, with glibc's rules: putenv
// keeps the caller's string, old values are never freed, and a program may point environ elsewhere.
//
// Where no host carries the program, libc itself finds our `environ` first and keeps it up to date,
// so its own functions serve. In a child of fork libc's own variable follows ours, for what libc
// reads by itself; in a rank it may not, being the process's: see exec.cpp, spawn.cpp and
// temporary.cpp.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/state/of_rank/lock.h"

extern "C" {
__attribute__((visibility("default"))) char** __environ = nullptr;
extern __attribute__((visibility("default"), alias("__environ"))) char** environ;
extern __attribute__((visibility("default"), alias("__environ"))) char** _environ;
}

namespace heddle::process::of_rank {

char*** const environment_variable = &__environ;

namespace {

constinit char** own_array = nullptr;  // the array that we allocated last, or nullptr

size_t count(char* const* variables) noexcept {
  size_t n = 0;
  while (variables != nullptr && variables[n] != nullptr) ++n;
  return n;
}

bool is(const char* variable, const char* name, size_t length) noexcept {
  return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

char** find(const char* name, size_t length) noexcept {
  for (char** v = __environ; v != nullptr && *v != nullptr; ++v) {
    if (is(*v, name, length)) return v;
  }
  return nullptr;
}

bool valid(const char* name) noexcept {
  if (name != nullptr && name[0] != '\0' && strchr(name, '=') == nullptr) return true;
  errno = EINVAL;
  return false;
}

// Called after each change of the environment.
void tell_libc() noexcept {
  if (rank_hooks() != nullptr) return;
  if (libc().__environ != nullptr) *libc().__environ = __environ;
}

// Requires the lock. Puts "NAME=value" in the place of NAME, or at the end.
int put(char* variable, size_t name_length, bool replace) noexcept {
  char** place = find(variable, name_length);
  if (place != nullptr) {
    if (replace) *place = variable;
    return 0;  // the array is as it was
  }
  const size_t n = count(__environ);
  char** grown = static_cast<char**>(realloc(own_array, (n + 2) * sizeof *grown));
  if (grown == nullptr) return -1;
  if (__environ != own_array && n != 0) memcpy(grown, __environ, n * sizeof *grown);
  grown[n] = variable;
  grown[n + 1] = nullptr;
  __environ = own_array = grown;
  tell_libc();
  return 0;
}

}  // namespace

void adopt_environment(char* const* variables) noexcept {
  const size_t n = count(variables);
  char** copy = static_cast<char**>(malloc((n + 1) * sizeof *copy));
  if (copy == nullptr) return;
  // The strings are not copied: a program may not write to a string that getenv returned.
  for (size_t i = 0; i < n; ++i) copy[i] = variables[i];
  copy[n] = nullptr;
  __environ = own_array = copy;
}

void forget_environment() noexcept {
  free(own_array);
  __environ = own_array = nullptr;
}

}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

HEDDLE_EXPORT char* getenv(const char* name) noexcept {
  hooks();
  const size_t length = strlen(name);
  Guard guard(Guarded::kEnvironment);
  char** place = length != 0 ? find(name, length) : nullptr;
  return place != nullptr ? *place + length + 1 : nullptr;
}

HEDDLE_EXPORT char* secure_getenv(const char* name) noexcept {
  return hooks() != nullptr ? getenv(name) : libc().secure_getenv(name);
}

HEDDLE_EXPORT int setenv(const char* name, const char* value, int replace) noexcept {
  if (hooks() == nullptr) return libc().setenv(name, value, replace);
  if (!valid(name)) return -1;
  const size_t name_length = strlen(name), value_length = strlen(value);
  Guard guard(Guarded::kEnvironment);
  if (!replace && find(name, name_length) != nullptr) return 0;
  char* variable = static_cast<char*>(malloc(name_length + value_length + 2));
  if (variable == nullptr) return -1;
  char* end = static_cast<char*>(mempcpy(variable, name, name_length));
  *end++ = '=';
  memcpy(end, value, value_length + 1);
  return put(variable, name_length, true);
}

HEDDLE_EXPORT int unsetenv(const char* name) noexcept {
  if (hooks() == nullptr) return libc().unsetenv(name);
  if (!valid(name)) return -1;
  const size_t length = strlen(name);
  Guard guard(Guarded::kEnvironment);
  char** kept = __environ;
  for (char** v = __environ; v != nullptr && *v != nullptr; ++v) {
    if (!is(*v, name, length)) *kept++ = *v;
  }
  if (kept != nullptr) *kept = nullptr;
  return 0;
}

HEDDLE_EXPORT int putenv(char* variable) noexcept {
  if (hooks() == nullptr) return libc().putenv(variable);
  const char* equals = strchr(variable, '=');
  if (equals == nullptr) return unsetenv(variable);
  Guard guard(Guarded::kEnvironment);
  return put(variable, static_cast<size_t>(equals - variable), true);
}

HEDDLE_EXPORT int clearenv() noexcept {
  if (hooks() == nullptr) return libc().clearenv();
  Guard guard(Guarded::kEnvironment);
  free(own_array);
  __environ = own_array = nullptr;
  tell_libc();
  return 0;
}
