// Conversions between multibyte and wide characters that are called without a state: each function
// has a state of its own, as in libc, and each rank has these. Over libc's own with a state.

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "exec/libc/of_rank/hosted.h"

namespace {

using heddle::libc_of_rank::next;

// The answer of mblen, mbtowc and wctomb about shift states; the encodings of glibc's locales have none.
constexpr int kStateless = 0;

enum Function { kMbrtowc, kMbrlen, kWcrtomb, kMbsrtowcs, kMbsnrtowcs, kWcsrtombs, kWcsnrtombs };

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

HEDDLE_EXPORT size_t mbrtowc(wchar_t* to, const char* from, size_t size,
                             mbstate_t* state) noexcept {
  static auto* const libc = next<decltype(mbrtowc)>("mbrtowc");
  return libc(to, from, size, or_own<kMbrtowc>(state));
}

HEDDLE_EXPORT size_t mbrlen(const char* from, size_t size, mbstate_t* state) noexcept {
  static auto* const libc = next<decltype(mbrlen)>("mbrlen");
  return libc(from, size, or_own<kMbrlen>(state));
}

// <wchar.h> calls this name if it inlines mbrlen.
HEDDLE_EXPORT size_t __mbrlen(const char* from, size_t size, mbstate_t* state) noexcept {
  return mbrlen(from, size, state);
}

HEDDLE_EXPORT size_t wcrtomb(char* to, wchar_t from, mbstate_t* state) noexcept {
  static auto* const libc = next<decltype(wcrtomb)>("wcrtomb");
  return libc(to, from, or_own<kWcrtomb>(state));
}

HEDDLE_EXPORT size_t mbsrtowcs(wchar_t* to, const char** from, size_t size,
                               mbstate_t* state) noexcept {
  static auto* const libc = next<decltype(mbsrtowcs)>("mbsrtowcs");
  return libc(to, from, size, or_own<kMbsrtowcs>(state));
}

HEDDLE_EXPORT size_t mbsnrtowcs(wchar_t* to, const char** from, size_t bytes, size_t size,
                                mbstate_t* state) noexcept {
  static auto* const libc = next<decltype(mbsnrtowcs)>("mbsnrtowcs");
  return libc(to, from, bytes, size, or_own<kMbsnrtowcs>(state));
}

HEDDLE_EXPORT size_t wcsrtombs(char* to, const wchar_t** from, size_t size,
                               mbstate_t* state) noexcept {
  static auto* const libc = next<decltype(wcsrtombs)>("wcsrtombs");
  return libc(to, from, size, or_own<kWcsrtombs>(state));
}

HEDDLE_EXPORT size_t wcsnrtombs(char* to, const wchar_t** from, size_t characters, size_t size,
                                mbstate_t* state) noexcept {
  static auto* const libc = next<decltype(wcsnrtombs)>("wcsnrtombs");
  return libc(to, from, characters, size, or_own<kWcsnrtombs>(state));
}

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

// The same with a check, as _FORTIFY_SOURCE calls them; `room` is the size of the buffer.
HEDDLE_EXPORT size_t __wcrtomb_chk(char* to, wchar_t from, mbstate_t* state, size_t room) noexcept {
  static auto* const libc = next<decltype(__wcrtomb_chk)>("__wcrtomb_chk");
  return libc(to, from, or_own<kWcrtomb>(state), room);
}

HEDDLE_EXPORT size_t __mbsrtowcs_chk(wchar_t* to, const char** from, size_t size, mbstate_t* state,
                                     size_t room) noexcept {
  static auto* const libc = next<decltype(__mbsrtowcs_chk)>("__mbsrtowcs_chk");
  return libc(to, from, size, or_own<kMbsrtowcs>(state), room);
}

HEDDLE_EXPORT size_t __mbsnrtowcs_chk(wchar_t* to, const char** from, size_t bytes, size_t size,
                                      mbstate_t* state, size_t room) noexcept {
  static auto* const libc = next<decltype(__mbsnrtowcs_chk)>("__mbsnrtowcs_chk");
  return libc(to, from, bytes, size, or_own<kMbsnrtowcs>(state), room);
}

HEDDLE_EXPORT size_t __wcsrtombs_chk(char* to, const wchar_t** from, size_t size, mbstate_t* state,
                                     size_t room) noexcept {
  static auto* const libc = next<decltype(__wcsrtombs_chk)>("__wcsrtombs_chk");
  return libc(to, from, size, or_own<kWcsrtombs>(state), room);
}

HEDDLE_EXPORT size_t __wcsnrtombs_chk(char* to, const wchar_t** from, size_t characters,
                                      size_t size, mbstate_t* state, size_t room) noexcept {
  static auto* const libc = next<decltype(__wcsnrtombs_chk)>("__wcsnrtombs_chk");
  return libc(to, from, characters, size, or_own<kWcsnrtombs>(state), room);
}
