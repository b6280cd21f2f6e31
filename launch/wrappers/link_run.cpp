#include "launch/wrappers/link_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace heddle::wrappers {

namespace {

using Words = std::vector<std::string>;

// Looks for words in a text that comes in pieces.
class Search {
 public:
  explicit Search(std::string_view words) : words_(words) {}

  void add(std::string_view piece) {
    if (found_) return;
    rest_ += piece;
    found_ = rest_.find(words_) != std::string::npos;
    rest_.erase(0, rest_.size() - std::min(rest_.size(), words_.size()));
  }
  bool found() const { return found_; }

 private:
  const std::string_view words_;
  std::string rest_;  // the words may begin in it
  bool found_ = false;
};

// ld, gold, lld and mold all say so.
constexpr std::string_view kLinkersWords = "recompile with -fPI";

void write_all(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(STDERR_FILENO, text, size);
    if (written < 0 && errno != EINTR) return;
    if (written < 0) continue;
    text += written;
    size -= static_cast<std::size_t>(written);
  }
}

// A daemon that the compiler has started (of a cache) may hold the pipe for ever, so the compiler's
// end counts, too.
void pass_on(int from, int process, Search* search) {
  pollfd awaited[] = {{from, POLLIN, 0}, {process, POLLIN, 0}};
  std::array<char, 4096> piece;
  for (;;) {
    if (poll(awaited, 2, -1) < 0 && errno != EINTR) return;
    if (awaited[0].revents == 0 && awaited[1].revents != 0) return;
    const ssize_t size = read(from, piece.data(), piece.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) return;
    const std::string_view text(piece.data(), static_cast<std::size_t>(size));
    write_all(text.data(), text.size());
    search->add(text);
  }
}

// The compiler, whose standard error is a pipe now, would leave out the colours of a terminal. The
// user's own words come later and count.
Words with_colours(Words words, std::size_t command_words) {
  const char* const terminal = std::getenv("TERM");
  const bool has_colours = terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
  if (isatty(STDERR_FILENO) == 1 && has_colours) {
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(command_words),
                 "-fdiagnostics-color=always");
  }
  return words;
}

[[noreturn]] void end_as(int signal) {
  const rlimit none = {};
  setrlimit(RLIMIT_CORE, &none);  // the compiler's is enough
  ::signal(signal, SIG_DFL);
  raise(signal);
  std::_Exit(128 + signal);
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  if (WIFSIGNALED(status)) end_as(WTERMSIG(status));
  return WEXITSTATUS(status);
}

}  // namespace

int become_compiler(const char* name, const Words& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  std::fprintf(stderr, "%s: cannot run the compiler %s: %s\n", name, arguments[0],
               std::strerror(errno));
  return 127;
}

int run_link(const char* name, const Words& words, std::size_t command_words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return become_compiler(name, words);
  const Words coloured = with_colours(words, command_words);
  const pid_t child = fork();
  if (child < 0) return become_compiler(name, words);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // a signal that ends the wrapper is meant for the compiler
    dup2(ends[1], STDERR_FILENO);
    std::_Exit(become_compiler(name, coloured));
  }
  close(ends[1]);
  Search search(kLinkersWords);
  pass_on(ends[0], static_cast<int>(syscall(SYS_pidfd_open, child, 0)), &search);
  const int status = status_of(child);
  if (status != 0 && search.found()) {
    std::fprintf(stderr,
                 "%s: Heddle loads programs as it does shared libraries, so the objects that the "
                 "linker names above "
                 "must be compiled again, by %s or with -fPIC; in place of an archive, a shared "
                 "library will do\n",
                 name, name);
  }
  return status;
}

}  // namespace heddle::wrappers
