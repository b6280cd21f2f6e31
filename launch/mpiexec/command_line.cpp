#include "launch/mpiexec/command_line.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

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
  const std::size_t program = read_options(words, section, line);
  section.command.assign(words.begin() + static_cast<std::ptrdiff_t>(program), words.end());
  line.sections.push_back(std::move(section));
}

// Where no option names it.
void find_directory(Section& section) {
  if (!section.directory.empty()) return;
  std::error_code error;
  section.directory = std::filesystem::current_path(error);
  if (!error) return;
  throw Failure{1, "the working directory cannot be found (" + error.message() +
                       "); change to one that is there, or name it by -wdir"};
}

// The variable that other launchers read, too; 0 and -1 are no limit there.
void take_limit_of_environment(CommandLine& line) {
  const char* const text = std::getenv("MPIEXEC_TIMEOUT");
  if (line.longest_s != 0 || text == nullptr) return;
  const std::string_view value = text;
  int seconds = 0;
  const auto [rest, error] = std::from_chars(value.begin(), value.end(), seconds);
  if (error != std::errc() || rest != value.end() || seconds < -1) {
    fail_usage("MPIEXEC_TIMEOUT is '" + std::string(value) +
               "', but must be a whole number of seconds");
  }
  line.longest_s = std::max(seconds, 0);
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
  for (Section& section : line.sections) find_directory(section);
  take_limit_of_environment(line);
  return line;
}

void count_ranks(CommandLine& line) {
  const int machines = std::max(1, static_cast<int>(line.machines.size()));
  for (Section& section : line.sections) {
    if (section.ranks == 0)
      section.ranks = line.fills_machines ? line.ranks_a_machine * machines : 1;
  }
}

}  // namespace heddle::launch
