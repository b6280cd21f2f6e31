#include "launch/mpiexec/environment.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace heddle::launch {

namespace {

void warn_if_only_some_have(const std::string& name, const Words& common) {
  constexpr std::array<std::string_view, 3> kOfTheLinker{"LD_LIBRARY_PATH", "LD_PRELOAD",
                                                         "LD_AUDIT"};
  if (std::find(kOfTheLinker.begin(), kOfTheLinker.end(), name) == kOfTheLinker.end()) return;
  for (const std::string& word : common) {
    if (word.substr(0, word.find('=')) == name) return;
  }
  std::cerr << "mpiexec: " << name
            << " has no effect: one process loads all ranks, and not all of them "
            << "have the same value\n";
}

}  // namespace

Variables variables_of(const CommandLine& line, const Section& section) {
  Variables variables;
  for (const Words* words : {&line.environment, &section.environment}) {
    for (const std::string& word : *words) {
      const std::size_t equals = word.find('=');
      variables[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  return variables;
}

Words common_environment(const CommandLine& line) {
  Variables common = variables_of(line, line.sections.front());
  for (const Section& section : line.sections) {
    const Variables own = variables_of(line, section);
    for (auto at = common.begin(); at != common.end();) {
      const auto same = own.find(at->first);
      at = same != own.end() && same->second == at->second ? std::next(at) : common.erase(at);
    }
  }
  Words words;
  for (const auto& [name, value] : common) words.emplace_back(name).append("=").append(value);
  return words;
}

void apply_environment(const CommandLine& line) {
  const Words common = common_environment(line);
  for (const std::string& word : common) {
    const std::size_t equals = word.find('=');
    setenv(word.substr(0, equals).c_str(), word.substr(equals + 1).c_str(), 1);
  }
  Variables all;
  for (const Section& section : line.sections) all.merge(variables_of(line, section));
  for (const auto& [name, value] : all) warn_if_only_some_have(name, common);
}

}  // namespace heddle::launch
