// scanf and wscanf, which use stdin without being told. The names with __isoc99_ and __isoc23_ are what
// <stdio.h> makes of scanf under newer standards.

#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "exec/process/state/of_rank/hosted.h"

namespace {

using heddle::process_of_rank::libc;

int scan(const char* format, va_list arguments) {
  return libc().vfscanf(stdin, format, arguments);
}
int scan99(const char* format, va_list arguments) {
  return libc().__isoc99_vfscanf(stdin, format, arguments);
}
// An older libc has not the newer name.
int scan23(const char* format, va_list arguments) {
  auto* const newer = libc().__isoc23_vfscanf;
  return newer != nullptr ? newer(stdin, format, arguments) : scan99(format, arguments);
}
int scan_wide(const wchar_t* format, va_list arguments) {
  return libc().vfwscanf(stdin, format, arguments);
}
int scan_wide99(const wchar_t* format, va_list arguments) {
  return libc().__isoc99_vfwscanf(stdin, format, arguments);
}
int scan_wide23(const wchar_t* format, va_list arguments) {
  auto* const newer = libc().__isoc23_vfwscanf;
  return newer != nullptr ? newer(stdin, format, arguments) : scan_wide99(format, arguments);
}

}  // namespace

// <stdio.h> renames scanf in C++; the assembler names below are the plain ones.
HEDDLE_EXPORT int heddle_vscanf(const char*, va_list) asm("vscanf");
HEDDLE_EXPORT int heddle_scanf(const char*, ...) asm("scanf");
HEDDLE_EXPORT int heddle_vwscanf(const wchar_t*, va_list) asm("vwscanf");
HEDDLE_EXPORT int heddle_wscanf(const wchar_t*, ...) asm("wscanf");
HEDDLE_EXPORT int heddle_vscanf99(const char*, va_list) asm("__isoc99_vscanf");
HEDDLE_EXPORT int heddle_scanf99(const char*, ...) asm("__isoc99_scanf");
HEDDLE_EXPORT int heddle_vwscanf99(const wchar_t*, va_list) asm("__isoc99_vwscanf");
HEDDLE_EXPORT int heddle_wscanf99(const wchar_t*, ...) asm("__isoc99_wscanf");
HEDDLE_EXPORT int heddle_vscanf23(const char*, va_list) asm("__isoc23_vscanf");
HEDDLE_EXPORT int heddle_scanf23(const char*, ...) asm("__isoc23_scanf");
HEDDLE_EXPORT int heddle_vwscanf23(const wchar_t*, va_list) asm("__isoc23_vwscanf");
HEDDLE_EXPORT int heddle_wscanf23(const wchar_t*, ...) asm("__isoc23_wscanf");

int heddle_vscanf(const char* format, va_list arguments) {
  return scan(format, arguments);
}
int heddle_vscanf99(const char* format, va_list arguments) {
  return scan99(format, arguments);
}
int heddle_vscanf23(const char* format, va_list arguments) {
  return scan23(format, arguments);
}
int heddle_vwscanf(const wchar_t* format, va_list arguments) {
  return scan_wide(format, arguments);
}
int heddle_vwscanf99(const wchar_t* format, va_list arguments) {
  return scan_wide99(format, arguments);
}
int heddle_vwscanf23(const wchar_t* format, va_list arguments) {
  return scan_wide23(format, arguments);
}

int heddle_scanf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = scan(format, arguments);
  va_end(arguments);
  return result;
}

int heddle_scanf99(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = scan99(format, arguments);
  va_end(arguments);
  return result;
}

int heddle_scanf23(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = scan23(format, arguments);
  va_end(arguments);
  return result;
}

int heddle_wscanf(const wchar_t* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = scan_wide(format, arguments);
  va_end(arguments);
  return result;
}

int heddle_wscanf99(const wchar_t* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = scan_wide99(format, arguments);
  va_end(arguments);
  return result;
}

int heddle_wscanf23(const wchar_t* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = scan_wide23(format, arguments);
  va_end(arguments);
  return result;
}
