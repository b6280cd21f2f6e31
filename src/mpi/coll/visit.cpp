#include "mpi/coll/visit.h"

namespace heddle::coll {

namespace {
std::string named(const void* comm) {
  return " (" + comm::in_report(*static_cast<const comm::Comm*>(comm)) + ")";
}
}  // namespace

ult::WaitNote note_other(comm::Comm& comm) noexcept {
  return {Standing::mine.call, [](const void* of) { return "another rank in it" + named(of); },
          &comm};
}

ult::WaitNote Visit::note_others() const noexcept {
  return {Standing::mine.call,
          [](const void* of) { return "ranks that have not called it" + named(of); }, &comm_};
}

void Visit::await(HostGroup::Phase earlier) noexcept {
  const ult::NotedWait noted(note_others());
  host_group_.round(earlier).tables->met.wait(earlier);
}

bool Visit::gather(bool last) noexcept {
  if (!is_leader()) {
    if (last) close();
    return false;
  }
  if (!last) {
    const ult::NotedWait noted(note_others());
    round_.gathered.wait();
  }
  round_.gathered.reset();
  round_.leader_concludes = false;
  return true;
}

void Visit::close() noexcept {
  if (round_.leader_concludes && !is_leader()) {
    round_.gathered.set();
  } else {
    conclude();
  }
}

int Visit::giver_of(int root) const noexcept {
  const bool is_root_here = hosts() == nullptr || host_group_.is_here(comm_.group().member(root));
  return is_root_here ? host_group_.index_of(root) : 0;
}

void Visit::claim_giver(int root) noexcept {
  claim_own();
  const int place = tables_->places->of(giver_of(root)).place;
  if (tables_->arrivals.claim(place, mark_)) release_borrowers();
}

void Visit::claim_own() noexcept {
  if (tables_->arrivals.claim(place_, mark_)) release_borrowers();
}

void Visit::release_borrowers() noexcept {
  round_.tear(phase_);
  if (is_first_to_give()) lend(datatype::nothing(), MPI_ERR_OTHER);
}

Error disagreement(const comm::Comm& comm, int error_class) {
  return Error::make(error_class,
                     "the ranks of %s do not all call the same collective with the same root and "
                     "the same length, or one of them has failed",
                     comm::describe(comm).c_str());
}

Error Visit::failure() const {
  return Error::make(round_.failure, "a rank of %s that others of its host depend on has failed",
                     comm::describe(comm_).c_str());
}

}  // namespace heddle::coll
