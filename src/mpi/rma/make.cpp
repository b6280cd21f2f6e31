#include "mpi/rma/make.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/coll/coll.h"
#include "mpi/comm_make/agree.h"
#include "mpi/comm_make/comm_make.h"
#include "mpi/rma/hints.h"
#include "mpi/rma/memory.h"

namespace heddle::rma {

using comm::Comm;
using info::Info;
using object::Ref;

namespace {

// What a call asks for, and what is wrong with it at this rank.
struct Wanted {
  int flavor;
  void* base = nullptr;  // of kCreate
  MPI_Aint size = 0;
  MPI_Aint unit = 1;
  const Info* hints;
  Comm& comm;
};

bool is_on_a_node(const Comm& comm) noexcept {
  const auto& members = comm.group().members();
  return std::all_of(members.begin(), members.end(), [&members](const auto* member) {
    return member->node == members.front()->node;
  });
}

bool is_in_one_process(const Window& window) noexcept {
  for (int rank = 0; rank < window.size(); ++rank) {
    if (!window.member(rank).here) return false;
  }
  return true;
}

// True if the members' memory is taken together (Part::take_segment). Where all are in one process
// that of MPI_Win_allocate is each member's own.
bool has_segment(const Wanted& wanted, const Window& window) noexcept {
  return wanted.flavor == MPI_WIN_FLAVOR_SHARED ||
         (wanted.flavor == MPI_WIN_FLAVOR_ALLOCATE && !is_in_one_process(window) &&
          is_on_a_node(wanted.comm));
}

Error check_comm(const Wanted& wanted) {
  const Comm& comm = wanted.comm;
  if (comm.is_inter()) {
    return Error::make(MPI_ERR_COMM, "argument comm is %s, which is an intercommunicator",
                       comm::describe(comm).c_str());
  }
  if (wanted.flavor != MPI_WIN_FLAVOR_SHARED || is_on_a_node(comm)) return {};
  return Error::make(MPI_ERR_RMA_SHARED,
                     "ranks of %s are on several machines, which share no memory; "
                     "MPI_Comm_split_type makes a communicator of those that do",
                     comm::describe(comm).c_str());
}

Error check_sizes(const Wanted& wanted) {
  if (wanted.size < 0) {
    return Error::make(MPI_ERR_SIZE, "argument size is %ld, but must not be negative",
                       static_cast<long>(wanted.size));
  }
  if (wanted.unit <= 0) {
    return Error::make(MPI_ERR_DISP, "argument disp_unit is %ld, but must be positive",
                       static_cast<long>(wanted.unit));
  }
  if (wanted.flavor == MPI_WIN_FLAVOR_CREATE && wanted.base == nullptr && wanted.size > 0) {
    return Error::make(MPI_ERR_BUFFER,
                       "argument base is a null pointer, but the window has %ld bytes",
                       static_cast<long>(wanted.size));
  }
  return {};
}

// To members of other processes, which do not know what is attached.
constexpr MPI_Aint kAllAddresses = PTRDIFF_MAX;

// Writes this member's record.
Error show(const Wanted& wanted, Window& window) {
  if (Error e = check_sizes(wanted)) return e;
  Member& mine = window.mine();
  mine.size = wanted.size;
  mine.unit = wanted.unit;
  void* memory = wanted.base;
  if (wanted.flavor == MPI_WIN_FLAVOR_ALLOCATE && !has_segment(wanted, window)) {
    if (Error e = take_memory(wanted.size, wanted.hints, &memory)) return e;
    window.keep_memory(memory);
  }
  if (wanted.flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    mine.regions = &window.regions();
    mine.size = kAllAddresses;
  }
  mine.base = static_cast<std::byte*>(memory);
  window.facts() = {wanted.size, static_cast<int>(wanted.unit), wanted.flavor, MPI_WIN_UNIFIED};
  return {};
}

Error meet(const Window& window) {
  return coll::run(coll::Barrier{window.comm()});
}

// What members of other processes must know of one.
struct Shown {
  MPI_Aint size, unit;
  int failed;
};

// Lets the members of each process know those of the others.
Error tell_others(Window& window) {
  const Member& own = window.mine();
  const Shown mine{own.size, own.unit, own.failed};
  std::vector<Shown> all(static_cast<std::size_t>(window.size()));
  if (Error e = comm_make::gather_all(window.comm(), &mine, all.data(), sizeof mine)) return e;
  const group::Group& group = window.comm().group();
  std::vector<int> hosts, others;
  bool is_first_here = true;
  for (int rank = 0; rank < window.size(); ++rank) {
    Member& member = window.member(rank);
    if (member.here) is_first_here = is_first_here && rank >= window.rank();
    const int host = group.member(rank).host;
    if (member.here || std::find(hosts.begin(), hosts.end(), host) != hosts.end()) continue;
    hosts.push_back(host);
    others.push_back(rank);
  }
  for (int rank = 0; is_first_here && rank < window.size(); ++rank) {
    Member& member = window.member(rank);
    if (member.here) continue;
    const Shown& shown = all[static_cast<std::size_t>(rank)];
    member.size = shown.size;
    member.unit = shown.unit;
    member.failed = shown.failed;
  }
  return window.set_others(std::move(others));
}

// The calling member's error, or that of another one. All members look at the same records.
Error agree(const Window& window, Error mine) {
  if (Error e = meet(window)) return e;
  const int failure = window.part().first_failure();
  if (mine || failure == MPI_SUCCESS) return mine;
  return Error::make(failure, "another rank of the communicator could not make its window");
}

// Whether a member has failed.
Error share_failure(const Window& window, int mine, int* any) {
  std::vector<int> all(static_cast<std::size_t>(window.size()));
  if (Error e = comm_make::gather_all(window.comm(), &mine, all.data(), sizeof mine)) return e;
  *any = *std::max_element(all.begin(), all.end());
  return {};
}

// Memory of all members: taken by rank 0 when all have said their sizes, and mapped by the first
// member of each other process.
Error take_segment(Window& window, const Info& hints, bool in_one_process) {
  const bool apart =
      window.flavor() == MPI_WIN_FLAVOR_ALLOCATE || is_set(hints, "alloc_shared_noncontig");
  const std::size_t alignment = !apart ? 0
                                : in_one_process
                                    ? platform::page_size()
                                    : std::max(alignment_of(&hints), platform::page_size());
  Part& part = window.part();
  SegmentName name;
  if (window.rank() == 0) name = part.take_segment(alignment, !in_one_process);
  if (!in_one_process) {
    if (Error e = comm_make::broadcast(window.comm(), 0, &name, sizeof name)) return e;
    bool maps = !window.member(0).here && name.bytes != 0;
    for (int rank = 0; rank < window.rank(); ++rank) maps = maps && !window.member(rank).here;
    if (maps && !part.map_segment(name)) window.mine().failed = MPI_ERR_NO_MEM;
  }
  if (window.rank() == 0 && name.bytes == 0) window.mine().failed = MPI_ERR_NO_MEM;
  Error failed;
  if (window.mine().failed != MPI_SUCCESS) {
    failed = Error::make(MPI_ERR_NO_MEM, "there is no memory for the window's shared segment");
  }
  if (!in_one_process) {
    int all = 0;
    // Each process's members hear of the others' failures.
    if (Error e = share_failure(window, failed ? 1 : 0, &all)) return e;
    if (window.rank() == 0) part.close_segment();
    if (failed || all == 0) return failed;
    return Error::make(MPI_ERR_NO_MEM, "another process has no memory for the shared segment");
  }
  return agree(window, std::move(failed));
}

Error make(const Wanted& wanted, Window** out) {
  if (Error e = check_comm(wanted)) return e;
  Ref<Comm> own;
  if (Error e = comm_make::dup_bare(wanted.comm, &own)) return e;
  own->set_name("of a window");  // for reports
  comm::ContextId context = own->rank() == 0 ? comm_make::draw_context() : world::kNoContext;
  if (Error e = comm_make::broadcast(*own, 0, &context, sizeof context)) return e;
  if (Error e = comm_make::check_context(context)) return e;
  const auto window = Ref<Window>::adopt(new Window(wanted.flavor, std::move(own), context));
  window->set_info(hints_in_use(nullptr, wanted.hints));
  Error failed = show(wanted, *window);
  if (failed) window->mine().failed = failed.error_class();
  const bool in_one_process = is_in_one_process(*window);
  if (!in_one_process) {
    Error untold = tell_others(*window);
    if (untold) window->mine().failed = untold.error_class();
    if (untold && !failed) failed = std::move(untold);
  }
  if (Error e = agree(*window, std::move(failed))) return e;
  if (has_segment(wanted, *window)) {
    if (Error e = take_segment(*window, *window->info(), in_one_process)) return e;
  }
  *out = Ref<Window>(window).leak();
  return {};
}

// make(), and the address of the window's memory.
Error make_with_memory(const Wanted& wanted, void* base, Window** out) {
  if (Error e = make(wanted, out)) return e;
  *static_cast<void**>(base) = (*out)->mine().base;
  return {};
}

Error need_dynamic(const Window& window) {
  if (window.flavor() == MPI_WIN_FLAVOR_DYNAMIC) return {};
  return Error::make(MPI_ERR_RMA_FLAVOR,
                     "%s was not made by MPI_Win_create_dynamic; only then memory is attached",
                     describe(window).c_str());
}

}  // namespace

Error create(void* base, MPI_Aint size, MPI_Aint unit, const Info* hints, Comm& comm,
             Window** out) {
  return make({.flavor = MPI_WIN_FLAVOR_CREATE,
               .base = base,
               .size = size,
               .unit = unit,
               .hints = hints,
               .comm = comm},
              out);
}

Error allocate(MPI_Aint size, MPI_Aint unit, const Info* hints, Comm& comm, void* base,
               Window** out) {
  return make_with_memory(
      {.flavor = MPI_WIN_FLAVOR_ALLOCATE, .size = size, .unit = unit, .hints = hints, .comm = comm},
      base, out);
}

Error allocate_shared(MPI_Aint size, MPI_Aint unit, const Info* hints, Comm& comm, void* base,
                      Window** out) {
  return make_with_memory(
      {.flavor = MPI_WIN_FLAVOR_SHARED, .size = size, .unit = unit, .hints = hints, .comm = comm},
      base, out);
}

Error create_dynamic(const Info* hints, Comm& comm, Window** out) {
  return make({.flavor = MPI_WIN_FLAVOR_DYNAMIC, .hints = hints, .comm = comm}, out);
}

Error free_window(MPI_Win* handle) {
  Window* const window = from_handle(*handle);
  if (window == nullptr) {
    return Error::make(MPI_ERR_WIN, "argument win is %s",
                       *handle == MPI_WIN_NULL ? "MPI_WIN_NULL" : "not a window, or already freed");
  }
  if (window->epochs().any_open()) {
    return Error::make(MPI_ERR_RMA_SYNC, "%s may not be freed in %s; end it first",
                       describe(*window).c_str(), window->epochs().describe());
  }
  if (Error e = window->attributes().clear(*window)) return e;
  if (Error e = meet(*window)) return e;
  object::Object* const mine =
      object::retire(object::Kind::kWin, reinterpret_cast<object::HandleBits>(*handle));
  if (mine != nullptr) mine->release();
  *handle = MPI_WIN_NULL;
  return {};
}

void end_windows() noexcept {
  const auto is_left = [](const object::Object& window, std::uint64_t) {
    return static_cast<const Window&>(window).is_looked_after();
  };
  while (object::Object* const left = object::find_by(object::Kind::kWin, is_left, 0)) {
    static_cast<Window*>(left)->end_looking_after();
  }
}

Error attach(Window& window, void* base, MPI_Aint size) {
  if (Error e = need_dynamic(window)) return e;
  if (size < 0 || (base == nullptr && size > 0)) {
    return Error::make(size < 0 ? MPI_ERR_SIZE : MPI_ERR_BUFFER,
                       "%ld bytes at %p cannot be attached to a window", static_cast<long>(size),
                       base);
  }
  return window.regions().attach(base, static_cast<std::size_t>(size));
}

Error detach(Window& window, const void* base) {
  if (Error e = need_dynamic(window)) return e;
  return window.regions().detach(base);
}

}  // namespace heddle::rma
