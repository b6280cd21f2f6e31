#include "base/settings.h"

#include <array>
#include <cstdlib>
#include <string>

namespace heddle::settings {

namespace {

class Environment {
 public:
  Environment() {
    for (std::size_t i = 0; i < kTable.size(); ++i) {
      read(kTable[i], kTable[i].fallback, &values_[i]);
      const char* text = std::getenv(kTable[i].name);
      if (text != nullptr && kTable[i].type == Type::kFile) texts_[i] = text;
      if (text != nullptr && kTable[i].of_library) read(kTable[i], text, &values_[i]);
    }
  }

  std::int64_t value(Id id) const noexcept { return values_[static_cast<std::size_t>(id)]; }
  const std::string& text(Id id) const noexcept { return texts_[static_cast<std::size_t>(id)]; }
  const std::string& complaint() const noexcept { return complaint_; }

 private:
  void read(const Setting& setting, const char* text, std::int64_t* value) {
    const Error e = parse(setting, setting.name, text, value);
    if (e && complaint_.empty()) complaint_ = e.text();
  }

  std::array<std::int64_t, kTable.size()> values_{};
  std::array<std::string, kTable.size()> texts_;  // of files
  std::string complaint_;  // about the first wrong value; empty: there is none
};

// Never destroyed: asked by whatever a process does last.
const Environment& environment() {
  static const Environment& read_once = *new Environment();
  return read_once;
}

}  // namespace

std::int64_t value(Id id) noexcept {
  return environment().value(id);
}

const std::string& text(Id id) noexcept {
  return environment().text(id);
}

Error check() {
  const std::string& complaint = environment().complaint();
  if (complaint.empty()) return {};
  return Error::make(kErrorArgument, "%s", complaint.c_str());
}

}  // namespace heddle::settings
