// The names that libc and the kernel have for this program: variables of libc, the auxiliary
// vector, the name of the main strand.

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "exec/process/program/of_rank/own_process.h"
#include "exec/process/state/of_rank/hosted.h"

extern "C" {
__attribute__((visibility("default"))) char* __progname_full = nullptr;
__attribute__((visibility("default"))) char* __progname = nullptr;
extern
    __attribute__((visibility("default"), alias("__progname_full"))) char* program_invocation_name;
extern
    __attribute__((visibility("default"), alias("__progname"))) char* program_invocation_short_name;
}

namespace heddle::process::of_rank {

void adopt_program_name(const char* name) noexcept {
  __progname_full = const_cast<char*>(name);
  const char* slash = strrchr(name, '/');
  __progname = const_cast<char*>(slash != nullptr ? slash + 1 : name);
}

namespace {

constinit pthread_t main_strand = 0;

// Where no host runs the program, libc has filled in its own variables.
__attribute__((constructor)) void construct() noexcept {
  main_strand = pthread_self();
  if (hooks() != nullptr) return;
  if (__progname_full == nullptr) __progname_full = *libc().program_invocation_name;
  if (__progname == nullptr) __progname = *libc().program_invocation_short_name;
}

bool is_main(pthread_t strand) noexcept {
  return hooks() != nullptr && pthread_equal(strand, main_strand);
}

}  // namespace

int get_name_of_main(pthread_t thread, char* name, size_t size) noexcept {
  if (!is_main(thread)) return -1;
  if (size < kNameBytes) return ERANGE;
  char own[kNameBytes];
  get_own_name(own);
  memcpy(name, own, kNameBytes);
  return 0;
}

int set_name_of_main(pthread_t thread, const char* name) noexcept {
  if (!is_main(thread)) return -1;
  if (strlen(name) >= kNameBytes) return ERANGE;
  set_own_name(name);
  return 0;
}

}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

HEDDLE_EXPORT unsigned long getauxval(unsigned long type) noexcept {
  if (type == AT_EXECFN && hooks() != nullptr) {
    return reinterpret_cast<unsigned long>(own_rank().program);
  }
  return libc().getauxval(type);
}

HEDDLE_EXPORT unsigned long __getauxval(unsigned long type) noexcept {
  return getauxval(type);
}

// The name of a strand that is no kernel thread is not the kernel's.
HEDDLE_EXPORT int prctl(int option, ...) noexcept {
  unsigned long words[4];
  va_list arguments;
  va_start(arguments, option);
  for (unsigned long& word : words) word = va_arg(arguments, unsigned long);
  va_end(arguments);
  if (hooks() != nullptr && option == PR_GET_NAME) {
    auto* const name = reinterpret_cast<char*>(words[0]);
    if (get_name_of_main(pthread_self(), name, kNameBytes) == 0) return 0;
    return pthread_getname_np(pthread_self(), name, kNameBytes) == 0 ? 0 : -1;
  }
  if (hooks() != nullptr && option == PR_SET_NAME) {
    char name[kNameBytes] = "";
    strncat(name, reinterpret_cast<const char*>(words[0]), kNameBytes - 1);
    if (set_name_of_main(pthread_self(), name) == 0) return 0;
    return pthread_setname_np(pthread_self(), name) == 0 ? 0 : -1;
  }
  return libc().prctl(option, words[0], words[1], words[2], words[3]);
}
