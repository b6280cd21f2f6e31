// state.h — the tools interface's state of a rank: how often tools have opened it, their sessions
// and handles.
//
//   State ─┬─ controls:  handle ─► setting
//          └─ sessions:  session ─┬─ handle ─► variable, and what the session has counted of it
//                                 └─ handle ─► …
//
// Handles and sessions are numbers in the guise of pointers, never used twice in the process, so
// one that is freed, foreign or garbage is found in no map.
//
// Thread safety: `lock` guards all but `opened`, which is written with it and read without. The
// collector's counters are read under it, since reading them takes no lock; all other variables are
// read without it.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>

#include "base/settings.h"
#include "base/spin_lock.h"
#include "exec/rank/rank.h"

namespace heddle::tool {

using Key = std::uintptr_t;

struct Variable;

// A performance variable in a session. A counter or timer adds up only while it is started, from
// the value to which the session has set it.
struct Counted {
  const Variable* variable = nullptr;
  bool started = false;
  std::uint64_t before = 0;  // counted until it was started or set last
  std::uint64_t base = 0;    // the variable's own value then
};

using Session = std::map<Key, Counted>;

struct State {
  std::atomic<int> opened{0};

  // Lock: guards a rank's sessions and handles of MPI_T; held across lookups and the collector's
  // counters, which take no lock.
  SpinLock lock;
  std::map<Key, settings::Id> controls GUARDED_BY(lock);
  std::map<Key, Session> sessions GUARDED_BY(lock);
};

extern const RankLocal<State> state_of_rank;

// Above the constants of the ABI, the null handles and MPI_T_PVAR_ALL_HANDLES.
Key new_key() noexcept;

template <class Handle>
Key key_of(Handle handle) noexcept {
  return reinterpret_cast<Key>(handle);
}

}  // namespace heddle::tool
