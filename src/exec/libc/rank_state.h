// rank_state.h — what exec/libc keeps of one rank, from before its program is loaded until after
// its end.
//
//   begin_rank ─► image loads: heddle_libc_attach ─► run_main ─► image retires ─► end_rank
//
// Private to exec/libc. Thread safety: by field.

#pragma once

#include <atomic>
#include <csetjmp>
#include <string>
#include <vector>

#include "base/intrusive_list.h"
#include "exec/libc/directory.h"
#include "exec/libc/hooks.h"
#include "exec/libc/output.h"
#include "exec/libc/run_main.h"
#include "exec/rank/rank.h"
#include "exec/ult/processor_time.h"
#include "exec/ult/strand.h"

namespace heddle::libc {

// What one of the descriptors 0, 1 and 2 means to a rank.
class Standard {
 public:
  explicit Standard(int number) noexcept : shared_(number) {}
  ~Standard();
  Standard(const Standard&) = delete;
  Standard& operator=(const Standard&) = delete;

  // A descriptor of the rank's own (dup2, freopen), or -1.
  int own() const noexcept { return own_.load(std::memory_order_relaxed); }
  // Else the process's: as at the start, or another one after dup2(1, 2), or -1.
  int shared() const noexcept { return shared_.load(std::memory_order_relaxed); }
  bool is_closed() const noexcept { return own() < 0 && shared() < 0; }

  // `descriptor` is in the process and stays the caller's. False with errno.
  bool redirect(int descriptor) noexcept;
  void redirect_to_shared(int number) noexcept;
  void vacate() noexcept { redirect_to_shared(-1); }

 private:
  // relaxed: a program that redirects while another of its threads prints orders them itself.
  std::atomic<int> own_{-1};
  std::atomic<int> shared_;
};

struct RankState : ListNode<> {
  explicit RankState(const Rank& rank) noexcept;
  ~RankState();  // closes the streams and emits what they hold

  // Constant after begin_rank.
  heddle_libc_hooks hooks{};
  std::vector<std::string> variables;  // NAME=value
  std::vector<char*> environment;      // of variables, and a null
  bool has_input = false;
  int ranks = 1;        // of its job
  bool listed = false;  // for flush_in_crash; its links belong to the holder of the list's lock

  // Lock by themselves.
  ult::Account processor_time;  // of its ults, and of its kernel threads that have ended
  LineWriter output;
  LineWriter errors;
  Standard standard[3] = {Standard(0), Standard(1), Standard(2)};
  LineWriter& writer(int descriptor) noexcept { return descriptor == 1 ? output : errors; }
  // Emits lines that lack their end, before another process may print.
  void flush_lines() noexcept {
    output.flush();
    errors.flush();
  }
  ssize_t write(int descriptor, const void* bytes, std::size_t size) noexcept;

  // The rank's main strand.
  const heddle_libc_image* image = nullptr;  // nullptr: the program does without the library
  bool has_foreign_library = false;          // of another build: the program cannot run
  ult::Strand* main_strand = nullptr;
  std::jmp_buf frame;  // of run_main

  Result result;
  std::atomic<bool> silent{false};  // over, but its image stays loaded and may still call

  // Files that the rank has entries of in file_locks.cpp.
  std::atomic<int> locked_files{0};

  // One strand of the rank at a time.
  Directory directory;
};

// The calling rank's, between begin_rank and end_rank; else nullptr.
RankState* hosted_state() noexcept;

// How often the calling strand is inside of loading or unloading the image or a plugin: constructors
// run under the dynamic linker's lock, where a switch to another rank that needs the lock would never
// end. The strand's own, since other threads of the rank hold nothing. Who waits for the loader's turn
// (exec/image) lets others run by ult::yield itself, so it may be counted already.
extern thread_local constinit int loading_depth;

// The calling strand leaves the program and takes the rank with it; false: another one has done so.
bool claim_end() noexcept;

[[noreturn]] void stand_still() noexcept;

// The last cleanup handler of a main strand.
void end_canceled_main(void*);

// Makes the three streams of a rank; false if memory ran out.
bool open_streams(RankState& state) noexcept;

// dup2(from, onto) of the calling rank, `onto` being 0, 1 or 2; errno on -1.
int redirect(int from, int onto) noexcept;

// close(standard) of the calling rank, likewise.
int close_standard(int standard) noexcept;

// A new descriptor of the process becomes the lowest one of 0 to 2 that the calling rank has closed, else
// it stays.
int place_descriptor(int made) noexcept;

// What a descriptor of the calling rank is in the process; -1: closed.
int process_descriptor(int descriptor) noexcept;

// The host's hooks, all but the streams and the environment.
heddle_libc_hooks make_hooks(int rank) noexcept;

}  // namespace heddle::libc
