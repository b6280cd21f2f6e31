// setlocale and localeconv: each rank has a locale of its own, set on its strand by uselocale().
//
// A thread that the program makes inherits the locale of its creator (exec/process/threads); a
// later setlocale() reaches the calling thread alone, where libc's would reach all of them.

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/process/state/of_rank/hosted.h"

namespace heddle::process::of_rank {
namespace {

struct Category {
  int number;
  int mask;
  const char* name;
};

// In the order in which libc writes them for LC_ALL.
constexpr Category kCategories[] = {
    {LC_CTYPE, LC_CTYPE_MASK, "LC_CTYPE"},
    {LC_NUMERIC, LC_NUMERIC_MASK, "LC_NUMERIC"},
    {LC_TIME, LC_TIME_MASK, "LC_TIME"},
    {LC_COLLATE, LC_COLLATE_MASK, "LC_COLLATE"},
    {LC_MONETARY, LC_MONETARY_MASK, "LC_MONETARY"},
    {LC_MESSAGES, LC_MESSAGES_MASK, "LC_MESSAGES"},
    {LC_PAPER, LC_PAPER_MASK, "LC_PAPER"},
    {LC_NAME, LC_NAME_MASK, "LC_NAME"},
    {LC_ADDRESS, LC_ADDRESS_MASK, "LC_ADDRESS"},
    {LC_TELEPHONE, LC_TELEPHONE_MASK, "LC_TELEPHONE"},
    {LC_MEASUREMENT, LC_MEASUREMENT_MASK, "LC_MEASUREMENT"},
    {LC_IDENTIFICATION, LC_IDENTIFICATION_MASK, "LC_IDENTIFICATION"},
};
constexpr int kCount = sizeof kCategories / sizeof kCategories[0];
constexpr size_t kNameSize = 64;

using Names = char[kCount][kNameSize];  // empty: "C"
constinit Names names = {};
constinit locale_t current = nullptr;
constinit char answer[kCount * (kNameSize + 20)] = {};

const char* name_of(const Names& of, int i) noexcept {
  return of[i][0] != '\0' ? of[i] : "C";
}

// The locale that "" names for category i (POSIX: LC_ALL, then the category's own, then LANG).
const char* name_from_environment(int i) noexcept {
  const char* const variables[] = {"LC_ALL", kCategories[i].name, "LANG"};
  for (const char* variable : variables) {
    const char* value = getenv(variable);
    if (value != nullptr && value[0] != '\0') return value;
  }
  return "C";
}

bool assign(Names& to, int i, const char* name, size_t length) noexcept {
  if (length >= kNameSize) return false;
  memcpy(to[i], name, length);
  to[i][length] = '\0';
  if (strcmp(to[i], "POSIX") == 0) memcpy(to[i], "C", 2);
  return true;
}

// "LC_CTYPE=de_DE;LC_NUMERIC=C;…", as setlocale(LC_ALL, nullptr) returned it.
bool assign_composite(Names& to, const char* text) noexcept {
  int found = 0;
  while (*text != '\0') {
    const char* equals = strchr(text, '=');
    if (equals == nullptr) return false;
    const char* end = equals + strcspn(equals, ";");
    for (int i = 0; i < kCount; ++i) {
      const char* name = kCategories[i].name;
      if (strlen(name) != static_cast<size_t>(equals - text)) continue;
      if (memcmp(name, text, strlen(name)) != 0) continue;
      if (!assign(to, i, equals + 1, static_cast<size_t>(end - equals - 1))) return false;
      ++found;
    }
    text = *end == ';' ? end + 1 : end;
  }
  return found == kCount;
}

bool wanted_names(Names& wanted, int category, const char* locale) noexcept {
  if (category == LC_ALL && strchr(locale, ';') != nullptr) return assign_composite(wanted, locale);
  for (int i = 0; i < kCount; ++i) {
    if (category != LC_ALL && kCategories[i].number != category) continue;
    const char* name = locale[0] != '\0' ? locale : name_from_environment(i);
    if (!assign(wanted, i, name, strlen(name))) return false;
  }
  return true;
}

char* describe(int category) noexcept {
  bool same = true;
  for (int i = 0; i < kCount; ++i) {
    if (kCategories[i].number == category) return const_cast<char*>(name_of(names, i));
    same = same && strcmp(name_of(names, i), name_of(names, 0)) == 0;
  }
  if (same) return strcpy(answer, name_of(names, 0));
  char* end = answer;
  for (int i = 0; i < kCount; ++i) {
    end += sprintf(end, "%s%s=%s", i != 0 ? ";" : "", kCategories[i].name, name_of(names, i));
  }
  return answer;
}

// Makes a locale of `wanted` and the calling strand's.
bool install(const Names& wanted) noexcept {
  locale_t made = nullptr;
  for (int i = 0; i < kCount; ++i) {
    locale_t extended = newlocale(kCategories[i].mask, name_of(wanted, i), made);
    if (extended == nullptr) {
      if (made != nullptr) freelocale(made);
      return false;
    }
    made = extended;
  }
  uselocale(made);
  // The previous one stays: another thread of this rank may use it.
  current = made;
  return true;
}

// If a locale does not define a value, its file has -1 for it, and the C standard wants CHAR_MAX.
char text_byte(nl_item item) noexcept {
  const char value = *nl_langinfo(item);
  return value == -1 ? char{CHAR_MAX} : value;
}
char* text(nl_item item) noexcept {
  return nl_langinfo(item);
}

}  // namespace

// Called only when the rank has no strand left except the calling one.
void forget_locale() noexcept {
  uselocale(LC_GLOBAL_LOCALE);
  if (current != nullptr) freelocale(current);
}

}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

HEDDLE_EXPORT char* setlocale(int category, const char* locale) noexcept {
  if (hooks() == nullptr) return libc().setlocale(category, locale);
  if (category < 0 || category > LC_IDENTIFICATION) return nullptr;
  if (locale == nullptr) return describe(category);
  Names wanted;
  memcpy(wanted, names, sizeof wanted);
  if (!wanted_names(wanted, category, locale)) return nullptr;
  if (memcmp(wanted, names, sizeof wanted) != 0) {
    if (!install(wanted)) return nullptr;
    memcpy(names, wanted, sizeof names);
  }
  return describe(category);
}

// Fills it from the items of the calling strand's locale; libc's own would fill a structure that
// all share.
HEDDLE_EXPORT lconv* localeconv() noexcept {
  static lconv convention;
  convention.decimal_point = text(RADIXCHAR);
  convention.thousands_sep = text(THOUSEP);
  convention.grouping = text(GROUPING);
  convention.int_curr_symbol = text(INT_CURR_SYMBOL);
  convention.currency_symbol = text(CURRENCY_SYMBOL);
  convention.mon_decimal_point = text(MON_DECIMAL_POINT);
  convention.mon_thousands_sep = text(MON_THOUSANDS_SEP);
  convention.mon_grouping = text(MON_GROUPING);
  convention.positive_sign = text(POSITIVE_SIGN);
  convention.negative_sign = text(NEGATIVE_SIGN);
  convention.int_frac_digits = text_byte(INT_FRAC_DIGITS);
  convention.frac_digits = text_byte(FRAC_DIGITS);
  convention.p_cs_precedes = text_byte(P_CS_PRECEDES);
  convention.p_sep_by_space = text_byte(P_SEP_BY_SPACE);
  convention.n_cs_precedes = text_byte(N_CS_PRECEDES);
  convention.n_sep_by_space = text_byte(N_SEP_BY_SPACE);
  convention.p_sign_posn = text_byte(P_SIGN_POSN);
  convention.n_sign_posn = text_byte(N_SIGN_POSN);
  convention.int_p_cs_precedes = text_byte(INT_P_CS_PRECEDES);
  convention.int_p_sep_by_space = text_byte(INT_P_SEP_BY_SPACE);
  convention.int_n_cs_precedes = text_byte(INT_N_CS_PRECEDES);
  convention.int_n_sep_by_space = text_byte(INT_N_SEP_BY_SPACE);
  convention.int_p_sign_posn = text_byte(INT_P_SIGN_POSN);
  convention.int_n_sign_posn = text_byte(INT_N_SIGN_POSN);
  return &convention;
}
