#include "launch/mpiexec/command_line.h"

#include <filesystem>

#include "launch/mpiexec/config_file.h"
#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/options.h"

namespace heddle::launch {

namespace {

std::vector<Words> split_at_colons(const Words& words) {
  std::vector<Words> sections(1);
  for (const std::string& word : words) {
    if (word == ":") {
      sections.emplace_back();
    } else {
      sections.back().push_back(word);
    }
  }
  return sections;
}

void read_section(const Words& words, CommandLine& line) {
  Section section;
  section.directory = std::filesystem::current_path();
  const std::size_t program = read_options(words, section, line);
  section.command.assign(words.begin() + static_cast<std::ptrdiff_t>(program), words.end());
  line.sections.push_back(std::move(section));
}

}  // namespace

CommandLine read_command_line(const Words& words) {
  CommandLine line;
  for (const Words& section : split_at_colons(words)) read_section(section, line);
  if (!line.answer.empty()) return line;

  if (!line.config_file.empty()) {
    const bool alone = line.sections.size() == 1 && line.sections[0].command.empty();
    if (!alone) fail_usage("argument -configfile: the programs stand in the file, not here too");
    line.sections.clear();
    for (const Words& section : read_config_file(line.config_file)) read_section(section, line);
  }
  for (std::size_t i = 0; i < line.sections.size(); ++i) {
    if (!line.sections[i].command.empty()) continue;
    if (line.sections.size() == 1) fail_usage("no program is named; mpiexec -n 4 ./program");
    fail_usage("no program is named in section " + std::to_string(i + 1) +
               " (sections end at ':')");
  }
  return line;
}

}  // namespace heddle::launch
