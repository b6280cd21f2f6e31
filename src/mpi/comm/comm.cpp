#include "mpi/comm/comm.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <utility>

#include "base/standing.h"

namespace heddle::comm {

using error::Errhandler;
using info::Info;
using object::Ref;

namespace {

void show(const Predefined& predefined) noexcept {
  predefined_comms.set(kWorld, predefined.world.get());
  predefined_comms.set(kSelf, predefined.self.get());
}

struct OwnedPredefined : Predefined {
  void end_with_rank() noexcept { show({}); }
};
const RankLocal<OwnedPredefined> predefined_of_rank;

}  // namespace

const Predefined& predefined() noexcept {
  return predefined_of_rank.get();
}

Predefined set_predefined(Predefined predefined) noexcept {
  show(predefined);
  return std::exchange(static_cast<Predefined&>(predefined_of_rank.get()), std::move(predefined));
}

namespace {

[[maybe_unused]] bool are_known_here(const group::Group& group) {
  const auto& members = group.members();
  return std::all_of(members.begin(), members.end(),
                     [](const auto* process) { return world::is_known_here(*process); });
}

bool is_predefined(ContextId context) noexcept {
  return context == kWorldContext || context == kSelfContext;
}

}  // namespace

Comm::Comm(ContextId context, Ref<group::Group> local, Ref<group::Group> remote, int rank)
    : Managed(object::Kind::kComm,
              is_predefined(context) ? Lifetime::kManagedPredefined : Lifetime::kManaged),
      context_(context),
      local_(std::move(local)),
      remote_(std::move(remote)),
      peers_(remote_ ? *remote_ : *local_),
      rank_(rank),
      made_by_(Standing::mine.call),
      errhandler_(&error::initial_errhandler()) {
  assert(are_known_here(*local_) && are_known_here(peers_));
  if (context == kWorldContext) {
    set_handle(reinterpret_cast<object::HandleBits>(MPI_COMM_WORLD));
  } else if (context == kSelfContext) {
    set_handle(reinterpret_cast<object::HandleBits>(MPI_COMM_SELF));
  }
}

Comm::~Comm() {
  if (context_ == kGroupsContext) return;
  if (world::Receiver* receiver = local_->member(rank_).receiver.get()) receiver->forget(context_);
}

Ref<Errhandler> Comm::errhandler() const noexcept {
  SpinGuard guard(lock_);
  return errhandler_;
}

void Comm::set_errhandler(Ref<Errhandler> handler) noexcept {
  SpinGuard guard(lock_);
  std::swap(errhandler_, handler);
}

std::string Comm::name() const {
  SpinGuard guard(lock_);
  return name_;
}

void Comm::set_name(std::string name) {
  SpinGuard guard(lock_);
  std::swap(name_, name);
}

Ref<Info> Comm::info() const noexcept {
  SpinGuard guard(lock_);
  return info_;
}

void Comm::set_info(Ref<Info> info) noexcept {
  SpinGuard guard(lock_);
  std::swap(info_, info);
}

Comm* from_handle_slow(MPI_Comm handle) noexcept {
  return object::find_as<Comm>(object::Kind::kComm, handle);
}

object::Ref<Comm> kept_from_handle(MPI_Comm handle) noexcept {
  if (handle == MPI_COMM_WORLD) return predefined().world;
  if (handle == MPI_COMM_SELF) return predefined().self;
  const auto bits = reinterpret_cast<object::HandleBits>(handle);
  return object::Ref<Comm>::adopt(
      static_cast<Comm*>(object::find_and_retain(object::Kind::kComm, bits)));
}

std::string describe(const Comm& comm) {
  const std::string name = comm.name();
  if (comm.handle() != 0 && object::is_constant(comm.handle())) {
    return comm.context() == kWorldContext ? "MPI_COMM_WORLD" : "MPI_COMM_SELF";
  }
  if (!name.empty()) return "the communicator \"" + name + "\"";
  char text[40];
  std::snprintf(text, sizeof text, "the communicator 0x%zx", comm.handle());
  return text;
}

std::string in_report(const Comm& comm) {
  if (comm.context() == kWorldContext) return "communicator 1";
  if (comm.context() == kSelfContext) return "MPI_COMM_SELF";
  const std::string name = comm.name();
  if (!name.empty()) return "communicator \"" + name + "\"";
  char text[160];
  std::snprintf(text, sizeof text, "communicator 0x%zx of %d ranks%s%s", comm.handle(), comm.size(),
                comm.made_by() != nullptr ? ", made by " : "",
                comm.made_by() != nullptr ? comm.made_by() : "");
  return text;
}

std::string in_report(ContextId context) {
  const auto has_context = [](const object::Object& object, std::uint64_t wanted) {
    return static_cast<const Comm&>(object).context() == wanted;
  };
  const object::Object* const found =
      Rank::current() == nullptr || is_predefined(context)
          ? nullptr
          : object::find_by(object::Kind::kComm, has_context, context);
  if (found != nullptr) return in_report(static_cast<const Comm&>(*found));
  return context == kSelfContext ? "MPI_COMM_SELF" : "communicator " + std::to_string(context);
}

}  // namespace heddle::comm
