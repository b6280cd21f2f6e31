#include "launch/mpiexec/config_file.h"

#include <cctype>
#include <fstream>

#include "launch/mpiexec/failure.h"

namespace heddle::launch {

namespace {

// Takes a line apart. Returns false if a quote is still open at its end.
bool split_quoted(const std::string& line, Words& words) {
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\0' && std::isspace(static_cast<unsigned char>(c))) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else if (quote == '\0' && c == '#' && !in_word) {
      return true;
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
      in_word = true;
    } else {
      const bool escaped = c == '\\' && quote != '\'' && i + 1 < line.size();
      word += escaped ? line[++i] : c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return quote == '\0';
}

}  // namespace

std::vector<Words> read_config_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail_usage("argument -configfile: cannot read '" + path + "'");

  std::vector<Words> sections;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    Words words;
    if (!split_quoted(line, words)) {
      fail_usage("argument -configfile: a quote in line " + std::to_string(number) + " of '" +
                 path + "' does not end");
    }
    if (!words.empty()) sections.push_back(words);
  }
  if (sections.empty()) fail_usage("argument -configfile: '" + path + "' names no program");
  return sections;
}

}  // namespace heddle::launch
