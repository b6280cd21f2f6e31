#include "launch/mpiexec/labels.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "launch/mpiexec/failure.h"

namespace heddle::launch {

namespace {

constexpr std::array<int, 2> kSinks{STDOUT_FILENO, STDERR_FILENO};

bool is_ready(int descriptor, short events) {
  pollfd one = {.fd = descriptor, .events = events, .revents = 0};
  return poll(&one, 1, 0) == 1;
}

}  // namespace

std::array<int, 2> Labels::add() {
  for (std::size_t sink = 0; sink < kSinks.size(); ++sink) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw Failure{1, std::string("no pipe for the output of rank ") + std::to_string(ranks_) +
                           ": " + cause_of(errno)};
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    sources_.push_back({ranks_, ends[0], static_cast<int>(sink), {}});
    ends_of_next_[sink] = ends[1];
  }
  ++ranks_;
  return ends_of_next_;
}

void Labels::started() {
  for (int& end : ends_of_next_) close(end);
}

void Labels::await(std::vector<pollfd>& descriptors) const {
  for (const Source& source : sources_) {
    if (source.descriptor < 0 || is_full(source.sink)) continue;
    descriptors.push_back({.fd = source.descriptor, .events = POLLIN, .revents = 0});
  }
  for (std::size_t sink = 0; sink < kSinks.size(); ++sink) {
    if (waiting_[sink].empty()) continue;
    descriptors.push_back({.fd = kSinks[sink], .events = POLLOUT, .revents = 0});
  }
}

void Labels::serve() {
  for (Source& source : sources_) {
    if (source.descriptor >= 0 && !is_full(source.sink)) take(source);
  }
  for (std::size_t sink = 0; sink < kSinks.size(); ++sink) {
    while (write_once(static_cast<int>(sink))) {
    }
  }
}

void Labels::take(Source& source) {
  char text[4096];
  const ssize_t size = read(source.descriptor, text, sizeof text);
  if (size > 0) return put(source, {text, static_cast<std::size_t>(size)});
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  close(source.descriptor);
  source.descriptor = -1;
  if (!source.line.empty()) put(source, "\n");
}

void Labels::put(Source& source, std::string_view text) {
  source.line += text;
  std::string& waiting = waiting_[static_cast<std::size_t>(source.sink)];
  std::size_t begin = 0;
  for (std::size_t end; (end = source.line.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    waiting.append("[").append(std::to_string(source.rank)).append("] ");
    waiting.append(source.line, begin, end + 1 - begin);
  }
  source.line.erase(0, begin);
}

// A pipe that is ready takes this much without blocking. False: it does not, or nothing waits.
bool Labels::write_once(int sink) {
  std::string& waiting = waiting_[static_cast<std::size_t>(sink)];
  const int descriptor = kSinks[static_cast<std::size_t>(sink)];
  if (waiting.empty() || !is_ready(descriptor, POLLOUT)) return false;
  const ssize_t size =
      write(descriptor, waiting.data(), std::min<std::size_t>(waiting.size(), PIPE_BUF));
  // Where it can be written no more, it is lost.
  waiting.erase(0, size > 0 ? static_cast<std::size_t>(size) : waiting.size());
  return !waiting.empty();
}

void Labels::finish() {
  for (Source& source : sources_) {
    if (source.descriptor < 0) continue;
    while (is_ready(source.descriptor, POLLIN) && source.descriptor >= 0) take(source);
    if (!source.line.empty()) put(source, "\n");
  }
}

}  // namespace heddle::launch
