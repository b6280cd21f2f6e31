#include "launch/wrappers/command_line.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "launch/wrappers/own_options.h"
#include "launch/wrappers/response_file.h"

namespace heddle::wrappers {

namespace {

bool starts_with(std::string_view word, std::string_view start) {
  return word.substr(0, start.size()) == start;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Options whose value is the next word.
constexpr std::array<std::string_view, 45> kWithValue{"-o",
                                                      "-x",
                                                      "-I",
                                                      "-L",
                                                      "-D",
                                                      "-U",
                                                      "-l",
                                                      "-A",
                                                      "-B",
                                                      "-G",
                                                      "-T",
                                                      "-u",
                                                      "-z",
                                                      "-e",
                                                      "-h",
                                                      "-R",
                                                      "-include",
                                                      "-imacros",
                                                      "-isystem",
                                                      "-iquote",
                                                      "-idirafter",
                                                      "-iprefix",
                                                      "-iwithprefix",
                                                      "-isysroot",
                                                      "-imultilib",
                                                      "-MF",
                                                      "-MT",
                                                      "-MQ",
                                                      "-MJ",
                                                      "-Xlinker",
                                                      "-Xassembler",
                                                      "-Xclang",
                                                      "-Xpreprocessor",
                                                      "-aux-info",
                                                      "-dumpbase",
                                                      "-dumpdir",
                                                      "-dumpbase-ext",
                                                      "-wrapper",
                                                      "--param",
                                                      "-target",
                                                      "-mllvm",
                                                      "-specs",
                                                      "--sysroot",
                                                      "-framework",
                                                      "-iwithprefixbefore"};

// Options after which the compiler does not link.
constexpr std::array<std::string_view, 8> kNoLink{
    "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--preprocess", "--assemble"};

// Options that say how addresses in a program are formed. An image is a shared object and decides
// that itself.
constexpr std::array<std::string_view, 8> kProgramKind{"-pie",  "-no-pie",  "-nopie",   "-fpie",
                                                       "-fPIE", "-fno-pie", "-fno-PIE", "--pie"};
constexpr std::array<std::string_view, 2> kNoPic{"-fno-pic", "-fno-PIC"};

constexpr std::array<std::string_view, 3> kStatic{"-static", "--static", "-static-pie"};

// The facts that the words give about the compiler's job. Response files are read, too.
struct Facts {
  bool input = false;
  bool stops_before_link = false;
  bool shared = false;
  bool relocatable = false;
  bool static_link = false;
};

void look_at(const std::vector<std::string>& words, int depth, Facts* facts) {
  constexpr int kMostNested = 20;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() > 1 && word[0] == '@' && depth < kMostNested) {
      look_at(read_response_file(word.substr(1)), depth + 1, facts);
    } else if (word.empty() || word[0] != '-' || word == "-") {
      facts->input = true;
    } else if (is_one_of(word, kNoLink)) {
      facts->stops_before_link = true;
    } else if (word == "-shared" || word == "--shared" || word == "-dynamiclib") {
      facts->shared = true;
    } else if (word == "-r") {
      facts->relocatable = true;
    } else if (is_one_of(word, kStatic)) {
      facts->static_link = true;
    } else if (word == "-l" || starts_with(word, "-l") || starts_with(word, "-Wl,")) {
      facts->input = facts->input || starts_with(word, "-l");
      i += word == "-l";
    } else if (is_one_of(word, kWithValue)) {
      ++i;
    }
  }
}

Job job_of(const Facts& facts) {
  if (!facts.input) return Job::ask;
  if (facts.stops_before_link) return Job::compile;
  if (facts.shared) return Job::link_library;
  return facts.relocatable ? Job::link_object : Job::link_program;
}

void take_out_libm(CommandLine* line) {
  std::vector<std::string> rest;
  const std::vector<std::string>& words = line->arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-lm") {
      line->names_libm = true;
      continue;
    }
    rest.push_back(words[i]);
    if (is_one_of(words[i], kWithValue) && i + 1 < words.size()) rest.push_back(words[++i]);
  }
  line->arguments = std::move(rest);
}

}  // namespace

std::string fortran_refusal(const CommandLine& line) {
  for (const std::string& word : line.arguments) {
    if (word == "-fdefault-integer-8" || word == "-finteger-4-integer-8") {
      return word +
             " is not possible: MPI's INTEGER has 4 bytes here; give those variables a kind that "
             "need 8 bytes";
    }
    if (word == "-static-libgfortran") {
      return "-static-libgfortran is not possible: a program is loaded as shared libraries are, "
             "and "
             "gcc's archive is not made for that; leave it out";
    }
  }
  return {};
}

CommandLine read_command_line(const std::vector<std::string>& words) {
  CommandLine line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (starts_with(word, "-cc=") || starts_with(word, "-cxx=") || starts_with(word, "-fc=")) {
      line.compiler = word.substr(word.find('=') + 1);
    } else if (is_question(word)) {
      line.show = show_of(word);
      if (line.show == Show::nothing) {
        line.refusal = "unknown option " + word;
        return line;
      }
    } else if (!is_one_of(word, kProgramKind) && !is_one_of(word, kNoPic)) {
      line.arguments.push_back(word);
      if (is_one_of(word, kWithValue) && i + 1 < words.size()) line.arguments.push_back(words[++i]);
    }
  }
  Facts facts;
  look_at(line.arguments, 0, &facts);
  line.job = job_of(facts);
  if (line.job == Job::link_program) take_out_libm(&line);
  if (line.job == Job::link_program && facts.static_link) {
    line.refusal =
        "-static is not possible: ranks share one process, so a program must be dynamic; leave out "
        "-static (-static-libgcc and -static-libstdc++ are fine)";
  }
  return line;
}

}  // namespace heddle::wrappers
