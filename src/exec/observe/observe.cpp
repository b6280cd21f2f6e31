#include "exec/observe/observe.h"

#include "base/platform/clock.h"
#include "base/standing.h"
#include "exec/observe/call_note.h"
#include "exec/observe/trace.h"
#include "exec/rank/rank.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/watch.h"

namespace heddle::observe {

constinit bool observing = false;

namespace {

using Now = Trace::Now;

// Written by begin() and begin_trace().
constinit std::span<RankFigures> of_ranks;
constinit std::span<WorkerFigures> of_workers;
constinit std::int64_t began_ns = 0;
constinit Trace* trace = nullptr;  // never destroyed: threads may record until the process ends

// What the strand that runs has begun: its call of MPI, its wait, and what it has noted of the
// call.
thread_local constinit std::int64_t call_began_ns = 0;
thread_local constinit std::int64_t wait_began_ns = 0;
thread_local constinit CallNote noted;

// Null: none is kept.
RankFigures* figures_of(int rank) noexcept {
  const auto index = static_cast<std::size_t>(rank);
  return index < of_ranks.size() ? &of_ranks[index] : nullptr;
}

TraceEvent event_here(EventKind kind, const Rank& rank) noexcept {
  TraceEvent event;
  event.kind = kind;
  event.rank = rank.number();
  event.thread = thread_here();
  return event;
}

void record_span(EventKind kind, const Rank& rank, std::int64_t begin, std::int64_t end) noexcept {
  TraceEvent event = event_here(kind, rank);
  event.begin_ns = begin;
  event.end_ns = end;
  event.name = Standing::mine.call;
  trace->record(event);
}

void record_call(const Rank& rank, std::int64_t end) noexcept {
  TraceEvent event = event_here(EventKind::kCall, rank);
  event.begin_ns = call_began_ns;
  event.end_ns = end;
  event.name = Standing::mine.call;
  event.parts = noted.parts;
  event.receiver = noted.dest;
  event.source = noted.source;
  event.tag = noted.tag;
  event.bytes = noted.bytes;
  event.communicator = noted.communicator;
  trace->record(event);
}

void record_message(TraceEvent event, const MessageNote& message) noexcept {
  event.begin_ns = event.end_ns = platform::now_ns();
  event.context = message.context;
  event.receiver = message.receiver;
  event.source = message.source;
  event.tag = message.tag;
  event.bytes = message.bytes;
  trace->record(event);
}

void worker_runs(int worker) noexcept {
  if (trace != nullptr) trace->run(worker, Now::kRuns);
}

void count_idle_time(WorkerFigures& figures, bool begins) noexcept {
  const std::int64_t now = platform::now_ns();
  if (!begins) figures.idle_ns.add(now - figures.idle_since.value());
  figures.idle_since.set(begins ? now : 0);
}

void worker_idles(int worker, bool begins) noexcept {
  const auto index = static_cast<std::size_t>(worker);
  if (index < of_workers.size()) count_idle_time(of_workers[index], begins);
  if (trace != nullptr) trace->run(worker, begins ? Now::kIdles : Now::kMayRun);
}

// Up to `now`; its worker may run meanwhile.
std::int64_t idle_until(std::int64_t now, const WorkerFigures& figures) noexcept {
  for (;;) {
    const std::int64_t before = figures.idle_ns.value();
    const std::int64_t since = figures.idle_since.value();
    if (figures.idle_ns.value() != before) continue;  // it has just ended
    return before + (since != 0 && since < now ? now - since : 0);
  }
}

void strand_waits(bool begins) noexcept {
  const std::int64_t now = platform::now_ns();
  if (begins) {
    wait_began_ns = now;
    return;
  }
  const Rank* const rank = Rank::current();
  if (rank == nullptr) return;
  if (RankFigures* const figures = figures_of(rank->number())) {
    figures->waits.add(1);
    figures->wait_ns.add(now - wait_began_ns);
  }
  if (trace != nullptr) record_span(EventKind::kWait, *rank, wait_began_ns, now);
}

constexpr ult::Watch kWatch{worker_runs, worker_idles, strand_waits};

void begin_observing() noexcept {
  ult::set_watch(kWatch);
  observing = true;
}

}  // namespace

void begin(std::span<RankFigures> ranks, std::span<WorkerFigures> workers) noexcept {
  of_ranks = ranks;
  of_workers = workers;
  began_ns = platform::now_ns();
  begin_observing();
}

void begin_trace(int workers) {
  trace = new Trace(workers);
  begin_observing();
}

Trace* the_trace() noexcept {
  return trace;
}

void end_workers() noexcept {
  const std::int64_t now = platform::now_ns();
  for (std::size_t i = 0; i < of_workers.size(); ++i) {
    WorkerFigures& figures = of_workers[i];
    const ult::SchedulerCounters counters = ult::counters_of(static_cast<int>(i));
    figures.idle_total_ns.set(idle_until(now, figures));
    figures.elapsed_ns.set(now - began_ns);
    figures.switches.set(static_cast<std::int64_t>(counters.switches));
    figures.moves.set(static_cast<std::int64_t>(counters.moves));
  }
}

void strand_begins() noexcept {
  if (trace != nullptr) trace->name_run();
}

void call_begins(bool outer) noexcept {
  if (trace != nullptr) trace->confirm_run();
  if (outer) return;
  noted.parts = 0;
  call_began_ns = platform::now_ns();
}

void note_call(const CallNote& note) noexcept {
  noted = note;
}

void call_ends(bool outer) noexcept {
  const Rank* const rank = Rank::current();
  if (outer || rank == nullptr || call_began_ns == 0) return;
  const std::int64_t now = platform::now_ns();
  if (RankFigures* const figures = figures_of(rank->number())) {
    figures->calls.add(1);
    figures->mpi_ns.add(now - call_began_ns);
  }
  if (trace != nullptr) record_call(*rank, now);
}

void message_sent(const MessageNote& message) noexcept {
  const Rank* const rank = Rank::current();
  if (rank == nullptr) return;
  if (RankFigures* const figures = figures_of(rank->number())) {
    figures->sent.add(1);
    figures->sent_bytes.add(message.bytes);
  }
  if (trace != nullptr) record_message(event_here(EventKind::kSent, *rank), message);
}

void message_received(const MessageNote& message) noexcept {
  if (RankFigures* const figures = figures_of(message.receiver)) {
    figures->received.add(1);
    figures->received_bytes.add(message.bytes);
  }
  if (trace == nullptr) return;
  TraceEvent event;  // perhaps on a strand of the sender
  event.kind = EventKind::kReceived;
  event.rank = message.receiver;
  record_message(event, message);
}

}  // namespace heddle::observe
