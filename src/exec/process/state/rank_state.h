// rank_state.h — what exec/process keeps of one rank, from before its program is loaded until after
// its end.
//
//   begin_rank ─► image loads: heddle_libc_attach ─► run_main ─► image retires ─► end_rank
//
// Private to exec/process. Thread safety: by field.

#pragma once

#include <atomic>
#include <csetjmp>
#include <memory>
#include <string>
#include <vector>

#include "base/intrusive_list.h"
#include "exec/process/exit/ending.h"
#include "exec/process/state/output.h"
#include "exec/process/state/sides.h"
#include "exec/process/state/standard.h"
#include "exec/rank/rank.h"
#include "exec/ult/processor_time.h"
#include "exec/ult/strand.h"

namespace heddle::process {

struct RankState : ListNode<> {
  explicit RankState(Rank& rank) noexcept;
  ~RankState();  // closes the streams and emits what they hold

  // Constant after begin_rank.
  heddle_libc_rank shown{};
  std::vector<std::string> variables;  // NAME=value
  std::vector<char*> environment;      // of variables, and a null
  bool has_input = false;
  int ranks = 1;  // of its job

  // Lock by themselves.
  ult::Account processor_time;  // of its kernel threads that have ended
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
  void write_in_crash(int descriptor, const char* text, std::size_t size) noexcept;

  // The rank's main strand.
  const heddle_libc_image* image = nullptr;  // nullptr: the program does without the library
  bool has_foreign_library = false;          // of another build: the program cannot run
  ult::Strand* main_strand = nullptr;
  std::jmp_buf frame;  // of run_main

  Result result;
  std::atomic<bool> silent{
      false};  // the rank has ended, but code of its image may still run: its output is dropped

  // A thread of libc's becomes one of the rank for a moment. False: the rank has left its program,
  // or never had one.
  [[nodiscard]] bool enter_from_outside() noexcept;
  void leave_to_outside() noexcept;
  // From now on no thread enters, and none is inside. May switch.
  void close_to_outside() noexcept;

  // Files that the rank has entries of in file_locks.cpp.
  std::atomic<int> locked_files{0};

 private:
  // seq_cst, both: a thread that enters counts itself and then asks for the rank; the rank's end
  // takes the rank away and then looks at the count.
  std::atomic<Rank*> entered_;
  std::atomic<int> inside_{0};
};

// The calling rank's, between begin_rank and end_rank; else nullptr.
RankState* hosted_state() noexcept;

// It is the calling rank's from now on, and stays until the process ends.
void host_state(std::unique_ptr<RankState> state);

// Calls visit for the states of all ranks that have been hosted, or for none if the list's
// lock does not come free soon.
void visit_in_crash(void (*visit)(RankState& state)) noexcept;

}  // namespace heddle::process
