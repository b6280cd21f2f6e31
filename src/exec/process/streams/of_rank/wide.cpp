// Wide characters on stdin, stdout and stderr of this rank. Programs need them for std::wcout,
// which is putwc on stdout.
//
// The host's streams carry bytes: fopencookie makes no others, and libc crashes if one is used for
// wide characters. So wide characters are converted to bytes and back here, by the rank's locale,
// and both kinds may be mixed on one stream. A character that the locale does not have becomes a
// question mark. Other streams are libc's.
//
// Not here: wscanf and its like on stdin, which return EOF.

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/streams/of_rank/files.h"

namespace {

using heddle::process::of_rank::libc;
using heddle::process::of_rank::standard_descriptor;

using Put = wint_t(wchar_t, FILE*);
using PutText = int(const wchar_t*, FILE*);
using Get = wint_t(FILE*);
using GetLine = wchar_t*(wchar_t*, int, FILE*);
using CheckedGetLine = wchar_t*(wchar_t*, std::size_t, int, FILE*);
using Print = int(FILE*, const wchar_t*, va_list);
using CheckedPrint = int(FILE*, int, const wchar_t*, va_list);

bool ours(const FILE* stream) noexcept {
  return standard_descriptor(stream) >= 0;
}

// Another strand of the rank writes before or after, not in between.
class Locked {
 public:
  explicit Locked(FILE* stream) noexcept : stream_(stream) { flockfile(stream_); }
  ~Locked() { funlockfile(stream_); }
  Locked(Locked&&) = delete;

 private:
  FILE* const stream_;
};

wint_t put(wchar_t character, FILE* stream) {
  char bytes[MB_LEN_MAX];
  mbstate_t state = {};
  std::size_t size = wcrtomb(bytes, character, &state);
  if (size == static_cast<std::size_t>(-1)) {
    bytes[0] = '?';  // where libc looks for something similar
    size = 1;
  }
  if (fwrite(bytes, 1, size, stream) != size) return WEOF;
  return static_cast<wint_t>(character);
}

bool put_all(const wchar_t* text, std::size_t length, FILE* stream) {
  const Locked locked(stream);
  for (std::size_t i = 0; i < length; ++i) {
    if (put(text[i], stream) == WEOF) return false;
  }
  return true;
}

wint_t get(FILE* stream) {
  const Locked locked(stream);
  mbstate_t state = {};
  for (;;) {
    const int read = getc(stream);
    if (read == EOF) {
      if (!mbsinit(&state)) errno = EILSEQ;
      return WEOF;
    }
    const char byte = static_cast<char>(read);
    wchar_t character = L'\0';
    const std::size_t size = mbrtowc(&character, &byte, 1, &state);
    if (size == static_cast<std::size_t>(-1)) return WEOF;
    if (size != static_cast<std::size_t>(-2)) return static_cast<wint_t>(character);
  }
}

wint_t unget(wint_t character, FILE* stream) {
  char bytes[MB_LEN_MAX];
  mbstate_t state = {};
  if (character == WEOF) return WEOF;
  const std::size_t size = wcrtomb(bytes, static_cast<wchar_t>(character), &state);
  if (size == static_cast<std::size_t>(-1)) return WEOF;
  const Locked locked(stream);
  for (std::size_t left = size; left-- > 0;) {
    if (ungetc(static_cast<unsigned char>(bytes[left]), stream) == EOF) return WEOF;
  }
  return character;
}

wchar_t* get_line(wchar_t* text, int room, FILE* stream) {
  if (room <= 0) return nullptr;
  const Locked locked(stream);
  int length = 0;
  while (length < room - 1) {
    const wint_t character = get(stream);
    if (character == WEOF) break;
    text[length++] = static_cast<wchar_t>(character);
    if (character == L'\n') break;
  }
  if (length == 0 && room > 1) return nullptr;
  text[length] = L'\0';
  return text;
}

// Calls write(room) with a stream of wide characters, and prints the result to `stream`.
template <class Write>
int print(FILE* stream, Write&& write) {
  wchar_t* text = nullptr;
  std::size_t length = 0;
  FILE* const room = open_wmemstream(&text, &length);
  if (room == nullptr) return -1;
  int printed = write(room);
  if (fclose(room) != 0) printed = -1;
  if (printed >= 0 && !put_all(text, length, stream)) printed = -1;
  free(text);
  return printed;
}

}  // namespace

HEDDLE_EXPORT wint_t fputwc_unlocked(wchar_t character, FILE* stream) {
  return ours(stream) ? put(character, stream) : libc().fputwc_unlocked(character, stream);
}
HEDDLE_EXPORT int fputws(const wchar_t* text, FILE* stream) {
  if (!ours(stream)) return libc().fputws(text, stream);
  return put_all(text, wcslen(text), stream) ? 1 : -1;
}
HEDDLE_EXPORT int fputws_unlocked(const wchar_t* text, FILE* stream) {
  if (!ours(stream)) return libc().fputws_unlocked(text, stream);
  return put_all(text, wcslen(text), stream) ? 1 : -1;
}

HEDDLE_EXPORT int vfwprintf(FILE* stream, const wchar_t* format, va_list arguments) {
  if (!ours(stream)) return libc().vfwprintf(stream, format, arguments);
  return print(stream, [&](FILE* room) { return libc().vfwprintf(room, format, arguments); });
}
HEDDLE_EXPORT int __vfwprintf_chk(FILE* stream, int flag, const wchar_t* format,
                                  va_list arguments) {
  if (!ours(stream)) return libc().__vfwprintf_chk(stream, flag, format, arguments);
  return print(stream,
               [&](FILE* room) { return libc().__vfwprintf_chk(room, flag, format, arguments); });
}

HEDDLE_EXPORT wint_t fgetwc_unlocked(FILE* stream) {
  return ours(stream) ? get(stream) : libc().fgetwc_unlocked(stream);
}
HEDDLE_EXPORT wchar_t* fgetws(wchar_t* text, int room, FILE* stream) {
  return ours(stream) ? get_line(text, room, stream) : libc().fgetws(text, room, stream);
}
HEDDLE_EXPORT wchar_t* fgetws_unlocked(wchar_t* text, int room, FILE* stream) {
  return ours(stream) ? get_line(text, room, stream) : libc().fgetws_unlocked(text, room, stream);
}

// With _FORTIFY_SOURCE; libc ends the program where `room` is more than there is.
HEDDLE_EXPORT wchar_t* __fgetws_chk(wchar_t* text, std::size_t size, int room, FILE* stream) {
  const bool fits = room <= 0 || static_cast<std::size_t>(room) <= size;
  return ours(stream) && fits ? get_line(text, room, stream)
                              : libc().__fgetws_chk(text, size, room, stream);
}
HEDDLE_EXPORT wchar_t* __fgetws_unlocked_chk(wchar_t* text, std::size_t size, int room,
                                             FILE* stream) {
  const bool fits = room <= 0 || static_cast<std::size_t>(room) <= size;
  return ours(stream) && fits ? get_line(text, room, stream)
                              : libc().__fgetws_unlocked_chk(text, size, room, stream);
}

// Ours take both kinds, so a program that asks for one gets it.

#include "wide.inc"
