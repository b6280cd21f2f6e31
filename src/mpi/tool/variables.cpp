#include "mpi/tool/variables.h"

#include <iterator>

#include "exec/heap/heap.h"
#include "exec/process/own/own.h"
#include "exec/process/time/load.h"
#include "exec/rank/rank.h"
#include "exec/ult/processor_time.h"
#include "exec/ult/ult.h"
#include "mpi/lifetime/collector.h"
#include "mpi/object/handle_table.h"
#include "mpi/p2p/port.h"

namespace heddle::tool {

namespace {

template <std::uint64_t lifetime::Collector::Counters::*kCounter>
std::uint64_t of_collector() noexcept {
  return lifetime::Collector::of_rank().counters().*kCounter;
}

template <std::size_t match::Matcher::Lengths::*kQueue>
std::uint64_t of_queue() noexcept {
  return p2p::Port::here().queue_lengths().*kQueue;
}

template <std::size_t heap::Statistics::*kSum>
std::uint64_t of_heap() noexcept {
  return heap::statistics().*kSum;
}

std::uint64_t load() noexcept {
  ult::charge_now();
  const process::Load* const load = process::find_own(&process::Own::load);
  return load == nullptr ? 0 : static_cast<std::uint64_t>(load->spent.nanoseconds());
}

std::uint64_t load_of_worker() noexcept {
  ult::charge_now();
  const ult::Ult* const self = ult::current();
  return self == nullptr
             ? 0
             : static_cast<std::uint64_t>(ult::charged_by_worker(ult::worker_of(*self)));
}

std::uint64_t moves() noexcept {
  const process::Load* const load = process::find_own(&process::Own::load);
  return load == nullptr ? 0 : load->moves.load(std::memory_order_relaxed);
}

template <object::Kind kKind>
std::uint64_t live() noexcept {
  return object::live_count(kKind);
}

using Counters = lifetime::Collector::Counters;
using Lengths = match::Matcher::Lengths;
using object::Kind;

constexpr int kForUsers = MPI_T_VERBOSITY_USER_DETAIL;
constexpr int kForTuners = MPI_T_VERBOSITY_TUNER_DETAIL;
constexpr int kForDevelopers = MPI_T_VERBOSITY_MPIDEV_DETAIL;

const Variable kVariables[] = {
    {"posted_recvq_length", "messages",
     "Receives that wait for their message, those of collective operations included.",
     MPI_T_PVAR_CLASS_LEVEL, kForTuners, of_queue<&Lengths::posted>},
    {"unexpected_recvq_length", "messages",
     "Messages that wait for their receive, those of collective operations included.",
     MPI_T_PVAR_CLASS_LEVEL, kForTuners, of_queue<&Lengths::unexpected>},

    {"collector_cycles", "collector", "How often the collector has looked for objects to end.",
     MPI_T_PVAR_CLASS_COUNTER, kForDevelopers, of_collector<&Counters::cycles>},
    {"collector_time", "collector", "Time in cycles of the collector, in seconds.",
     MPI_T_PVAR_CLASS_TIMER, kForDevelopers, of_collector<&Counters::nanoseconds>},
    {"collector_reclaimed_objects", "collector",
     "Communicators, datatypes and operations that cycles have ended.", MPI_T_PVAR_CLASS_COUNTER,
     kForDevelopers, of_collector<&Counters::reclaimed>},
    {"collector_eligible_objects", "collector",
     "|Ge|: objects that only pending operations may still refer to.", MPI_T_PVAR_CLASS_LEVEL,
     kForDevelopers, of_collector<&Counters::eligible>},
    {"collector_marked_transients", "collector",
     "|T|: pending operations whose references the last cycle looked at.", MPI_T_PVAR_CLASS_LEVEL,
     kForDevelopers, of_collector<&Counters::transients_marked>},

    {"heap_used_bytes", "memory",
     "Bytes in blocks of the calling thread's heap that are not freed, by others neither "
     "(HEDDLE_MALLOC=mimalloc).",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, of_heap<&heap::Statistics::used>},
    {"heap_committed_bytes", "memory",
     "Bytes of pages in which the calling thread's heap has blocks, or room for some.",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, of_heap<&heap::Statistics::committed>},

    {"rank_load", "scheduling",
     "Processor time of the rank's strands that workers run, counted since it was first asked for.",
     MPI_T_PVAR_CLASS_TIMER, kForUsers, load, process::measure_loads},
    {"worker_load", "scheduling",
     "What the worker of the calling strand has spent on ranks since then, in nanoseconds.",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, load_of_worker, process::measure_loads},
    {"rank_moves", "scheduling", "How often the rank was told to go to a worker.",
     MPI_T_PVAR_CLASS_COUNTER, kForUsers, moves},

    {"live_communicators", "objects", "Communicators that the program has not freed.",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, live<Kind::kComm>},
    {"live_datatypes", "objects", "Datatypes that the program has not freed.",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, live<Kind::kDatatype>},
    {"live_operations", "objects", "Operations for reductions that the program has not freed.",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, live<Kind::kOp>},
    {"live_groups", "objects", "Groups that the program has not freed.", MPI_T_PVAR_CLASS_LEVEL,
     kForUsers, live<Kind::kGroup>},
    {"live_requests", "objects", "Requests that the program has not completed or freed.",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, live<Kind::kRequest>},
    {"live_errhandlers", "objects", "Error handlers that the program has not freed.",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, live<Kind::kErrhandler>},
    {"live_infos", "objects", "Info objects that the program has not freed.",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, live<Kind::kInfo>},
    {"live_messages", "objects", "Messages that MPI_Mprobe gave and the program has not received.",
     MPI_T_PVAR_CLASS_LEVEL, kForUsers, live<Kind::kMessage>},
};

}  // namespace

int variable_count() noexcept {
  return static_cast<int>(std::size(kVariables));
}

const Variable& variable(int index) noexcept {
  return kVariables[index];
}

}  // namespace heddle::tool
