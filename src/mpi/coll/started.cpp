#include "mpi/coll/started.h"

#include <cassert>
#include <utility>

#include "mpi/lifetime/in_call.h"

namespace heddle::coll {

Error Started::launch() {
  error_ = {};
  split_phase_ = 0;
  if (!is_alone(comm_)) {
    Comm& side = side_of(channel());
    // The helper finds it joined: it may run beside the next start on the communicator.
    if (side.size() > 1) HostGroup::of(side);
    if (begin_at_once()) return {};
    if (helpers_of_rank.get().add(Seat::of(side), *this)) return {};
  }
  run();
  complete();
  return {};
}

bool Started::begin_at_once() {
  Comm& comm = channel();
  if (comm.is_inter() || !can_split()) return false;
  Seat& seat = Seat::of(comm);
  HostGroup& host_group = HostGroup::of(comm);
  // acquire: as in await_started(). The phase of a split-phase operation is the last one that was
  // taken.
  if (seat.started.any.load(std::memory_order_acquire) &&
      !helpers_of_rank.get().empty(seat, [&] { return host_group.has_met(seat.phases); })) {
    return false;
  }
  const HostGroup::Phase phase = seat.phases + 1;
  if (host_group.hosts() != nullptr || !host_group.is_free(phase) || !may_begin(host_group, phase))
    return false;
  const Ticket ticket(comm, phases());
  assert(ticket.phase().number == phase);
  if (begin(ticket.phase(), &error_)) {
    split_phase_ = phase;
    helpers_of_rank.get().add_split(seat, *this);
  } else {
    note_error();
    complete();
  }
  return true;
}

void Started::look() noexcept {
  if (!is_split()) return;
  helpers_of_rank.get().attend(Seat::taken(channel()), *this,
                               [this] { return HostGroup::of(channel()).has_met(split_phase_); });
}

bool Started::spin() noexcept {
  if (is_split()) {
    helpers_of_rank.get().attend(Seat::taken(channel()), *this, [] { return true; });
  }
  return completion().done() || completion().spin();
}

void Started::stand_alone() noexcept {
  if (is_split() && !done()) helpers_of_rank.get().entrust(Seat::taken(channel()), *this);
}

void Started::note_error() noexcept {
  if (error_) outcome_for_writing().error_class = error_.error_class();
}

void Started::carry_out() noexcept {
  if (is_split()) {
    error_ = end(Phase{channel(), split_phase_});
  } else {
    // The request keeps what the operation uses; its messages need not.
    const lifetime::InCall in_call(&channel(), nullptr);
    // Tasks come in the order of the calls, and a blocking call waits for them.
    error_ = perform(Ticket(channel(), phases()));
  }
  note_error();
}

Error Started::verdict() const {
  if (!error_) return {};
  const std::string_view text = error_.text();
  return Error::make(error_.error_class(), "%.*s", static_cast<int>(text.size()), text.data());
}

Error Started::refuse_to_end() const {
  return Error::make(MPI_ERR_REQUEST, "%s on %s has been started; only a wait or a test may end it",
                     call(), comm::describe(comm_).c_str());
}

}  // namespace heddle::coll
