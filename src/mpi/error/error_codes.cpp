#include "mpi/error/error_codes.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "mpi/error/error_texts.h"

namespace heddle::error {

namespace {

constexpr int kFirstAdded = MPI_ERR_LASTCODE + 1;

struct Added {
  bool live = true;
  int error_class = 0;  // its own number, if it is a class
  std::optional<std::string> text;
};

// What a rank has added; codes[i] has the number kFirstAdded + i.
struct Codes {
  // Lock: guards the error codes that a rank has added.
  SpinLock lock;
  std::vector<Added> codes GUARDED_BY(lock);
  int last_used GUARDED_BY(lock) = MPI_ERR_LASTCODE;

  // nullptr if the rank has no such code.
  Added* find(int code) noexcept REQUIRES(lock) {
    if (code < kFirstAdded || code > last_used) return nullptr;
    Added& added = codes[static_cast<std::size_t>(code - kFirstAdded)];
    return added.live ? &added : nullptr;
  }

  // An `error_class` of 0 makes a class.
  int add(int error_class) REQUIRES(lock) {
    const int number = last_used + 1;
    codes.push_back({true, error_class == 0 ? number : error_class, {}});
    return last_used = number;
  }

  // Numbers at the end become free again; others stay reserved.
  void remove(Added& added) REQUIRES(lock) {
    added.live = false;
    while (!codes.empty() && !codes.back().live) {
      codes.pop_back();
      --last_used;
    }
  }

  // True if `error_class` has codes besides itself.
  bool has_codes(int error_class) const noexcept REQUIRES(lock) {
    return std::count_if(codes.begin(), codes.end(), [=](const Added& added) {
             return added.live && added.error_class == error_class;
           }) > 1;
  }
};
const RankLocal<Codes> codes_of_rank;

const ErrorText* find_text(int code) noexcept {
  const auto* found =
      std::find_if(std::begin(kErrorTexts), std::end(kErrorTexts),
                   [code](const ErrorText& row) { return row.error_class == code; });
  return found == std::end(kErrorTexts) ? nullptr : found;
}

Error unknown(const char* argument, int code) {
  return Error::make(MPI_ERR_ARG, "argument %s is %d, which is no error code or class", argument,
                     code);
}

// Predefined ones may be read, but neither changed nor removed.
Error not_added(const char* argument, int code) {
  if (const ErrorText* text = find_text(code)) {
    return Error::make(MPI_ERR_ARG, "argument %s is %s, which is predefined", argument, text->name);
  }
  return unknown(argument, code);
}

}  // namespace

std::string describe_code(int code) {
  if (const ErrorText* row = find_text(code)) return std::string(row->name) + ": " + row->text;
  Codes& codes = codes_of_rank.get();
  SpinGuard guard(codes.lock);
  const Added* added = codes.find(code);
  return added != nullptr && added->text ? *added->text : "";
}

const int& last_used_code() noexcept {
  return codes_of_rank.get().last_used;
}

Error get_error_class(int code, int* error_class) {
  if (find_text(code) != nullptr) {
    *error_class = code;
    return {};
  }
  Codes& codes = codes_of_rank.get();
  SpinGuard guard(codes.lock);
  const Added* added = codes.find(code);
  if (added == nullptr) return unknown("errorcode", code);
  *error_class = added->error_class;
  return {};
}

Error get_error_string(int code, std::string_view sentence, char* text, int* length) {
  int ignored = 0;
  if (Error e = get_error_class(code, &ignored)) return e;
  std::string description = describe_code(code);
  // A string that the program has added is given back as it is.
  if (!sentence.empty() && code < kFirstAdded)
    description.append(" (").append(sentence).append(")");
  text[description.copy(text, MPI_MAX_ERROR_STRING - 1)] = '\0';
  *length = static_cast<int>(std::strlen(text));
  return {};
}

Error add_error_class(int* error_class) {
  Codes& codes = codes_of_rank.get();
  SpinGuard guard(codes.lock);
  *error_class = codes.add(0);
  return {};
}

Error add_error_code(int error_class, int* code) {
  int its_class = 0;
  if (Error e = get_error_class(error_class, &its_class)) return e;
  if (its_class != error_class || error_class == MPI_SUCCESS) {
    return Error::make(MPI_ERR_ARG, "argument errorclass is %d, which is no error class",
                       error_class);
  }
  Codes& codes = codes_of_rank.get();
  SpinGuard guard(codes.lock);
  *code = codes.add(error_class);
  return {};
}

Error add_error_string(int code, const char* text) {
  if (strnlen(text, MPI_MAX_ERROR_STRING) == MPI_MAX_ERROR_STRING) {
    return Error::make(MPI_ERR_ARG, "argument string has more than %d characters",
                       MPI_MAX_ERROR_STRING - 1);
  }
  Codes& codes = codes_of_rank.get();
  SpinGuard guard(codes.lock);
  Added* added = codes.find(code);
  if (added == nullptr) return not_added("errorcode", code);
  added->text = text;
  return {};
}

Error remove_error_class(int error_class) {
  Codes& codes = codes_of_rank.get();
  SpinGuard guard(codes.lock);
  Added* added = codes.find(error_class);
  if (added == nullptr) return not_added("errorclass", error_class);
  if (added->error_class != error_class) {
    return Error::make(MPI_ERR_ARG, "argument errorclass is %d, which is no class but a code",
                       error_class);
  }
  if (added->text || codes.has_codes(error_class)) {
    return Error::make(MPI_ERR_ARG, "the error class %d still has a string or codes", error_class);
  }
  codes.remove(*added);
  return {};
}

Error remove_error_code(int code) {
  Codes& codes = codes_of_rank.get();
  SpinGuard guard(codes.lock);
  Added* added = codes.find(code);
  if (added == nullptr) return not_added("errorcode", code);
  if (added->error_class == code) {
    return Error::make(MPI_ERR_ARG, "argument errorcode is %d, which is a class", code);
  }
  if (added->text) {
    return Error::make(MPI_ERR_ARG, "the error code %d still has a string", code);
  }
  codes.remove(*added);
  return {};
}

Error remove_error_string(int code) {
  Codes& codes = codes_of_rank.get();
  SpinGuard guard(codes.lock);
  Added* added = codes.find(code);
  if (added == nullptr) return not_added("errorcode", code);
  if (!added->text) {
    return Error::make(MPI_ERR_ARG, "the error code %d has no string", code);
  }
  added->text.reset();
  return {};
}

}  // namespace heddle::error
