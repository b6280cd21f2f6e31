#include "exec/process/state/output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "base/mutex.h"

namespace heddle::process {

namespace {

bool label_lines = false;
constinit Sink standard_output(STDOUT_FILENO);
constinit Sink standard_error(STDERR_FILENO);

// relaxed: a thread that sees it late still writes all at once.
constinit std::atomic<bool> in_pieces{false};
// Used by the thread that ends the process.
thread_local constinit bool watches = false;
Sink* watched = &standard_output;

// Where the last whole line of `text` ends.
std::size_t end_of_lines(const char* text, std::size_t size) noexcept {
  const void* last = memrchr(text, '\n', size);
  return last == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(last) - text) + 1;
}

std::string with_labels(int rank, const char* text, std::size_t size, bool line_begun) {
  const std::string label = "[" + std::to_string(rank) + "] ";
  std::string labelled;
  const char* const end = text + size;
  while (text != end) {
    const void* newline = std::memchr(text, '\n', static_cast<std::size_t>(end - text));
    const char* next = newline == nullptr ? end : static_cast<const char*>(newline) + 1;
    if (!line_begun) labelled += label;
    labelled.append(text, next);
    line_begun = false;
    text = next;
  }
  return labelled;
}

}  // namespace

void configure_output(const OutputOptions& options) noexcept {
  label_lines = options.label_lines;
}

Sink& Sink::of(int descriptor) noexcept {
  return descriptor == STDERR_FILENO ? standard_error : standard_output;
}

void Sink::watch() noexcept {
  in_pieces.store(true, std::memory_order_relaxed);
  watches = true;
}

std::uint64_t Sink::written_where_watched() noexcept {
  return watched->written_.load(std::memory_order_relaxed);
}

void Sink::watch_here() noexcept {
  if (watches) watched = this;
}

bool Sink::is_terminal() const noexcept {
  return isatty(descriptor_) == 1;
}

bool Sink::write_all(const char* text, std::size_t size) noexcept {
  while (size > 0) {
    const std::size_t most = in_pieces.load(std::memory_order_relaxed) ? PIPE_BUF : size;
    const std::size_t piece = std::min(size, most);
    // The system call of libc: in a singleton the symbol `write` leads to the program's library.
    const ssize_t written = ::write(descriptor_, text, piece);
    if (written >= 0) {
      written_.fetch_add(static_cast<std::uint64_t>(written), std::memory_order_relaxed);
      text += written;
      size -= static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      // A pipe that another process made nonblocking is full; a process would see EAGAIN here and
      // most programs would lose the text.
      pollfd ready = {descriptor_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool Sink::emit(int rank, const char* text, std::size_t size) noexcept {
  if (size == 0) return true;
  watch_here();
  const MutexGuard lock(mutex_);
  return put(rank, text, size);
}

bool Sink::put(int rank, const char* text, std::size_t size) noexcept {
  if (open_line_of_ != -1 && open_line_of_ != rank && !write_all("\n", 1)) return false;
  open_line_of_ = text[size - 1] == '\n' ? -1 : rank;
  return write_all(text, size);
}

void Sink::emit_in_crash(const char* text, std::size_t size, int rank) noexcept {
  if (size == 0) return;
  watch_here();
  bool locked = mutex_.try_lock();
  for (; tries_in_crash_ > 0 && !locked; --tries_in_crash_) {
    poll(nullptr, 0, 1);
    locked = mutex_.try_lock();
  }
  put(rank, text, size);
  if (locked) mutex_.unlock();
}

bool LineWriter::emit(const char* text, std::size_t size) noexcept {
  if (size == 0) return true;
  const bool begun = line_begun_;
  line_begun_ = text[size - 1] != '\n';
  if (!label_lines) return sink_.emit(rank_, text, size);
  const std::string labelled = with_labels(rank_, text, size, begun);
  return sink_.emit(rank_, labelled.data(), labelled.size());
}

bool LineWriter::flush_locked() noexcept {
  const bool emitted = emit(kept_.data(), kept_.size());
  kept_.clear();
  return emitted;
}

ssize_t LineWriter::write(const char* text, std::size_t size) noexcept {
  const MutexGuard lock(mutex_);
  std::size_t lines = end_of_lines(text, size);
  const char* const rest = text + lines;
  if (lines != 0 && !kept_.empty()) {
    // The kept beginning and its end go out together, in one write.
    kept_.append(text, lines);
    if (!flush_locked()) return -1;
  } else if (!emit(text, lines)) {
    return -1;
  }
  kept_.append(rest, size - lines);
  if (kept_.size() > kLongestKept && !flush_locked()) return -1;
  return static_cast<ssize_t>(size);
}

void LineWriter::flush() noexcept {
  const MutexGuard lock(mutex_);
  flush_locked();
}

void LineWriter::emit_in_crash(const char* text, std::size_t size) noexcept {
  while (size > 0) {
    char line[512];
    const int label =
        label_lines && !line_begun_ ? std::snprintf(line, sizeof line, "[%d] ", rank_) : 0;
    const auto begun = static_cast<std::size_t>(label);
    // A labelled line goes out in one piece if it is not too long; others all together.
    const void* const end = label_lines ? std::memchr(text, '\n', size) : nullptr;
    std::size_t length = size;
    if (end != nullptr) length = static_cast<std::size_t>(static_cast<const char*>(end) - text) + 1;
    if (label_lines) {
      length = std::min(length, sizeof line - begun);
      std::memcpy(line + begun, text, length);
      sink_.emit_in_crash(line, begun + length, rank_);
    } else {
      sink_.emit_in_crash(text, length, rank_);
    }
    line_begun_ = text[length - 1] != '\n';
    text += length;
    size -= length;
  }
}

void LineWriter::write_in_crash(const char* more, std::size_t size) noexcept {
  if (!mutex_.try_lock()) return;
  emit_in_crash(kept_.data(), kept_.size());
  kept_.clear();
  emit_in_crash(more, size);
  mutex_.unlock();
}

}  // namespace heddle::process
