// scanf and wscanf, which use stdin without being told. The names with __isoc99_ and __isoc23_ are
// what <stdio.h> makes of scanf under newer standards.

#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "exec/process/state/of_rank/hosted.h"

namespace {

using heddle::process::of_rank::libc;

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

// <stdio.h> renames scanf in C++; the assembler names are the plain ones.
#define HEDDLE_SCANS(with_list, with_more, Character, scan)                        \
  HEDDLE_EXPORT int heddle_##with_list(const Character*, va_list) asm(#with_list); \
  HEDDLE_EXPORT int heddle_##with_more(const Character*, ...) asm(#with_more);     \
  int heddle_##with_list(const Character* format, va_list arguments) {             \
    return scan(format, arguments);                                                \
  }                                                                                \
  int heddle_##with_more(const Character* format, ...) {                           \
    va_list arguments;                                                             \
    va_start(arguments, format);                                                   \
    const int result = scan(format, arguments);                                    \
    va_end(arguments);                                                             \
    return result;                                                                 \
  }

HEDDLE_SCANS(vscanf, scanf, char, scan)
HEDDLE_SCANS(__isoc99_vscanf, __isoc99_scanf, char, scan99)
HEDDLE_SCANS(__isoc23_vscanf, __isoc23_scanf, char, scan23)
HEDDLE_SCANS(vwscanf, wscanf, wchar_t, scan_wide)
HEDDLE_SCANS(__isoc99_vwscanf, __isoc99_wscanf, wchar_t, scan_wide99)
HEDDLE_SCANS(__isoc23_vwscanf, __isoc23_wscanf, wchar_t, scan_wide23)
