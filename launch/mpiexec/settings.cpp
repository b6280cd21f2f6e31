#include "launch/mpiexec/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>

#include "launch/mpiexec/failure.h"

namespace heddle::launch {

namespace {

constexpr std::string_view kPrefix = "HEDDLE_";
constexpr std::string_view kTestPrefix = "HEDDLE_TEST_";  // the tests' own

// How many letters must be changed, added or taken away to make `a` of `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(std::string_view variable) {
  const auto* best = std::min_element(
      settings::kTable.begin(), settings::kTable.end(), [&](const auto& a, const auto& b) {
        return distance(a.name, variable) < distance(b.name, variable);
      });
  return best->name;
}

bool is_known(std::string_view variable) {
  return std::any_of(settings::kTable.begin(), settings::kTable.end(),
                     [&](const settings::Setting& each) { return variable == each.name; });
}

void warn_of_unknown_variables() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool ours = name.substr(0, kPrefix.size()) == kPrefix &&
                      name.substr(0, kTestPrefix.size()) != kTestPrefix;
    if (!ours || is_known(name)) continue;
    std::cerr << "mpiexec: " << name << " is no setting and changes nothing; the nearest is "
              << nearest(name) << '\n';
  }
}

std::string values_of(const settings::Setting& setting) {
  if (setting.type == settings::Type::kSize) return setting.unit;
  if (setting.type == settings::Type::kFile) return "FILE";
  std::string text;
  for (int i = 0; i < setting.choice_count(); ++i) {
    text += (i > 0 ? "|" : "") + std::string(setting.choices[static_cast<std::size_t>(i)]);
  }
  return text;
}

}  // namespace

void choose_setting(settings::Id id, const std::string& called, const std::string& text,
                    CommandLine& line) {
  const settings::Setting& setting = settings::setting_of(id);
  std::int64_t value = 0;
  if (const Error e = settings::parse(setting, called, text, &value)) {
    fail_usage(std::string(e.text()));
  }
  line.settings.emplace_back(setting.name, text);
}

bool is_library_setting(const std::string& variable) {
  return std::any_of(
      settings::kTable.begin(), settings::kTable.end(),
      [&](const settings::Setting& each) { return each.of_library && variable == each.name; });
}

void apply_settings(const CommandLine& line) {
  for (const auto& [name, value] : line.settings) setenv(name.c_str(), value.c_str(), 1);
  warn_of_unknown_variables();
  if (const Error e = settings::check()) fail_usage(std::string(e.text()));
}

std::string help_on_settings() {
  std::string text;
  for (const settings::Setting& setting : settings::kTable) {
    if (!setting.of_library) continue;
    text += std::string("  ") + setting.name + "=" + values_of(setting) + " (" + setting.fallback +
            ")\n      " + setting.text + "\n";
  }
  return text;
}

}  // namespace heddle::launch
