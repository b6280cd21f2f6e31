#include "launch/wrappers/flags.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "launch/wrappers/response_file.h"

namespace heddle::wrappers {

namespace {

void append(Words* to, const Words& more) {
  to->insert(to->end(), more.begin(), more.end());
}

// -fno-semantic-interposition: position-independent code for a shared object, but with the inlining
// of a program's. -fno-gnu-unique: a C++ template's static variable is one for each rank.
Words code_flags(const Compiler& compiler) {
  if (compiler.family != Family::gcc) return {"-fPIC"};  // does the rest by itself
  return {"-fPIC", "-fno-gnu-unique", "-fno-semantic-interposition"};
}

// Flags that the user's words may take back. Every page of a large frame is touched, so one that
// does not fit into its rank's stack is reported as an overflow. flang has no such option.
Words usual_code_flags(const Compiler& compiler) {
  if (compiler.family == Family::flang) return {};
  return {"-fstack-clash-protection"};
}

Words include_flags(const Compiler& compiler, const Installation& installation) {
  Words words;
  for (const std::string& directory : include_directories(compiler, installation))
    words.push_back("-I" + directory);
  return words;
}

Words library_flags(const Installation& installation) {
  return {"-L" + installation.library_directory, "-Wl,-rpath," + installation.library_directory};
}

// Linked last, and even where the user's options would drop them or ask for archives.
Words closing_libraries(const Words& names) {
  Words words{"-Wl,--push-state,--no-as-needed,-Bdynamic"};
  for (const std::string& name : names) words.push_back("-l" + name);
  words.push_back("-Wl,--pop-state");
  return words;
}

// Ahead of the user's words, so that these can say otherwise. The object behaves as a program where
// that differs from a shared library: undefined symbols are errors, its own definitions come first.
// -u main: main may lie in an archive, which is searched before our stub asks for it.
// norelro and noseparate-code: half the mappings and a page less for each rank. gold never
// separates code, and refuses the word.
Words program_link_flags(const CommandLine& line) {
  const Words& words = line.arguments;
  const bool gold = std::find(words.begin(), words.end(), "-fuse-ld=gold") != words.end();
  return {"-shared", gold ? "-Wl,-z,norelro" : "-Wl,-z,norelro,-z,noseparate-code",
          "-Wl,-z,defs,-z,now,--no-allow-shlib-undefined,-Bsymbolic",
          "-Wl,-e,heddle_image_start,-u,heddle_image_start,-u,main"};
}

// gcc's library by the name that CMake's FindOpenMP gives.
bool names_libgomp(const std::string& word) {
  constexpr std::string_view kFile = "/libgomp.so";
  return word == "-lgomp" || (word.size() > kFile.size() &&
                              word.compare(word.size() - kFile.size(), kFile.size(), kFile) == 0);
}

bool uses_openmp(const CommandLine& line) {
  const Words& words = line.arguments;
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "-fopenmp" || names_libgomp(word);
  });
}

bool has_libomp() {
  constexpr const char* kPlaces[] = {"/usr/lib/x86_64-linux-gnu/libomp.so.5",
                                     "/usr/lib64/libomp.so.5", "/usr/lib/libomp.so.5",
                                     "/usr/local/lib/libomp.so.5"};
  return std::any_of(std::begin(kPlaces), std::end(kPlaces),
                     [](const char* file) { return access(file, R_OK) == 0; });
}

bool wants_gnu_openmp() {
  const char* chosen = std::getenv("HEDDLE_OPENMP");
  return chosen != nullptr && std::strcmp(chosen, "gnu") == 0;
}

// gcc's code calls LLVM's library, whose teams wait in functions that we export, and our supplement
// for what that lacks (openmp/). Where LLVM's is not installed, and with HEDDLE_OPENMP=gnu:
// libgomp, whose teams are kernel threads.
bool takes_libomp(const CommandLine& line, const Compiler& compiler) {
  return uses_openmp(line) && compiler.family == Family::gcc && !wants_gnu_openmp() && has_libomp();
}

// Ahead of all others stands a directory in which libgomp.so is the two. The program has the
// supplement in any case, since its libraries look there before they look into a libgomp that they
// bring along.
Words openmp_link_flags(const Installation& installation) {
  return {"-L" + installation.library_directory + "/heddle-openmp", "-Wl,-u,GOMP_target_ext"};
}

// Fortran's procedures, and what belongs to one compiler of them.
Words wrapper_libraries(const Compiler& compiler) {
  if (compiler.language != Language::fortran) return {};
  Words names{"heddle_fortran", HEDDLE_SANITIZER_LIBRARIES};
  if (compiler.family == Family::flang) names.insert(names.begin(), "heddle_flang");
  return names;
}

// A library's MPI_IN_PLACE must be the program's, also where the user binds the library's names to
// itself. Without the list, the wrapper in the library would not know the address that the program
// has given.
Words binding_flags(const CommandLine& line, const Compiler& compiler,
                    const Installation& installation) {
  const Words& words = line.arguments;
  const bool bound = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "-Bsymbolic" || (word.compare(0, 4, "-Wl,") == 0 &&
                                    (word + ",").find(",-Bsymbolic,") != std::string::npos);
  });
  if (!bound || compiler.language != Language::fortran) return {};
  return {"-Wl,--dynamic-list=" + installation.library_directory + "/heddle-fortran/sentinels"};
}

Words openmp_libraries() {
  return closing_libraries({"heddle_openmp", ":libomp.so.5"});
}

// The user's words. One that names gcc's library by its path would bring a second runtime.
Words arguments_of(const CommandLine& line, bool libomp) {
  Words words = line.arguments;
  if (libomp) words.erase(std::remove_if(words.begin(), words.end(), names_libgomp), words.end());
  return words;
}

}  // namespace

Words libraries(const Compiler& compiler) {
  Words names = wrapper_libraries(compiler);
  append(&names, {"heddle_image", "heddle_libc", "mpi_abi"});
  return names;
}

Words include_directories(const Compiler& compiler, const Installation& installation) {
  Words directories{installation.include_directory};
  if (compiler.language != Language::fortran) return directories;
  const std::string fortran = installation.library_directory + "/heddle-fortran";
  if (compiler.family == Family::flang) directories.push_back(fortran + "/flang");
  directories.push_back(fortran);
  return directories;
}

std::string lacks_modules(const Compiler& compiler, const Installation& installation) {
  const std::string modules = include_directories(compiler, installation).back() + "/flang";
  if (compiler.language != Language::fortran || compiler.family != Family::flang ||
      access(modules.c_str(), R_OK) == 0) {
    return {};
  }
  return "there are no modules for flang in " + modules +
         ": Heddle makes them where it is built, if flang is installed there; use gfortran, or "
         "build it "
         "again";
}

Compiler find_compiler(Language language, const std::string& chosen) {
  // In the order of Language.
  constexpr const char* kVariables[3][3] = {{"HEDDLE_CC", "MPICH_CC", "OMPI_CC"},
                                            {"HEDDLE_CXX", "MPICH_CXX", "OMPI_CXX"},
                                            {"HEDDLE_FC", "MPICH_FC", "OMPI_FC"}};
  constexpr const char* kDefaults[] = {HEDDLE_DEFAULT_CC, HEDDLE_DEFAULT_CXX, HEDDLE_DEFAULT_FC};
  const auto index = static_cast<std::size_t>(language);
  std::string command = chosen;
  for (const char* name : kVariables[index]) {
    const char* value = std::getenv(name);
    if (command.empty() && value != nullptr) command = value;
  }
  if (command.empty()) command = kDefaults[index];

  Compiler compiler;
  compiler.language = language;
  compiler.command = split_words(command);
  const std::string& last = compiler.command.back();
  const std::string name = last.substr(last.rfind('/') + 1);
  if (name.find("clang") != std::string::npos) compiler.family = Family::clang;
  if (name.find("flang") != std::string::npos) compiler.family = Family::flang;
  return compiler;
}

Words compile_flags(const Compiler& compiler, const Installation& installation, bool for_cmake) {
  Words words = usual_code_flags(compiler);
  append(&words, include_flags(compiler, installation));
  if (!for_cmake) {
    append(&words, code_flags(compiler));
  } else if (compiler.family != Family::gcc) {
    // FindMPI drops -fPIC, but takes an option that it finds behind a semicolon (its list
    // separator) as it is; a generator expression becomes -fPIC again.
    words.push_back("-fno-common;$<1:-fPIC>");
  } else {
    words.push_back("-fno-gnu-unique;--PIC");  // gcc's long spelling of -fPIC
    words.push_back("-fno-semantic-interposition");
  }
  return words;
}

// For targets of CMake that are executables:
// $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,--no-undefined>. FindMPI writes $<COMMA> for
// each comma, which separates no arguments, so the outer two expressions are text until GENEX_EVAL
// reads it: "$$<1:<>" stands for "$<".
constexpr char kNoUndefinedOfPrograms[] =
    "$<GENEX_EVAL:$$<1:<>$$<1:<>STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE$<ANGLE-R>:"
    "-Wl,--no-undefined$<ANGLE-R>>";

// -Wl,-shared: the compiler still brings a program's start files, of which _start is used, and the
// same flags do no harm when the user links a shared library with them. -pie: those start files
// that a shared object can have, even if the user's words say -no-pie before; FindMPI takes it only
// behind a semicolon. -Wl,--no-undefined: a program's missing functions are the linker's errors, as
// configure scripts expect. CMake gives the same flags to shared libraries and modules, which may
// call the program that loads them, so there it is for executables alone.
Words link_flags(const Compiler& compiler, const Installation& installation, bool for_cmake) {
  Words words{"-Wl,-shared", "-pie", "-Wl,--no-undefined"};
  if (for_cmake) words = {std::string("-Wl,-shared;-pie;") + kNoUndefinedOfPrograms};
  append(&words, library_flags(installation));
  for (const std::string& name : libraries(compiler)) words.push_back("-l" + name);
  return words;
}

Words compiler_command(const CommandLine& line, const Compiler& compiler,
                       const Installation& installation) {
  Words words = compiler.command;
  if (line.job == Job::ask && line.show == Show::nothing) {
    append(&words, line.arguments);
    return words;
  }
  const bool bare = line.job == Job::ask;  // mpicc -show: as for a program
  const bool is_program = line.job == Job::link_program || bare;
  const bool libomp = is_program && takes_libomp(line, compiler);
  if (is_program) append(&words, program_link_flags(line));
  if (libomp) append(&words, openmp_link_flags(installation));
  append(&words, usual_code_flags(compiler));
  append(&words, arguments_of(line, libomp));
  // Behind the user's words: of -fPIE and -fPIC the last one counts.
  append(&words, include_flags(compiler, installation));
  append(&words, code_flags(compiler));
  if (is_program) {
    append(&words, library_flags(installation));
    append(&words, closing_libraries(libraries(compiler)));
    if (libomp) append(&words, openmp_libraries());
    // Behind libheddle_libc, which has a sign of the gamma function for each rank.
    if (line.names_libm) words.push_back("-lm");
  } else if (line.job == Job::link_library) {
    append(&words, library_flags(installation));
    append(&words, binding_flags(line, compiler, installation));
    Words names = wrapper_libraries(compiler);
    names.push_back("mpi_abi");
    append(&words, closing_libraries(names));
  }
  return words;
}

bool lacks_libomp(const CommandLine& line, const Compiler& compiler) {
  return line.job == Job::link_program && uses_openmp(line) && compiler.family == Family::gcc &&
         !wants_gnu_openmp() && !has_libomp();
}

bool asked_by_cmake() {
  // FindMPI.cmake sets these two for Intel's wrappers while it asks any wrapper.
  const char* strip = std::getenv("I_MPI_DEBUG_INFO_STRIP");
  const char* bind = std::getenv("I_MPI_FORT_BIND");
  return strip != nullptr && bind != nullptr && std::strcmp(strip, "disable") == 0 &&
         std::strcmp(bind, "disable") == 0;
}

}  // namespace heddle::wrappers
