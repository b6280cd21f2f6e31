// How far a call reaches into an array section of Fortran (heddle/fortran.h).

#include <algorithm>
#include <cstdint>
#include <string>

#include "api/entry.h"
#include "heddle/fortran.h"
#include "mpi/topo/of_comm.h"

namespace heddle::api {

namespace {

using object::CountArray;
__extension__ using Wide = __int128;  // no product of counts and extents is too large for it

// The bytes from the section's beginning that a call touches: [low, high).
struct Reach {
  Wide low = 0, high = 0;

  void add(Wide at, MPI_Count count, const datatype::Datatype& type) noexcept {
    if (count <= 0 || type.size() == 0) return;
    const Wide first = at + type.true_lower_bound();
    const Wide last = first + Wide{count - 1} * type.extent();
    low = std::min({low, first, last});
    high = std::max({high, first + type.true_extent(), last + type.true_extent()});
  }
};

CountArray array(const void* numbers, bool are_wide) noexcept {
  return are_wide ? CountArray(static_cast<const MPI_Count*>(numbers))
                  : CountArray(static_cast<const int*>(numbers));
}

bool counts_here(const heddle_section& section, const comm::Comm* comm) noexcept {
  if (section.where == heddle_section::HEDDLE_EVERYWHERE) return true;
  if (comm == nullptr || no_root(*comm, section.root)) return false;
  const Part part = part_of(*comm, section.root);
  if (section.where == heddle_section::HEDDLE_AT_ROOT) return part.at_root;
  return part.contributes || (section.where == heddle_section::HEDDLE_OF_BROADCAST && part.at_root);
}

int blocks_of(const heddle_section& section, const comm::Comm& comm) noexcept {
  const auto neighbors = [&](bool sources) {
    const topo::Topology* const topology = topo::topology_of(comm);
    if (topology == nullptr) return 0;
    const topo::Neighborhood& all = topology->neighborhood();
    return sources ? all.blocks_in : all.blocks_out;
  };
  switch (section.blocks) {
    case heddle_section::HEDDLE_PEERS:
      return comm.peers().size();
    case heddle_section::HEDDLE_GROUP:
      return comm.group().size();
    case heddle_section::HEDDLE_SOURCES:
      return neighbors(true);
    case heddle_section::HEDDLE_DESTINATIONS:
      return neighbors(false);
    case heddle_section::HEDDLE_ONE:
    case heddle_section::HEDDLE_OWN:
      break;
  }
  return 1;
}

// What the call uses of `blocks` blocks, from number `first` on.
Reach reach_of(const heddle_section& section, int first, int blocks) noexcept {
  Reach reach;
  const CountArray counts = array(section.counts, section.counts_are_wide != 0);
  const CountArray places = array(section.displacements, section.places_are_wide != 0);
  Wide next = 0;  // where there are no displacements
  for (int i = first; i < first + blocks; ++i) {
    const datatype::Datatype* const type =
        datatype::from_handle(section.types != nullptr ? section.types[i] : section.type);
    if (type == nullptr) continue;
    const MPI_Count count = counts ? counts[i] : section.count;
    const MPI_Count unit = section.types != nullptr ? 1 : type->extent();
    reach.add(places ? Wide{places[i]} * unit : next, count, *type);
    next += Wide{count} * type->extent();
  }
  return reach;
}

}  // namespace

}  // namespace heddle::api

int heddle_check_section(const heddle_section* section) {
  using namespace heddle;
  using namespace heddle::api;
  Entry entry{section->call};
  if (!entry.running()) return MPI_SUCCESS;
  const comm::Comm* const comm = entry.comm(section->comm);
  const bool asks_comm = section->blocks != heddle_section::HEDDLE_ONE;
  if ((comm == nullptr && asks_comm) || !counts_here(*section, comm)) return MPI_SUCCESS;
  const int blocks = asks_comm ? blocks_of(*section, *comm) : 1;
  const bool is_own = section->blocks == heddle_section::HEDDLE_OWN;
  const Reach reach = reach_of(*section, is_own ? comm->rank() : 0, blocks);
  if (reach.low >= 0 && reach.high <= section->bytes) return MPI_SUCCESS;
  const auto told = [](Wide bytes) {
    return static_cast<long long>(std::clamp<Wide>(bytes, INT64_MIN, INT64_MAX));
  };
  return fail(entry, Error::make(MPI_ERR_BUFFER,
                                 "argument %s is an array section of %lld bytes, and the call "
                                 "would use bytes %lld to %lld "
                                 "of it; pass a longer section, or fewer elements",
                                 section->buffer, static_cast<long long>(section->bytes),
                                 told(reach.low), told(reach.high - 1)));
}
