// No rank leaves before all have come (MPI 5.0 §6.3).
#include "mpi/coll/between.h"
#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/visit.h"

namespace heddle::coll {

namespace {

// Counts in, and concludes if all have come.
Step come(const Turn& turn, Visit& visit) {
  if (!visit.arrive()) return Step::kWaits;
  if (visit.hosts() != nullptr) [[unlikely]]
    visit.set_mismatch(Between(turn, *visit.hosts(), visit.call()).agree(visit.mismatch()));
  visit.conclude();
  return Step::kConcluded;
}

}  // namespace

Error barrier_in(const Turn& turn) {
  if (!turn) return {};
  Visit visit(turn, call_of(What::kBarrier, 0, 0));
  if (come(turn, visit) == Step::kWaits) visit.wait();
  return visit.verdict();
}

bool Barrier::begin(const Turn& turn, Error* error) const {
  Visit visit(turn, call_of(What::kBarrier, 0, 0));
  if (come(turn, visit) == Step::kWaits) return true;
  *error = visit.verdict();
  return false;
}

Error Barrier::end(const Turn& turn) const {
  Visit visit(turn, Visit::Later::kHasArrived);
  visit.wait();
  return visit.verdict();
}

Error Barrier::perform(const Ticket& ticket) const {
  if (!comm.is_inter()) return barrier_in(ticket.turn());
  FirstError error;
  error.note(barrier_in(ticket.turn(0)));
  if (comm.rank() == 0) {
    error.note(ticket.wire().swap(datatype::nothing(), 0, datatype::nothing(), 0));
  }
  error.note(barrier_in(ticket.turn(1)));
  return error.take();
}

}  // namespace heddle::coll
