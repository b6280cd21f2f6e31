#include "mpi/io/domains.h"

#include <algorithm>
#include <limits>

#include "mpi/coll/bodies.h"
#include "mpi/coll/visit.h"
#include "mpi/io/merge.h"

namespace heddle::io {

namespace {

// What is combined by the maximum; so what is to become a minimum is negative.
struct Bounds {
  std::int64_t before_first = -std::numeric_limits<std::int64_t>::max(), end = 0;
  std::int64_t reluctance;  // as CollectiveHints::Exchange
  std::int64_t fewer_nodes, smaller_buffer, block;
  std::int64_t writes, reads;
};

// What is added up; one member of each process gives it.
struct Sums {
  std::int64_t bytes = 0, spans = 0, calls = 0;
};

template <class Numbers>
Error combine(const coll::Phase& phase, Numbers* all, MPI_Op op) {
  const Numbers own = *all;
  const datatype::Buffer result = {all, sizeof *all / sizeof(std::int64_t),
                                   &datatype::named(MPI_INT64_T)};
  return coll::reduce_in(phase, &own, result, *op::from_handle(op), coll::kAll);
}

Bounds bounds_of(const Access& access) {
  File& file = *access.file;
  const CollectiveHints hints = file.collective_hints(access.direction);
  auto exchange = hints.exchange;
  const bool is_cheap = file.part().file_system() == Part::FileSystem::kMemory &&
                        exchange == CollectiveHints::Exchange::kWherePays;
  if (file.is_atomic() || is_cheap) exchange = CollectiveHints::Exchange::kNever;
  Bounds bounds{.reluctance = static_cast<int>(exchange),
                .fewer_nodes = -hints.nodes,
                .smaller_buffer = -hints.buffer,
                .block = hints.block,
                .writes = access.direction == Direction::kWrite,
                .reads = access.direction == Direction::kRead};
  const Extent extent = extent_of(access);
  if (extent.bytes == 0) return bounds;
  bounds.before_first = -extent.first;
  bounds.end = extent.end;
  return bounds;
}

// Counts the calls of the kernel for the first pieces.
struct Sample {
  std::size_t most;
  std::size_t pieces = 0;
  MPI_Count bytes = 0, calls = 0;
  MPI_Offset end = -1;

  bool is_over() const noexcept { return pieces == most; }
  void add(MPI_Offset offset, const void*, MPI_Count length, const Mover::Done&) noexcept {
    if (offset != end) ++calls;
    end = offset + length;
    bytes += length;
    ++pieces;
  }
};

Sums sums_of(Part& part) {
  const Extent extent = extent_of_all(part);
  if (extent.bytes == 0) return {};
  const MPI_Count span = extent.end - extent.first;
  if (span <= extent.bytes) return {extent.bytes, span, 1};
  constexpr std::size_t kPieces = 64;
  Sample sample{kPieces + 4 * part.ranks().size()};
  Merge(part, {extent.first, extent.end}).into(sample);
  const double mean = double(sample.bytes) / double(sample.calls);
  return {extent.bytes, span, static_cast<std::int64_t>(double(extent.bytes) / mean)};
}

Error unlike(const Access& access) {
  const bool writes = access.direction == Direction::kWrite;
  return Error::make(
      MPI_ERR_NOT_SAME,
      "this rank %s \"%s\" and another rank does not, but all ranks that have it open "
      "must make the same collective call",
      writes ? "writes to" : "reads from", access.file->path().c_str());
}

Error meet_here(const coll::Phase& phase, const Access& mine) {
  using coll::What;
  const What what = mine.direction == Direction::kWrite ? What::kWriteToFile : What::kReadOfFile;
  return coll::barrier_in(phase, coll::call_of(what, 0, 0)) ? unlike(mine) : Error{};
}

}  // namespace

bool pays(const Together& all, bool is_wanted) noexcept {
  const MPI_Count span = all.end - all.first;
  if (all.bytes == 0 || all.bytes < span / 2 || all.bytes / 2 > span) return false;
  if (is_wanted) return true;
  constexpr MPI_Count kShort = 8 << 10;  // longer ones cost less than to copy them
  constexpr MPI_Count kFewCalls = 4;
  return all.spans > span + span / 4 && all.calls > kFewCalls * all.processes &&
         all.bytes / all.calls < kShort;
}

Domains cut(const Together& all, MPI_Count most, MPI_Count buffer, MPI_Count block) noexcept {
  constexpr MPI_Count kLeast = 1 << 20;  // a domain of fewer bytes is not worth its messages
  Domains domains{.first = all.first / block * block, .end = all.end};
  const MPI_Offset span = domains.end - domains.first;
  const MPI_Count useful = std::max<MPI_Count>(std::min(most, all.bytes / kLeast), 1);
  domains.owners = static_cast<int>(std::min<MPI_Count>(useful, all.processes));
  const MPI_Offset equal = (span + domains.owners - 1) / domains.owners;
  domains.each = (equal + block - 1) / block * block;
  // An owner holds two windows: one that is exchanged, one that is moved.
  domains.window = buffer / 2;
  if (domains.window > block) domains.window -= domains.window % block;
  domains.window = std::min(domains.window, domains.each);
  return domains;
}

Range Domains::window_of(int owner, int round) const noexcept {
  const MPI_Offset begin = first + owner * each;
  const MPI_Offset from = begin + round * window;
  return {from, std::min({from + window, begin + each, end})};
}

Error meet(const coll::Ticket& ticket, Access& mine, Domains* out) {
  File& file = *mine.file;
  Part& part = file.part();
  if (part.all_are_here()) return meet_here(ticket.phase(0), mine);
  Bounds bounds = bounds_of(mine);
  if (Error e = combine(ticket.phase(0), &bounds, MPI_MAX)) return e;
  const auto exchange = static_cast<CollectiveHints::Exchange>(bounds.reluctance);
  const bool is_alike = bounds.writes + bounds.reads == 1;
  const bool may = is_alike && exchange != CollectiveHints::Exchange::kNever;
  Sums sums;
  if (may && file.is_first_here()) sums = sums_of(part);
  if (Error e = combine(ticket.phase(1), &sums, MPI_SUM)) return e;
  if (!is_alike) return unlike(mine);
  const Together all{.first = -bounds.before_first,
                     .end = bounds.end,
                     .bytes = sums.bytes,
                     .spans = sums.spans,
                     .calls = sums.calls,
                     .processes = static_cast<int>(part.leaders().size())};
  if (may && pays(all, exchange == CollectiveHints::Exchange::kAlways)) {
    *out = cut(all, -bounds.fewer_nodes, -bounds.smaller_buffer, bounds.block);
  }
  return {};
}

}  // namespace heddle::io
