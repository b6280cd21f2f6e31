#include "mpi/io/collective.h"

#include <cstring>
#include <utility>

#include "mpi/coll/bodies.h"
#include "mpi/io/exchange.h"
#include "mpi/io/gather.h"
#include "mpi/io/system_error.h"

namespace heddle::io {

namespace {

Error told_by_another(std::int64_t packed, const char* what, const std::string& path) {
  const int error_class = static_cast<int>(packed >> 32);
  const int system_error = static_cast<int>(packed & 0xffffffff);
  if (system_error == 0) {
    return Error::make(error_class, "another rank's call failed, for \"%s\"", path.c_str());
  }
  char text[128];
  return Error::make(error_class, "another rank could not %s \"%s\": %s", what, path.c_str(),
                     strerror_r(system_error, text, sizeof text));
}

datatype::Buffer number(std::int64_t* value) {
  return {value, 1, &datatype::named(MPI_INT64_T)};
}

const char* act_of(const Access& access) noexcept {
  return access.direction == Direction::kWrite ? "write to" : "read from";
}

}  // namespace

Error agree(File& file, Error mine, int system_error, const char* what) {
  const Failure failure{mine ? mine.error_class() : 0, system_error};
  std::int64_t own = failure.packed(), all = 0;
  if (Error e =
          coll::run(coll::Allreduce{&own, number(&all), *op::from_handle(MPI_MAX), file.comm()})) {
    return e;
  }
  if (mine || all == 0) return mine;
  return told_by_another(all, what, file.path());
}

Error CollectiveAccess::move_all(const Domains& domains, const coll::Ticket& ticket,
                                 int* system_error) const {
  File& file = *access.file;
  Part& part = file.part();
  Error failed;
  if (!file.is_atomic()) {
    if (domains.owners == 0) {
      const MPI_Count nodes = file.collective_hints(access.direction).nodes;
      *system_error = gather(part, part.index_of(comm.rank()),
                             static_cast<int>((nodes + part.nodes() - 1) / part.nodes()));
    } else if (file.is_first_here()) {
      failed = exchange(part, domains, access.direction, ticket, system_error);
    }
  }
  if (file.is_atomic() || access.view->overlaps()) {
    move_here(access);
    if (*system_error == 0) *system_error = access.error;
  }
  return failed;
}

Error CollectiveAccess::perform(const coll::Ticket& ticket) const {
  File& file = *access.file;
  Part& part = file.part();
  part.posted(part.index_of(comm.rank())) = &access;
  Domains domains;
  Error not_met = meet(ticket, access, &domains);
  int error = 0;
  Error lost;
  if (!not_met) lost = move_all(domains, ticket, &error);
  Failure failure{error != 0 ? class_of(error) : failed, error};
  if (lost && failure.error_class == MPI_SUCCESS) failure.error_class = lost.error_class();
  std::int64_t own = failure.packed(), all = own;
  Error not_closed = coll::reduce_in(ticket.phase(phases() - 1), &own, number(&all),
                                     *op::from_handle(MPI_MAX), coll::kAll);
  if (not_met) return not_met;
  if (not_closed) return not_closed;
  Error unconverted = access.finish();
  if (error != 0) return file_error(error, act_of(access), file.path());
  if (lost) return lost;
  if (unconverted) return unconverted;
  if (failed != MPI_SUCCESS || all == 0) return {};
  return told_by_another(all, act_of(access), file.path());
}

namespace {

// A collective access that its rank has started.
class StartedAccess final : public coll::Started {
 public:
  StartedAccess(std::unique_ptr<Access> access, Error failed) noexcept
      : Started(Life::kOnce, access->file->comm(), {}),
        access_(std::move(access)),
        failed_(std::move(failed)) {}
  ~StartedAccess() override = default;

  void hold_all() noexcept { hold(operation().uses()); }

 private:
  CollectiveAccess operation() const noexcept {
    return {*access_, access_->file->comm(), failed_ ? failed_.error_class() : MPI_SUCCESS};
  }
  int phases() const noexcept override { return operation().phases(); }
  Error perform(const coll::Ticket& ticket) override {
    Error error = operation().perform(ticket);
    outcome_for_writing().bytes = access_->delivered();
    return failed_ ? std::move(failed_) : std::move(error);
  }
  bool can_split() const noexcept override { return false; }
  bool may_begin(coll::HostGroup&, coll::HostGroup::Phase) const override { return false; }
  bool begin(const coll::Phase&, Error*) override { return false; }
  Error end(const coll::Phase&) override { return {}; }

  const std::unique_ptr<Access> access_;
  Error failed_;
};

}  // namespace

Error start_collective(std::unique_ptr<Access> access, request::Request** out, Error failed) {
  auto made = request::make<StartedAccess>(std::move(access), std::move(failed));
  if (!made) return request::no_memory();
  made->hold_all();
  if (Error e = made->launch()) return e;
  *out = made.leak();
  return {};
}

}  // namespace heddle::io
