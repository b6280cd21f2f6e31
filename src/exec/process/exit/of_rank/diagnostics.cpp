// assert, error, err and warn. They print the program's name first, and some of them exit. Name and
// exit are the rank's, so libc's functions would be wrong. If no host runs the program, these do
// the same as libc's.

#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"

extern "C" {
extern char *__progname, *__progname_full;
__attribute__((visibility("default"))) void (*error_print_progname)() = nullptr;
__attribute__((visibility("default"))) unsigned int error_message_count = 0;
__attribute__((visibility("default"))) int error_one_per_line = 0;
}

namespace {

// Collects a message for standard error; other threads of the rank print nothing in between.
class Message {
 public:
  Message() noexcept { flockfile(stderr); }
  ~Message() {
    fflush(stderr);
    funlockfile(stderr);
  }
  Message(Message&&) = delete;

  void reason(int number) noexcept {
    char text[256];
    fprintf(stderr, ": %s", strerror_r(number, text, sizeof text));
  }
};

// warn and warnx; `number` < 0: no reason.
void warn_of(int number, const char* format, va_list arguments) noexcept {
  Message message;
  fprintf(stderr, "%s", __progname);
  if (format != nullptr) {
    fprintf(stderr, ": ");
    vfprintf(stderr, format, arguments);
  } else if (number < 0) {
    fprintf(stderr, ": ");
  }
  if (number >= 0) message.reason(number);
  fprintf(stderr, "\n");
}

// The common part of error and error_at_line, from the message on.
void finish_error(Message& message, int number, const char* format, va_list arguments) noexcept {
  vfprintf(stderr, format, arguments);
  ++error_message_count;
  if (number != 0) message.reason(number);
  fprintf(stderr, "\n");
}

void begin_error(const char* after_name) noexcept {
  if (error_print_progname != nullptr) {
    error_print_progname();
  } else {
    fprintf(stderr, "%s:%s", __progname_full, after_name);
  }
}

// Used with error_one_per_line: true if the last message was about the same line.
bool said_already(const char* file, unsigned line) noexcept {
  static const char* last_file = nullptr;
  static unsigned last_line = 0;
  if (error_one_per_line == 0) return false;
  const bool same_file = file == last_file ||
                         (file != nullptr && last_file != nullptr && strcmp(file, last_file) == 0);
  if (same_file && line == last_line) return true;
  last_file = file;
  last_line = line;
  return false;
}

[[noreturn]] void fail_assertion(const char* file, unsigned line, const char* function,
                                 const char* before, const char* what, const char* after) noexcept {
  {
    Message message;
    fprintf(stderr, "%s%s%s:%u: %s%s%s%s%s\n", __progname, __progname[0] != '\0' ? ": " : "", file,
            line, function != nullptr ? function : "", function != nullptr ? ": " : "", before,
            what, after);
  }
  abort();
}

}  // namespace

namespace {
[[noreturn]] void end_with(const char* text) noexcept {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) abort();
  abort();
}
}  // namespace

HEDDLE_EXPORT void verr(int status, const char* format, va_list arguments) {
  vwarn(format, arguments);
  exit(status);
}
HEDDLE_EXPORT void verrx(int status, const char* format, va_list arguments) {
  vwarnx(format, arguments);
  exit(status);
}

HEDDLE_EXPORT void error(int status, int number, const char* format, ...) {
  fflush(stdout);
  {
    Message message;
    begin_error(" ");
    va_list arguments;
    va_start(arguments, format);
    finish_error(message, number, format, arguments);
    va_end(arguments);
  }
  if (status != 0) exit(status);
}

HEDDLE_EXPORT void error_at_line(int status, int number, const char* file, unsigned line,
                                 const char* format, ...) {
  if (said_already(file, line)) return;
  fflush(stdout);
  {
    Message message;
    begin_error("");
    if (file != nullptr) {
      fprintf(stderr, "%s:%u: ", file, line);
    } else {
      fprintf(stderr, " ");
    }
    va_list arguments;
    va_start(arguments, format);
    finish_error(message, number, format, arguments);
    va_end(arguments);
  }
  if (status != 0) exit(status);
}

// What the compiler and fortified headers call.
HEDDLE_EXPORT void __stack_chk_fail() {
  end_with("*** stack smashing detected ***: terminated\n");
}

HEDDLE_EXPORT void __assert_perror_fail(int number, const char* file, unsigned line,
                                        const char* function) noexcept {
  char text[256];
  fail_assertion(file, line, function, "Unexpected error: ", strerror_r(number, text, sizeof text),
                 ".");
}

#include "diagnostics.inc"
