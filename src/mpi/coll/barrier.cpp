// No rank leaves before all have come (MPI 5.0 §6.3).
#include "mpi/coll/between.h"
#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/visit.h"

namespace heddle::coll {

namespace {

// Counts in, and concludes if all have come.
[[gnu::always_inline]] inline Step come(const Phase& phase, Visit& visit) {
  if (!visit.arrive()) return Step::kWaits;
  if (visit.hosts() != nullptr) [[unlikely]]
    visit.set_mismatch(Between(phase, *visit.hosts(), visit.call()).agree(visit.mismatch()));
  visit.conclude();
  return Step::kConcluded;
}

[[gnu::always_inline]] inline Error barrier(const Phase& phase, std::uint32_t call) {
  if (!phase) return {};
  Visit visit(phase, call);
  if (come(phase, visit) == Step::kWaits) visit.wait();
  return visit.verdict();
}

}  // namespace

Error barrier_in(const Phase& phase) {
  return barrier(phase, call_of(What::kBarrier, 0, 0));
}
Error barrier_in(const Phase& phase, std::uint32_t call) {
  return barrier(phase, call);
}

bool Barrier::begin(const Phase& phase, Error* error) const {
  Visit visit(phase, call_of(What::kBarrier, 0, 0));
  if (come(phase, visit) == Step::kWaits) return true;
  *error = visit.verdict();
  return false;
}

Error Barrier::end(const Phase& phase) const {
  Visit visit(phase, Visit::Later::kHasArrived);
  visit.wait();
  return visit.verdict();
}

bool Barrier::perform_in(Turn& turn, Error* error) const {
  turn.begin(call_of(What::kBarrier, 0, 0));
  turn.give_nothing();
  FirstError first;
  for (int member = 0; member < turn.members(); ++member) {
    if (member != turn.index()) first.note(turn.await(member));
  }
  *error = first.take();
  return true;
}

Error Barrier::perform(const Ticket& ticket) const {
  if (!comm.is_inter()) return barrier_in(ticket.phase());
  FirstError error;
  error.note(barrier_in(ticket.phase(0)));
  if (comm.rank() == 0) {
    error.note(ticket.wire().swap(datatype::nothing(), 0, datatype::nothing(), 0));
  }
  error.note(barrier_in(ticket.phase(1)));
  return error.take();
}

}  // namespace heddle::coll
