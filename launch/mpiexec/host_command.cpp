#include "launch/mpiexec/host_command.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/program_file.h"

namespace heddle::launch {

namespace {

// A path from mpiexec's own folder: the same way in the build tree and wherever the installation
// was moved to.
std::string beside_mpiexec(const char* path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", error);
  // Without it the dynamic linker does not know the host's folder ($ORIGIN), either.
  if (error)
    throw Failure{1, "/proc/self/exe cannot be read (" + error.message() + "); mount /proc"};
  return (here.parent_path() / path).lexically_normal();
}

// Settings of glibc that it reads when a program starts; what the user has set stays.
struct Tunable {
  const char* name;
  const char* value;
};
constexpr Tunable kTunables[] = {
    // Private libraries with initial-exec thread-local variables take their place in the
    // static TLS block, whose spare room glibc fixes at start-up: 11 copies fit by default, with
    // this 1000.
    {"glibc.rtld.optional_static_tls", "262144"},
    // By default malloc gives 128 KiB at the top of a heap back to the kernel at once, and faults
    // the pages in again at the next burst of messages (8 KiB each: 3.1 us a message instead of
    // 0.6). Naming this threshold fixes the other one, too, which else follows the blocks that a
    // program frees, up to this size.
    {"glibc.malloc.trim_threshold", "33554432"},
    {"glibc.malloc.mmap_threshold", "33554432"},
};
// Never `rep movsb` in memcpy: where the destination lies 8 or 16 bytes behind the source modulo
// 64, it copies a twentieth of what it copies elsewhere.
constexpr Tunable kForSlowStrings = {"glibc.cpu.x86_rep_movsb_threshold", "0x7fffffffffffffff"};

// True on AMD's family 25 (Zen 3 and 4). Elsewhere `rep movsb` is the fastest way between two
// cores.
bool has_slow_strings() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_is("amdfam19h") != 0;
#else
  return false;
#endif
}

}  // namespace

void add_program(const CommandLine& line, const Section& section, Words& words) {
  words.push_back("program");
  words.push_back("ranks=" + std::to_string(section.ranks));
  words.push_back("dir=" + section.directory);
  words.push_back("path=" + find_program(section));
  for (const std::string& setting : line.environment) words.push_back("env=" + setting);
  for (const std::string& setting : section.environment) words.push_back("env=" + setting);
  words.push_back("argc=" + std::to_string(section.command.size()));
  words.insert(words.end(), section.command.begin(), section.command.end());
}

std::string library_path() {
  return beside_mpiexec(HEDDLE_LIBRARIES);
}

void offer_library() {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string others = before != nullptr && *before != '\0' ? std::string(before) + ":" : "";
  setenv("LD_LIBRARY_PATH", (others + library_path()).c_str(), 1);
}

void set_tunables() {
  const char* inherited = std::getenv("GLIBC_TUNABLES");
  std::string tunables = inherited != nullptr ? inherited : "";
  const auto add = [&tunables](const Tunable& tunable) {
    if (tunables.find(tunable.name) != std::string::npos) return;
    if (!tunables.empty()) tunables += ":";
    tunables += std::string(tunable.name) + "=" + tunable.value;
  };
  for (const Tunable& tunable : kTunables) add(tunable);
  if (has_slow_strings()) add(kForSlowStrings);
  setenv("GLIBC_TUNABLES", tunables.c_str(), 1);
}

Words host_command(const CommandLine& line, int hosts, const std::string& places) {
  Words words{beside_mpiexec(HEDDLE_HOST), "workers=" + std::to_string(line.workers),
              std::string("bind=") + (line.binds ? "core" : "none"),
              std::string("labels=") + (line.label_lines ? "1" : "0")};
  if (line.placement.map_by) {
    words.push_back(std::string("map=") + platform::name_of(*line.placement.map_by));
  }
  if (line.placement.rank_by_fill) words.push_back("fill=1");
  if (line.report_bindings) words.push_back("report=1");
  if (line.balances) words.push_back("balance=1");
  if (!line.checks_deadlock) words.push_back("deadlock=0");
  if (line.longest_s != 0) words.push_back("timeout=" + std::to_string(line.longest_s));
  if (hosts > 0) words.push_back("hosts=" + std::to_string(hosts));
  if (!places.empty()) words.push_back("places=" + places);
  for (const std::string& library : line.shared_libraries) words.push_back("share=" + library);
  for (const Section& section : line.sections) add_program(line, section, words);
  return words;
}

void become(const Words& command) {
  set_tunables();
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  const int status = errno == ENOENT ? kStatusNotFound : kStatusNotExecutable;
  throw Failure{status, "cannot start '" + command[0] + "': " + cause_of(errno)};
}

}  // namespace heddle::launch
