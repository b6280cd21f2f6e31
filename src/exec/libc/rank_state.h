// rank_state.h — what exec/libc keeps of one rank, from before its program is loaded until after
// its end.
//
//   begin_rank ─► image loads: heddle_libc_attach ─► run_main ─► image unloads ─► end_rank
//
// Private to exec/libc. Thread safety: by field.

#pragma once

#include <csetjmp>
#include <string>
#include <vector>

#include "base/intrusive_list.h"
#include "exec/libc/directory.h"
#include "exec/libc/hooks.h"
#include "exec/libc/output.h"
#include "exec/libc/run_main.h"
#include "exec/rank/rank.h"
#include "exec/ult/strand.h"

namespace heddle::libc {

struct RankState : ListNode<> {
  explicit RankState(const Rank& rank) noexcept;
  ~RankState();  // closes the streams and emits what they hold

  // Constant after begin_rank.
  heddle_libc_hooks hooks{};
  std::vector<std::string> variables;  // NAME=value
  std::vector<char*> environment;      // of variables, and a null
  bool has_input = false;

  // Lock by themselves.
  LineWriter output;
  LineWriter errors;
  LineWriter& writer(int descriptor) noexcept { return descriptor == 1 ? output : errors; }

  // The rank's main strand.
  const heddle_libc_image* image = nullptr;  // nullptr: the program does without the library
  ult::Strand* main_strand = nullptr;
  std::jmp_buf frame;  // of run_main
  Result result;

  // One strand of the rank at a time.
  Directory directory;
};

// The calling rank's, between begin_rank and end_rank; else nullptr.
RankState* hosted_state() noexcept;

// Makes the three streams of a rank; false if memory ran out.
bool open_streams(RankState& state) noexcept;

// The host's hooks, all but the streams and the environment.
heddle_libc_hooks make_hooks(int rank) noexcept;

}  // namespace heddle::libc
