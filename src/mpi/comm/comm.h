// comm.h — what a communicator is (MPI 5.0 §7.4): a context and a group as one rank sees them.
// How one is made is mpi/comm_make, which needs collectives.
//
// Contexts below 16 are for predefined communicators. They are the same in every job: processes of
// two jobs have no predefined communicator in common.
//
// Thread safety: what is constant needs no lock; name, errhandler, info, attributes and extras are
// guarded inside.

#pragma once

#include <mpi.h>

#include <string>

#include "base/error.h"
#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "mpi/attribute/attributes.h"
#include "mpi/comm/extras.h"
#include "mpi/error/errhandler.h"
#include "mpi/group/group.h"
#include "mpi/info/info.h"
#include "mpi/lifetime/managed.h"
#include "mpi/object/handle_table.h"

namespace heddle::comm {

using world::ContextId;

constexpr ContextId kWorldContext = 1;
constexpr ContextId kSelfContext = 2;
// In which processes agree on communicators that have no parent. All ranks have it from the
// beginning: a message may come before the receiver knows of the communicator, and after it has
// made others.
constexpr ContextId kGroupsContext = 3;

// Kinds of messages of one communicator that must not match each other: the user's messages, the
// collectives' own, those by which new communicators are agreed on while collectives may run
// (create_group, intercomm_create), which carry the user's tag, and those of partitioned
// communication.
enum class Plane : std::uint8_t { kUser = 0, kCollective = 1, kMaking = 2, kPartitioned = 3 };

class Comm final : public lifetime::Managed {
 public:
  // `remote` is null for an intracommunicator. `rank` is the caller's in `local`. With kNoContext
  // it gets its context later.
  Comm(ContextId context, object::Ref<group::Group> local, object::Ref<group::Group> remote,
       int rank);

  ContextId context() const noexcept { return context_; }
  // Once, before the program gets the handle. Requires that there is none.
  void set_context(ContextId context) noexcept { context_ = context; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return local_->size(); }
  bool is_inter() const noexcept { return bool(remote_); }
  group::Group& group() const noexcept { return *local_; }
  group::Group& remote_group() const noexcept { return *remote_; }

  // The group that send and receive name by rank: in an intercommunicator the remote one.
  group::Group& peers() const noexcept { return peers_; }

  // An intercommunicator's own side as an intracommunicator, for collectives among it. Set once,
  // before the program gets the handle. Requires is_inter().
  Comm& local_comm() const noexcept { return *local_comm_; }
  void set_local_comm(object::Ref<Comm> local) noexcept { local_comm_ = std::move(local); }

  object::Ref<error::Errhandler> errhandler() const noexcept;
  void set_errhandler(object::Ref<error::Errhandler> handler) noexcept;

  // "MPI_COMM_WORLD", what MPI_Comm_set_name gave, or "".
  std::string name() const;
  void set_name(std::string name);
  // The MPI function in which it was made; null: none.
  const char* made_by() const noexcept { return made_by_; }

  attribute::Attributes& attributes() noexcept { return attributes_; }

  // What modules above keep of it: its virtual topology, its part in collectives.
  Extras& extras() noexcept { return extras_; }
  const Extras& extras() const noexcept { return extras_; }

  // The hints that the program gave; null if none.
  object::Ref<info::Info> info() const noexcept;
  void set_info(object::Ref<info::Info> info) noexcept;

 private:
  ~Comm() override;

  ContextId context_;
  const object::Ref<group::Group> local_;
  const object::Ref<group::Group> remote_;
  group::Group& peers_;
  const int rank_;
  const char* const made_by_;
  object::Ref<Comm> local_comm_;
  Extras extras_;

  // Lock: guards name, error handler and info of one communicator.
  mutable SpinLock lock_;
  object::Ref<error::Errhandler> errhandler_ GUARDED_BY(lock_);
  object::Ref<info::Info> info_ GUARDED_BY(lock_);
  std::string name_ GUARDED_BY(lock_);
  attribute::Attributes attributes_;  // locks by itself
};

// The calling rank's MPI_COMM_WORLD and MPI_COMM_SELF; runtime sets them at initialization and
// clears them at finalization.
struct Predefined {
  object::Ref<Comm> world;
  object::Ref<Comm> self;
};
const Predefined& predefined() noexcept;
// Returns those before.
Predefined set_predefined(Predefined predefined) noexcept;

// Where from_handle() finds them, in the order of the ABI's constants: MPI_COMM_WORLD is the first.
inline constexpr std::uintptr_t kFirstPredefined = 0x101;
enum PredefinedComm : std::size_t { kWorld, kSelf, kPredefinedComms };
inline constexpr RankPointers<Comm, Place::kWorld> predefined_comms;

// The rare way of from_handle().
Comm* from_handle_slow(MPI_Comm handle) noexcept;

// nullptr if the handle is not a communicator of the calling rank, MPI_COMM_NULL included.
[[gnu::always_inline]] inline Comm* from_handle(MPI_Comm handle) noexcept {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  if (bits - kFirstPredefined < kPredefinedComms)
    return predefined_comms.get(bits - kFirstPredefined);
  if (Comm* own = object::find_at_once<Comm>(object::Kind::kComm, handle)) return own;
  return from_handle_slow(handle);
}

// Finds the communicator as from_handle() does, and returns it with a reference, for callers that
// need it after the operation that kept it alive.
object::Ref<Comm> kept_from_handle(MPI_Comm handle) noexcept;

// How error messages name it: "MPI_COMM_WORLD", its name in quotes, or "the communicator 0x…".
std::string describe(const Comm& comm);

// How reports of a deadlock name it: "communicator 1", which is MPI_COMM_WORLD; "MPI_COMM_SELF";
// its name in quotes; or its handle, the function that has made it, and its size.
std::string in_report(const Comm& comm);
// How reports of a deadlock name the calling rank's communicator with this context; its number if
// the rank has none.
std::string in_report(ContextId context);

}  // namespace heddle::comm
