// Conversions between multibyte and wide characters that are called without a state: each function
// has a state of its own, as in libc, and each rank has these. Over libc's own with a state; most
// are written from spec/libc.calls.

#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>

#include "exec/process/state/of_rank/hosted.h"

namespace {

using heddle::process::of_rank::libc;

// The answer of mblen, mbtowc and wctomb about shift states; the encodings of glibc's locales have
// none.
constexpr int kStateless = 0;

enum Function {
  kMbrtowc,
  kMbrtoc16,
  kMbrtoc32,
  kMbrlen,
  kWcrtomb,
  kC16rtomb,
  kC32rtomb,
  kMbsrtowcs,
  kMbsnrtowcs,
  kWcsrtombs,
  kWcsnrtombs
};

template <Function function>
mbstate_t* or_own(mbstate_t* given) noexcept {
  static mbstate_t own;
  return given != nullptr ? given : &own;
}

bool forgets(const void* text, mbstate_t& state) noexcept {
  if (text != nullptr) return false;
  state = {};
  return true;
}

int as_int(size_t length) noexcept {  // what is incomplete is an error, too
  return length > static_cast<size_t>(-3) ? -1 : static_cast<int>(length);
}

}  // namespace

HEDDLE_EXPORT int mbtowc(wchar_t* to, const char* from, size_t size) noexcept {
  static mbstate_t own;
  return forgets(from, own) ? kStateless : as_int(mbrtowc(to, from, size, &own));
}

HEDDLE_EXPORT int mblen(const char* from, size_t size) noexcept {
  static mbstate_t own;
  return forgets(from, own) ? kStateless : as_int(mbrtowc(nullptr, from, size, &own));
}

HEDDLE_EXPORT int wctomb(char* to, wchar_t from) noexcept {
  static mbstate_t own;
  return forgets(to, own) ? kStateless : as_int(wcrtomb(to, from, &own));
}

#include "multibyte.inc"
