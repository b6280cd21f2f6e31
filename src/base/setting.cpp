#include "base/setting.h"

#include <charconv>
#include <string>

namespace heddle::settings {

namespace {

// The shift that a suffix means; -1: it is none.
int shift_of(std::string_view suffix) noexcept {
  if (suffix.empty()) return 0;
  if (suffix == "k" || suffix == "K") return 10;
  if (suffix == "m" || suffix == "M") return 20;
  if (suffix == "g" || suffix == "G") return 30;
  return -1;
}

bool parse_size(const Setting& setting, std::string_view text, std::int64_t* value) noexcept {
  const char* const end = text.data() + text.size();
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const int shift = shift_of({rest, static_cast<std::size_t>(end - rest)});
  if (error != std::errc() || shift < 0 || number < setting.least) return false;
  if (number > setting.most >> shift) return false;
  *value = number << shift;
  return true;
}

bool parse_choice(const Setting& setting, std::string_view text, std::int64_t* value) noexcept {
  for (int i = 0; i < setting.choice_count(); ++i) {
    if (setting.choices[static_cast<std::size_t>(i)] != text) continue;
    *value = i;
    return true;
  }
  return false;
}

// "atomic, predefined, collector or none"
std::string allowed(const Setting& setting) {
  if (setting.type == Type::kSize) {
    return std::string("a whole number of ") + setting.unit + " from " +
           std::to_string(setting.least) + " to " + std::to_string(setting.most) +
           "; k, M or G may follow it";
  }
  std::string text;
  const int count = setting.choice_count();
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += i + 1 < count ? ", " : " or ";
    text += setting.choices[static_cast<std::size_t>(i)];
  }
  return text;
}

}  // namespace

Error parse(const Setting& setting, std::string_view called, std::string_view text,
            std::int64_t* value) {
  if (setting.type == Type::kCommand || setting.type == Type::kFile) {
    *value = setting.type == Type::kFile && !text.empty();
    return {};
  }
  const bool right = setting.type == Type::kSize ? parse_size(setting, text, value)
                                                 : parse_choice(setting, text, value);
  if (right) return {};
  return Error::make(kErrorArgument, "%.*s is '%.*s', but must be %s",
                     static_cast<int>(called.size()), called.data(), static_cast<int>(text.size()),
                     text.data(), allowed(setting).c_str());
}

}  // namespace heddle::settings
