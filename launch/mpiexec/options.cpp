#include "launch/mpiexec/options.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/option_table.h"
#include "launch/mpiexec/peers.h"
#include "launch/mpiexec/settings.h"

namespace heddle::launch {

namespace {

Words split(const char* text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

constexpr const char* kNeedsTwo = " needs a name and a value";

std::string without_dashes(const std::string& name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// Finds an option by its name without dashes.
const Option* find(std::string_view name) {
  for (const Option& option : all_options()) {
    for (const std::string& each : split(option.names)) {
      if (without_dashes(each) == name) return &option;
    }
  }
  return nullptr;
}

// Beginnings of names are not taken for them: the next release may give them another meaning, and
// another launcher has given them one.
[[noreturn]] void refuse_strange(const std::string& word, const std::string& name) {
  if (const char* instead = in_place_of(name)) {
    fail_usage("option " + word + " of other launchers is not there: " + instead);
  }
  for (const Option& option : all_options()) {
    for (const std::string& each : split(option.names)) {
      if (name.size() > 1 && without_dashes(each).starts_with(name)) {
        fail_usage(std::string("there is no option ")
                       .append(word)
                       .append("; did you mean ")
                       .append(each)
                       .append("?"));
      }
    }
  }
  fail_usage("there is no option " + word + "; mpiexec --help lists them");
}

// One word of the command line: -name, --name, --name=VALUE, or -n4.
struct Spelled {
  std::string word;  // with its dashes
  const Option* option = nullptr;
  bool has_value = false;
  std::string value;
};

Spelled read_word(const std::string& text) {
  const std::size_t equals = text.find('=');
  Spelled found;
  found.word = text.substr(0, equals);
  const std::string name = without_dashes(found.word);
  found.option = find(name);
  if (found.option != nullptr && equals != text.npos) {
    found.has_value = true;
    found.value = text.substr(equals + 1);
  } else if (found.option == nullptr && name.size() > 1 && text[1] != '-' &&
             name.find_first_not_of("0123456789", 1) == name.npos) {
    found = {text.substr(0, 2), find(name.substr(0, 1)), true, name.substr(1)};
    const bool takes_number =
        found.option != nullptr && std::string_view("N") == found.option->values;
    if (!takes_number) refuse_strange(text, name);
  }
  if (found.option == nullptr) refuse_strange(found.word, name);
  return found;
}

}  // namespace

std::string version() {
  return "mpiexec (Heddle) " HEDDLE_VERSION ", MPI 5.0 standard ABI\n";
}

std::string help() {
  std::string text =
      "mpiexec [OPTIONS] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM [ARGUMENTS]]...\n"
      "Runs an MPI job: every rank a thread of one process, on one kernel thread a core; or every "
      "rank\n"
      "a process, where a program is none of Heddle's mpicc.\n\n";
  for (const Option& option : all_options()) {
    std::string left = std::string("  ") + option.names + " " + option.values;
    left.resize(std::max<std::size_t>(left.size() + 2, 40), ' ');
    text += left + option.help + "\n";
  }
  return text + "\nSettings, in mpiexec's environment (docs/reference/settings.md):\n" +
         help_on_settings() +
         "\nThe exit status is that of the first rank that failed, or 0. Standard input goes to "
         "rank "
         "0.\nCtrl-C and SIGTERM end all ranks.\n";
}

std::size_t read_options(const Words& words, Section& section, CommandLine& line) {
  std::size_t next = 0;
  while (next < words.size() && words[next].size() > 1 && words[next][0] == '-') {
    const std::string& word = words[next++];
    if (word == "--") break;
    const Spelled found = read_word(word);
    const std::size_t values = split(found.option->values).size();
    if (values == 0 && found.has_value) fail_usage("argument " + found.word + " takes no value");
    Context context{section, line, found.word, found.value, ""};
    if (values != 0 && !found.has_value) {
      if (next >= words.size()) {
        fail_usage("argument " + found.word + (values == 1 ? " needs a value" : kNeedsTwo));
      }
      context.value = words[next++];
    }
    const std::size_t equals = context.value.find('=');
    if (values == 2 && equals != 0 && equals != std::string::npos) {  // MPICH takes NAME=VALUE, too
      context.second_value = context.value.substr(equals + 1);
      context.value.resize(equals);
    } else if (values == 2) {
      if (next >= words.size()) fail_usage("argument " + found.word + kNeedsTwo);
      context.second_value = words[next++];
    }
    found.option->apply(context);
  }
  return next;
}

}  // namespace heddle::launch
