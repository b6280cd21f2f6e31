// getopt, getopt_long, getopt_long_only with variables of this rank, in glibc's behaviour: options
// are found behind other arguments, which are moved to the end.
//
//   argv  [0] … first_skipped_ … last_skipped_ … optind …
//              handled         arguments that    not looked
//                              are no options    at yet

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/process/state/of_rank/hosted.h"

extern "C" {
__attribute__((visibility("default"))) char* optarg = nullptr;
__attribute__((visibility("default"))) int optind = 1;
__attribute__((visibility("default"))) int opterr = 1;
__attribute__((visibility("default"))) int optopt = '?';
}

namespace heddle::process::of_rank {
namespace {

enum class Order { kPermute, kStopAtFirst, kReturnInOrder };

// One call's arguments.
struct Call {
  int argc;
  char** argv;
  const char* letters;  // behind a leading + or -
  const option* names;
  int* index;
  bool long_only;
  bool speaks;  // prints messages

  int missing_argument() const noexcept { return letters[0] == ':' ? ':' : '?'; }
};

// glibc tells a letter beyond ASCII as the negative number that a program's char literal is.
int number_of(char letter) noexcept {
  return letter;
}

class Scanner {
 public:
  int scan(int argc, char** argv, const char* letters, const option* names, int* index,
           bool long_only, bool posix) noexcept;

 private:
  int next_option(int argc, char** argv, const char* letters, const option* names, int* index,
                  bool long_only, bool posix) noexcept;
  void begin(const char* letters, bool posix) noexcept;
  bool is_option(const char* argument) const noexcept {
    return argument[0] == '-' && argument[1] != '\0';
  }
  bool find_option(const Call& call, int* result) noexcept;
  void rotate(char** argv) noexcept;
  int take_short(const Call& call) noexcept;
  int take_long(const Call& call, const char* prefix, bool long_only) noexcept;
  int take_value(const Call& call, const option& found, const char* prefix,
                 const char* end) noexcept;
  const option* match(const Call& call, const char* end, bool long_only, bool* ambiguous) noexcept;
  void say_ambiguous(const Call& call, const char* prefix, const char* end, const option& first,
                     bool long_only) noexcept;

  bool begun_ = false;
  int option_ = 0;  // what optopt becomes; glibc sets it on every return, too
  Order order_ = Order::kPermute;
  char* rest_ = nullptr;  // of the argument that is being taken apart
  int first_skipped_ = 1;
  int last_skipped_ = 1;
};

constinit Scanner scanner;

void Scanner::begin(const char* letters, bool posix) noexcept {
  if (optind == 0) optind = 1;
  first_skipped_ = last_skipped_ = optind;
  rest_ = nullptr;
  if (letters[0] == '-') {
    order_ = Order::kReturnInOrder;
  } else if (letters[0] == '+' || posix || getenv("POSIXLY_CORRECT") != nullptr) {
    order_ = Order::kStopAtFirst;
  } else {
    order_ = Order::kPermute;
  }
  begun_ = true;
}

// Moves the skipped arguments behind the options that were handled since.
void Scanner::rotate(char** argv) noexcept {
  const int skipped = last_skipped_ - first_skipped_;
  for (int moved = last_skipped_; moved < optind; ++moved) {
    char* argument = argv[moved];
    for (int i = moved; i > moved - skipped; --i) argv[i] = argv[i - 1];
    argv[moved - skipped] = argument;
  }
  first_skipped_ += optind - last_skipped_;
  last_skipped_ = optind;
}

// True: optind is at an option. False: *result is what getopt returns.
bool Scanner::find_option(const Call& call, int* result) noexcept {
  char** const argv = call.argv;
  if (last_skipped_ > optind) last_skipped_ = optind;
  if (first_skipped_ > optind) first_skipped_ = optind;
  if (order_ == Order::kPermute) {
    if (first_skipped_ != last_skipped_ && last_skipped_ != optind) {
      rotate(argv);
    } else if (last_skipped_ != optind) {
      first_skipped_ = optind;
    }
    while (optind < call.argc && !is_option(argv[optind])) ++optind;
    last_skipped_ = optind;
  }
  if (optind != call.argc && strcmp(argv[optind], "--") == 0) {
    ++optind;
    if (first_skipped_ != last_skipped_ && last_skipped_ != optind) {
      rotate(argv);
    } else if (first_skipped_ == last_skipped_) {
      first_skipped_ = optind;
    }
    last_skipped_ = optind = call.argc;
  }
  *result = -1;
  if (optind == call.argc) {
    if (first_skipped_ != last_skipped_) optind = first_skipped_;
    return false;
  }
  if (is_option(argv[optind])) return true;
  if (order_ == Order::kStopAtFirst) return false;
  optarg = argv[optind++];
  *result = 1;
  return false;
}

// The option that rest_ names up to `end`, also by an unambiguous beginning.
const option* Scanner::match(const Call& call, const char* end, bool long_only,
                             bool* ambiguous) noexcept {
  const size_t length = static_cast<size_t>(end - rest_);
  const option* found = nullptr;
  for (const option* o = call.names; o->name != nullptr; ++o) {
    if (strncmp(o->name, rest_, length) == 0 && strlen(o->name) == length) return o;
  }
  for (const option* o = call.names; o->name != nullptr; ++o) {
    if (strncmp(o->name, rest_, length) != 0) continue;
    if (found == nullptr) {
      found = o;
    } else if (long_only || found->has_arg != o->has_arg || found->flag != o->flag ||
               found->val != o->val) {
      *ambiguous = true;
    }
  }
  return found;
}

void Scanner::say_ambiguous(const Call& call, const char* prefix, const char* end,
                            const option& first, bool long_only) noexcept {
  const size_t length = static_cast<size_t>(end - rest_);
  flockfile(stderr);
  fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", call.argv[0], prefix, rest_);
  for (const option* o = call.names; o->name != nullptr; ++o) {
    if (strncmp(o->name, rest_, length) != 0) continue;
    const bool same = o != &first && !long_only && first.has_arg == o->has_arg &&
                      first.flag == o->flag && first.val == o->val;
    if (!same) fprintf(stderr, " '%s%s'", prefix, o->name);
  }
  fprintf(stderr, "\n");
  funlockfile(stderr);
}

int Scanner::take_value(const Call& call, const option& found, const char* prefix,
                        const char* end) noexcept {
  if (*end != '\0') {
    if (found.has_arg == no_argument) {
      if (call.speaks) {
        fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", call.argv[0], prefix,
                found.name);
      }
      option_ = found.val;
      return '?';
    }
    optarg = const_cast<char*>(end + 1);
  } else if (found.has_arg == required_argument) {
    if (optind >= call.argc) {
      if (call.speaks) {
        fprintf(stderr, "%s: option '%s%s' requires an argument\n", call.argv[0], prefix,
                found.name);
      }
      option_ = found.val;
      return call.missing_argument();
    }
    optarg = call.argv[optind++];
  }
  if (call.index != nullptr) *call.index = static_cast<int>(&found - call.names);
  if (found.flag == nullptr) return found.val;
  *found.flag = found.val;
  return 0;
}

// -1: not a long option after all (only with long_only).
int Scanner::take_long(const Call& call, const char* prefix, bool long_only) noexcept {
  const char* end = rest_ + strcspn(rest_, "=");
  bool ambiguous = false;
  const option* found = match(call, end, long_only, &ambiguous);
  if (ambiguous) {
    if (call.speaks) say_ambiguous(call, prefix, end, *found, long_only);
    rest_ += strlen(rest_);
    ++optind;
    option_ = 0;
    return '?';
  }
  if (found == nullptr) {
    if (long_only && call.argv[optind][1] != '-' && strchr(call.letters, *rest_) != nullptr) {
      return -1;
    }
    if (call.speaks) {
      fprintf(stderr, "%s: unrecognized option '%s%s'\n", call.argv[0], prefix, rest_);
    }
    rest_ = nullptr;
    ++optind;
    option_ = 0;
    return '?';
  }
  ++optind;
  rest_ = nullptr;
  return take_value(call, *found, prefix, end);
}

int Scanner::take_short(const Call& call) noexcept {
  const int letter = number_of(*rest_++);
  const char* known = strchr(call.letters, letter);
  if (*rest_ == '\0') ++optind;
  if (known == nullptr || letter == ':' || letter == ';') {
    if (call.speaks) fprintf(stderr, "%s: invalid option -- '%c'\n", call.argv[0], letter);
    option_ = letter;
    return '?';
  }
  const bool is_w = known[0] == 'W' && known[1] == ';' && call.names != nullptr;
  if (!is_w && known[1] != ':') return letter;

  const bool required = is_w || known[2] != ':';
  int result = letter;
  if (*rest_ != '\0') {
    optarg = rest_;
    if (!is_w) ++optind;
  } else if (!required) {
    optarg = nullptr;
  } else if (optind == call.argc) {
    if (call.speaks) {
      fprintf(stderr, "%s: option requires an argument -- '%c'\n", call.argv[0], letter);
    }
    option_ = letter;
    result = call.missing_argument();
    if (is_w) return result;
  } else {
    optarg = call.argv[optind];
    if (!is_w) ++optind;
  }
  if (is_w) {
    rest_ = optarg;
    optarg = nullptr;
    return take_long(call, "-W ", false);
  }
  rest_ = nullptr;
  return result;
}

int Scanner::scan(int argc, char** argv, const char* letters, const option* names, int* index,
                  bool long_only, bool posix) noexcept {
  const int result = next_option(argc, argv, letters, names, index, long_only, posix);
  optopt = option_;
  return result;
}

int Scanner::next_option(int argc, char** argv, const char* letters, const option* names,
                         int* index, bool long_only, bool posix) noexcept {
  if (argc < 1) return -1;
  optarg = nullptr;
  if (optind == 0 || !begun_) begin(letters, posix);
  if (letters[0] == '-' || letters[0] == '+') ++letters;
  const Call call = {
      argc, argv, letters, names, index, long_only, opterr != 0 && letters[0] != ':'};

  if (rest_ == nullptr || *rest_ == '\0') {
    int result = 0;
    if (!find_option(call, &result)) return result;
    char* argument = argv[optind];
    if (names != nullptr && argument[1] == '-') {
      rest_ = argument + 2;
      return take_long(call, "--", long_only);
    }
    rest_ = argument + 1;
    if (names != nullptr && long_only &&
        (argument[2] != '\0' || strchr(letters, argument[1]) == nullptr)) {
      result = take_long(call, "-", true);
      if (result != -1) return result;
    }
  }
  return take_short(call);
}

}  // namespace
}  // namespace heddle::process::of_rank

using heddle::process::of_rank::scanner;

// The name that <unistd.h> gives getopt in programs that ask for POSIX alone.
HEDDLE_EXPORT int __posix_getopt(int argc, char* const* argv, const char* letters) noexcept {
  return scanner.scan(argc, const_cast<char**>(argv), letters, nullptr, nullptr, false, true);
}

#include "getopt.inc"
