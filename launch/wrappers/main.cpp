// mpicc, mpicxx, mpic++, mpiCC, mpifort, mpif77, mpif90 — compile and link programs whose ranks can
// be threads.
//
// One program; its name says which language it links for. It adds its flags to the user's and
// becomes the compiler, or runs it for the link of a program (README.md).

#include <cstdio>
#include <new>
#include <string>
#include <string_view>

#include "launch/wrappers/command_line.h"
#include "launch/wrappers/flags.h"
#include "launch/wrappers/installation.h"
#include "launch/wrappers/link_run.h"
#include "launch/wrappers/own_options.h"

namespace {

using namespace heddle::wrappers;

// A word as the shell must be given it.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string result = "'";
  for (char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

void print(const Words& words) {
  const bool quotes = !asked_by_cmake();  // its parser knows none
  const char* separator = "";
  for (const std::string& word : words) {
    std::printf("%s%s", separator, (quotes ? quoted(word) : word).c_str());
    separator = " ";
  }
  std::printf("\n");
}

int show(const CommandLine& line, const Compiler& compiler, const Installation& installation) {
  switch (line.show) {
    case Show::nothing:
    case Show::command:
      print(compiler_command(line, compiler, installation));
      break;
    case Show::compiler_name:
      print(compiler.command);
      break;
    case Show::compile_flags:
      print(compile_flags(compiler, installation, asked_by_cmake()));
      break;
    case Show::link_flags:
      print(link_flags(compiler, installation, asked_by_cmake()));
      break;
    case Show::include_directories:
      print(include_directories(compiler, installation));
      break;
    case Show::library_directories:
      print({installation.library_directory});
      break;
    case Show::libraries:
      print(libraries(compiler));
      break;
    case Show::version:
      std::printf("Heddle %s\n", HEDDLE_VERSION);
      break;
    case Show::help:
      std::printf("%s", help().c_str());
      break;
  }
  return 0;
}

Language language_of(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("mpif")) return Language::fortran;
  return has("cxx") || has("++") || has("CC") ? Language::cxx : Language::c;
}

int run(const std::string& name, int argc, char** argv) {
  const Language language = language_of(name);
  CommandLine line = read_command_line(Words(argv + (argc > 0), argv + argc));
  if (language == Language::fortran && line.refusal.empty()) line.refusal = fortran_refusal(line);
  const Compiler compiler = find_compiler(language, line.compiler);
  const Installation installation = find_installation();
  if (line.refusal.empty()) line.refusal = lacks_modules(compiler, installation);
  if (!line.refusal.empty()) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), line.refusal.c_str());
    return 1;
  }
  if (line.show != Show::nothing) return show(line, compiler, installation);
  const Words words = compiler_command(line, compiler, installation);
  if (line.job != Job::link_program) return become_compiler(name.c_str(), words);
  if (lacks_libomp(line, compiler)) {
    std::fprintf(
        stderr,
        "%s: note: LLVM's OpenMP library (libomp.so.5, Debian's libomp5-14) is not installed, so "
        "the teams "
        "of this program are kernel threads of gcc's libgomp; HEDDLE_OPENMP=gnu asks for that "
        "without this line\n",
        name.c_str());
  }
  return run_link(name.c_str(), words, compiler.command.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "mpicc";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  try {
    return run(std::string(name), argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%.*s: no memory is left (ulimit -v)\n", static_cast<int>(name.size()),
                 name.data());
    return 1;
  }
}
