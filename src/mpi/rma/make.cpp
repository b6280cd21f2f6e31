#include "mpi/rma/make.h"

#include <algorithm>

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

Error check_comm(const Comm& comm) {
  if (comm.is_inter()) {
    return Error::make(MPI_ERR_COMM, "argument comm is %s, which is an intercommunicator",
                       comm::describe(comm).c_str());
  }
  const auto& members = comm.group().members();
  const bool here = std::all_of(members.begin(), members.end(), [&members](const auto* member) {
    return member->host == members.front()->host;
  });
  if (here) return {};
  return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                     "ranks of %s are in several processes of the operating system, and windows "
                     "over several do not work yet; they work among ranks of one process (mpiexec "
                     "without --ranks-as processes, on one node)",
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

// Writes this member's record.
Error show(const Wanted& wanted, Window& window) {
  if (Error e = check_sizes(wanted)) return e;
  Member& mine = window.mine();
  mine.size = wanted.size;
  mine.unit = wanted.unit;
  void* memory = wanted.base;
  if (wanted.flavor == MPI_WIN_FLAVOR_ALLOCATE) {
    if (Error e = take_memory(wanted.size, wanted.hints, &memory)) return e;
    window.keep_memory(memory);
  }
  if (wanted.flavor == MPI_WIN_FLAVOR_DYNAMIC) mine.regions = &window.regions();
  mine.base = static_cast<std::byte*>(memory);
  window.facts() = {wanted.size, static_cast<int>(wanted.unit), wanted.flavor, MPI_WIN_UNIFIED};
  return {};
}

Error meet(const Window& window) {
  return coll::run(coll::Barrier{window.comm()});
}

// The calling member's error, or that of another one. All members look at the same records.
Error agree(const Window& window, Error mine) {
  if (Error e = meet(window)) return e;
  const int failure = window.part().first_failure();
  if (mine || failure == MPI_SUCCESS) return mine;
  return Error::make(failure, "another rank of the communicator could not make its window");
}

// The memory of a shared window: taken by rank 0 when all have said their sizes.
Error take_segment(const Window& window, const Info& hints) {
  Error failed;
  if (window.rank() == 0 && !window.part().take_segment(is_set(hints, "alloc_shared_noncontig"))) {
    window.mine().failed = MPI_ERR_NO_MEM;
    failed = Error::make(MPI_ERR_NO_MEM, "there is no memory for the window's shared segment");
  }
  return agree(window, std::move(failed));
}

Error make(const Wanted& wanted, Window** out) {
  if (Error e = check_comm(wanted.comm)) return e;
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
  if (Error e = agree(*window, std::move(failed))) return e;
  if (wanted.flavor == MPI_WIN_FLAVOR_SHARED) {
    if (Error e = take_segment(*window, *window->info())) return e;
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
