// output.h — what the ranks print, line by line.
//
//   rank 0's stdout ─► LineWriter ─┐
//   rank 1's stdout ─► LineWriter ─┼─► Sink of descriptor 1 ── one write(2) of whole lines ──►
//   …                              ┘    (likewise descriptor 2)
//
// A LineWriter keeps the beginning of a line until its end comes, the rank ends or reads its
// standard input, or the line grows too long. So a line is never broken by another rank's. A rank's
// stdio buffer lies in front of it, so a million lines cost about what they cost in a process.
//
// If a line had to be emitted without its end and another rank prints next, a newline is put
// between them.
//
// Thread safety: Sinks lock; a LineWriter locks itself (its rank may have several threads). Both
// locks are kernel locks, held over write(2) and never over a switch.

#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/mutex.h"

namespace heddle::process {

struct OutputOptions {
  bool label_lines = false;  // "[3] " before each line of rank 3
};

// Called before any rank prints.
void configure_output(const OutputOptions& options) noexcept;

// Where the lines of all ranks meet.
class Sink {
 public:
  constexpr explicit Sink(int descriptor) noexcept : descriptor_(descriptor) {}

  // The process's standard output (1) or standard error (2).
  static Sink& of(int descriptor) noexcept;

  // Writes all of `text`, undivided. Returns false with errno if that fails.
  bool emit(int rank, const char* text, std::size_t size) noexcept;

  // Writes as emit() does, at the end of the process, which may have interrupted the holder of the
  // lock: if the lock does not come free soon, it writes without it. Rank -1: the line is no
  // rank's.
  void emit_in_crash(const char* text, std::size_t size,
                     int rank = -1) noexcept NO_THREAD_SAFETY_ANALYSIS;

  bool is_terminal() const noexcept;

  // For the thread that ends the process and must know whether anything is still read. From watch()
  // on all threads write in pieces. The other function returns how many bytes have been written to
  // the sink where the calling thread emits, at first to the standard output.
  static void watch() noexcept;
  static std::uint64_t written_where_watched() noexcept;

  // Tests: another file in its place.
  void redirect(int descriptor) noexcept {
    const MutexGuard lock(mutex_);
    descriptor_ = descriptor;
    open_line_of_ = -1;
  }

 private:
  bool write_all(const char* text, std::size_t size) noexcept;
  bool put(int rank, const char* text, std::size_t size) noexcept REQUIRES(mutex_);

  void watch_here() noexcept;

  // relaxed: a reader only wants to know if it changes.
  std::atomic<std::uint64_t> written_{0};
  // Lock: guards standard output or error of the process; held across `write(2)`; never a switch.
  Mutex mutex_;
  int descriptor_;
  int tries_in_crash_ =
      100;  // that are left, of a millisecond each; of the thread that ends the process
  int open_line_of_ GUARDED_BY(mutex_) = -1;  // whose line lacks its end
};

// One rank's way to a sink.
class LineWriter {
 public:
  LineWriter(Sink& sink, int rank) noexcept : sink_(sink), rank_(rank) {}

  // write(2)'s result and errno.
  ssize_t write(const char* text, std::size_t size) noexcept;

  // Emits a line that lacks its end.
  void flush() noexcept;

  // For the end of the process: emits the line that lacks its end and then `more`, unless the
  // writer is in use. Takes no memory.
  void write_in_crash(const char* more, std::size_t size) noexcept;

 private:
  static constexpr std::size_t kLongestKept = 64 << 10;

  bool emit(const char* text, std::size_t size) noexcept REQUIRES(mutex_);
  bool flush_locked() noexcept REQUIRES(mutex_);
  void emit_in_crash(const char* text, std::size_t size) noexcept REQUIRES(mutex_);

  Sink& sink_;
  const int rank_;
  // Lock: guards the line that one rank has begun on standard output or error; held across the
  // `Sink`'s mutex, and so `write(2)`; never a switch.
  Mutex mutex_;
  std::string kept_ GUARDED_BY(mutex_);         // the beginning of a line
  bool line_begun_ GUARDED_BY(mutex_) = false;  // a part of this line was emitted already
};

}  // namespace heddle::process
