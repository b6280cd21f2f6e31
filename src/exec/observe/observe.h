// observe.h — counts and records what ranks and workers do, if that was asked for (mpiexec --stats,
// --trace).
//
//   told by                         what                              counted in          event
//   ------------------------------  --------------------------------  ------------------  ---------
//   api/entry.h                     a call of MPI begins and ends     calls, time in MPI  kCall
//   exec/ult/watch.h                a strand waits                    waits               kWait
//                                   a worker runs another ult, none   idle time           kRun
//   mpi/p2p/send.h, verbs/send.cpp  a message is sent                 sent                kSent
//   mpi/p2p/local/port.cpp          a message meets its receive       received            kReceived
//
// While it is off, as at first, each of these places tests one flag (watch.h: one word). Once it is
// on it stays on.
//
// Thread safety: begin() before there are ranks; the rest any strand.

#pragma once

#include <cstdint>
#include <span>

#include "exec/observe/figures.h"

namespace heddle::observe {

class Trace;

// Not atomic, which would cost each test an instruction: begin() writes it before threads start.
extern constinit bool observing;
[[gnu::always_inline]] inline bool is_on() noexcept {
  return observing;
}

// Where to count, by the number of a rank in its job and by worker; it stays for good. Before ranks
// and workers start.
void begin(std::span<RankFigures> ranks, std::span<WorkerFigures> workers) noexcept;

// Records events from now on (trace.h); the same holds.
void begin_trace(int workers);
// Null: none is recorded.
Trace* the_trace() noexcept;

// A strand of the calling rank begins, on a worker that may have another name for it.
[[gnu::cold, gnu::noinline]] void strand_begins() noexcept;

// Called at the end of the job, before the scheduler stops: writes what the workers know
// themselves.
void end_workers() noexcept;

// The calling strand's rank, if it has one, begins or ends a call of MPI. `outer`: the call is made
// within another one, of which it is a part.
[[gnu::cold, gnu::noinline]] void call_begins(bool outer) noexcept;
[[gnu::cold, gnu::noinline]] void call_ends(bool outer) noexcept;

// What a message is known by at both of its ends: messages for which all but `bytes` is the same do
// not overtake each other.
struct MessageNote {
  int receiver;           // its number in the job
  int source;             // the sender in the communicator
  std::uint64_t context;  // the communicator
  int tag;
  std::int64_t bytes;
};
// The calling rank sends it.
[[gnu::cold, gnu::noinline]] void message_sent(const MessageNote& message) noexcept;
// It has met its receive.
[[gnu::cold, gnu::noinline]] void message_received(const MessageNote& message) noexcept;

}  // namespace heddle::observe
