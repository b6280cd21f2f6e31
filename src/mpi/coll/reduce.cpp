// The ranks' elements combined (MPI 5.0 §6.9.1, §6.9.6).
#include <optional>
#include <span>
#include <vector>

#include "mpi/coll/between.h"
#include "mpi/coll/bodies.h"
#include "mpi/coll/combine.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/slice_exchange.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/coll/visit.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

// True if the vector is small. All hosts get the same answer.
[[gnu::always_inline]] inline bool is_small(const Buffer& vector, const HostGroup& host_group) {
  if (host_group.hosts() == nullptr) [[likely]]
    return VectorSlots::fit(vector, host_group.members(), host_group.scratch_bytes());
  return VectorSlots::fit(vector, 1, host_group.least_share()) && vector.bytes() <= kMostInParcel;
}

[[gnu::always_inline]] inline void copy_own(const void* own, const Buffer& result) {
  if (own == result.data) return;
  p2p::transfer({own, result.count, result.type}, result, result.bytes());
}

// A reduction to one root or, in an allreduce, to all.
struct Reduction {
  const Phase& phase;
  const op::Op& op;
  int root;  // or kAll
  bool failed;

  bool is_result_here() const noexcept { return root == kAll || root == phase.comm.rank(); }
  std::uint32_t call(const Buffer& vector) const noexcept {
    // Operations that do not commute go another way between hosts.
    return call_of(root == kAll ? What::kAllreduce : What::kReduce, root,
                   vector.bytes() << 1 | MPI_Count{op.commutative()});
  }
  // The index of the host that gets the result.
  int host_of_result(const HostsOf& hosts) const noexcept {
    return root == kAll ? kAll : hosts.index_of(phase.comm.group().member(root));
  }

  // Requires that there is more than one member, and something to combine.
  Error run(const void* own, Buffer result) const {
    const HostGroup& host_group = HostGroup::of(phase.comm);
    if (is_small(result, host_group)) return in_scratch(own, result);
    return host_group.hosts() == nullptr ? in_slices(own, result) : in_slices_of_hosts(own, result);
  }

  // In a turn, if it fits.
  bool run_in(Turn& turn, const void* own, Buffer result, Error* error) const {
    turn.begin(call(result));
    if (result.bytes() > Turn::kMost) {
      turn.give_elsewhere();
      return false;
    }
    turn.give({own, result.count, result.type});
    if (is_result_here()) *error = combine_in(turn, op, result);
    return true;
  }

  // The two parts of a small one, by way of the scratch memory. Members that get no result do not
  // wait.
  [[gnu::always_inline]] Step give(const void* own, Buffer result, Visit& visit) const {
    if (failed) [[unlikely]]
      visit.fail();
    const VectorSlots slots(visit.scratch(), result, visit.host_group().members());
    if (!failed) copy_own(own, slots[visit.index()]);
    if (visit.arrive()) {
      if (visit.hosts() != nullptr) [[unlikely]] {
        combine_between(slots, visit);
      } else if (visit.agreed()) {
        slots.combine(op);
      }
      visit.conclude();
      return Step::kConcluded;
    }
    return is_result_here() ? Step::kWaits : Step::kGone;
  }
  [[gnu::always_inline]] Error take(Buffer result, Visit& visit) const {
    const VectorSlots slots(visit.scratch(), result, visit.host_group().members());
    if (is_result_here() && visit.agreed()) copy_own(slots.result().data, result);
    return visit.verdict();
  }

 private:
  Error in_scratch(const void* own, Buffer result) const {
    Visit visit(phase, call(result));
    const Step step = give(own, result, visit);
    if (step == Step::kGone) return {};
    if (step == Step::kWaits) visit.wait();
    return take(result, visit);
  }

  // Runs at the host leader: combines this host's vectors, then those of all hosts, into
  // slots.result().
  [[gnu::noinline]] void combine_between(const VectorSlots& slots, Visit& visit) const {
    const HostGroup& host_group = visit.host_group();
    std::vector<Buffer> sums;
    for (int first = 0, end = 0; first < host_group.members(); first = end) {
      end = host_group.end_of_run(first, op.commutative());
      if (visit.agreed()) slots.combine(op, first, end);
      sums.push_back(slots[end - 1]);
    }
    const HostsOf& hosts = *visit.hosts();
    const Between between(phase, hosts, visit.call());
    visit.set_mismatch(
        between.reduce(visit.mismatch(), sums, slots.result(), op, host_of_result(hosts)));
  }

  // Large vectors, straight from buffer to buffer: all lend theirs, then each combines its slice.
  Error in_slices(const void* own, Buffer result) const {
    Visit visit(phase, call(result));
    Slice slice(result, visit.index(), visit.host_group().members());
    Error no_memory = slice.prepare();
    if (failed || no_memory) visit.fail();
    visit.lent()[visit.index()] = {own, result.data, result.type};
    Error error = visit.meet();
    if (no_memory) return no_memory;
    if (error) return error;
    const std::span<const Lent> all(visit.lent(),
                                    static_cast<std::size_t>(visit.host_group().members()));
    const std::span<const Lent> one(visit.lent() + (root == kAll ? 0 : root), 1);
    slice.combine(all, root == kAll ? all : one, op);
    visit.meet_again();
    return {};
  }

  // Reduces in slices into sums of this host, which its host leader combines with those of the
  // others.
  Error in_slices_of_hosts(const void* own, Buffer result) const {
    Visit visit(phase, call(result));
    const HostGroup& host_group = visit.host_group();
    std::optional<SliceExchange> exchange;  // the host leader's
    Slice slice(result, visit.index(), host_group.members());
    Error no_memory = slice.prepare();
    if (visit.is_leader()) {
      exchange.emplace(phase, host_group, result, op);
      if (!no_memory) no_memory = exchange->prepare();
      visit.lend_for_host(exchange->sums());
    }
    if (failed || no_memory) visit.fail();
    visit.lent()[visit.index()] = {own, result.data, result.type};
    Error error = visit.meet([&] {
      visit.set_mismatch(Between(phase, *visit.hosts(), visit.call()).agree(visit.mismatch()));
    });
    if (no_memory) return no_memory;
    if (error) return error;
    combine_runs(slice, visit);
    if (visit.arrive()) return conclude_exchange(*exchange, result, visit);
    visit.await_ready();
    if (Error e = visit.told()) return e;
    if (root != kAll) return {};
    p2p::transfer(result_at(visit.lent()[0], 0, result.count), result, result.bytes());
    visit.arrive();
    return {};
  }

  void combine_runs(const Slice& slice, Visit& visit) const {
    const HostGroup& host_group = visit.host_group();
    const Lent* sum = visit.lent_for_host();
    for (int first = 0, end = 0; first < host_group.members(); first = end, ++sum) {
      end = host_group.end_of_run(first, op.commutative());
      slice.combine({visit.lent() + first, visit.lent() + end}, {sum, 1}, op);
    }
  }

  // Runs at the host leader, into its own result or the root's. The others copy from there.
  Error conclude_exchange(SliceExchange& exchange, Buffer result, Visit& visit) const {
    const int host = host_of_result(*visit.hosts());
    if (root != kAll && visit.host_group().is_here(phase.comm.group().member(root))) {
      result = result_at(visit.lent()[visit.host_group().index_of(root)], 0, result.count);
    }
    Error error = exchange.exchange(result, host);
    visit.show_ready(error ? error.error_class() : MPI_SUCCESS);
    if (!error && root == kAll) visit.arrive();
    return error;
  }
};

// What the leader of a side gives to the other; nothing if the side has failed.
ConstBuffer contribution(const Buffer& sum, const FirstError& error) {
  return {sum.data, error.any() ? 0 : sum.count, sum.type};
}

// Each side gets the other side's reduction.
Error allreduce_across(const Ticket& ticket, const void* own, Buffer result, const op::Op& op) {
  const bool leads = ticket.comm().rank() == 0;
  FirstError error;
  StagingBuffer ours;
  if (leads) error.note(ours.reserve(result.count, *result.type));
  const Buffer sum{ours.data(), result.count, result.type};
  error.note(reduce_in(ticket.phase(0), own, sum, op, 0, error.any()));
  const int failed = leads ? swap_sums(ticket.wire(), sum, result, error) : MPI_SUCCESS;
  error.note(bcast_in(ticket.phase(1), result, 0, failed));
  return error.take();
}

Error reduce_to_other_side(const Ticket& ticket, const void* own, const Buffer& result,
                           const op::Op& op, int root) {
  const bool leads = ticket.comm().rank() == 0;
  FirstError error;
  StagingBuffer sum;
  if (leads) error.note(sum.reserve(result.count, *result.type));
  const Buffer total{sum.data(), result.count, result.type};
  error.note(reduce_in(ticket.phase(), own, total, op, 0, error.any()));
  if (leads) error.note(ticket.wire().send(contribution(total, error), root));
  return error.take();
}

}  // namespace

int swap_sums(const Wire& wire, const Buffer& ours, const Buffer& theirs, FirstError& error) {
  Error missing = wire.swap_unless_failed(contribution(ours, error), theirs, 0);
  const bool came = !missing || missing.error_class() == MPI_ERR_TRUNCATE;
  const int failed = came ? MPI_SUCCESS : missing.error_class();
  error.note(std::move(missing));
  return failed;
}

Error reduce_in(const Phase& phase, const void* own, Buffer result, const op::Op& op, int root,
                bool failed) {
  if (phase) return Reduction{phase, op, root, failed}.run(own, result);
  if (!failed && result.bytes() != 0) copy_own(own, result);
  return {};
}

// Small ones of one host, as two parts.
namespace {

bool may_begin_reduction(const Buffer& result, const HostGroup& host_group) {
  return result.bytes() != 0 && is_small(result, host_group);
}

bool begin_reduction(const Reduction& reduction, const void* own, Buffer result, Error* error) {
  Visit visit(reduction.phase, reduction.call(result));
  const Step step = reduction.give(own, result, visit);
  if (step == Step::kConcluded) *error = reduction.take(result, visit);
  return step == Step::kWaits;
}

Error end_reduction(const Reduction& reduction, Buffer result) {
  Visit visit(reduction.phase, Visit::Later::kHasArrived);
  visit.wait();
  return reduction.take(result, visit);
}

}  // namespace

bool Reduce::may_begin(const HostGroup& host_group, HostGroup::Phase) const {
  return may_begin_reduction(result, host_group);
}

bool Reduce::begin(const Phase& phase, Error* error) const {
  return begin_reduction({phase, op, root, false}, own_of(send, result), result, error);
}

Error Reduce::end(const Phase& phase) const {
  return end_reduction({phase, op, root, false}, result);
}

bool Allreduce::may_begin(const HostGroup& host_group, HostGroup::Phase) const {
  return may_begin_reduction(result, host_group);
}

bool Allreduce::begin(const Phase& phase, Error* error) const {
  return begin_reduction({phase, op, kAll, false}, own_of(send, result), result, error);
}

Error Allreduce::end(const Phase& phase) const {
  return end_reduction({phase, op, kAll, false}, result);
}

bool Reduce::perform_in(Turn& turn, Error* error) const {
  if (result.bytes() == 0) return false;
  const Phase none{comm, 0};
  return Reduction{none, op, root, false}.run_in(turn, own_of(send, result), result, error);
}

bool Allreduce::perform_in(Turn& turn, Error* error) const {
  if (result.bytes() == 0) return false;
  const Phase none{comm, 0};
  return Reduction{none, op, kAll, false}.run_in(turn, own_of(send, result), result, error);
}

Error Reduce::perform(const Ticket& ticket) const {
  if (root == MPI_PROC_NULL) return {};
  if (root == MPI_ROOT) return ticket.wire().receive_unless_failed(result, 0);
  if (comm.is_inter()) return reduce_to_other_side(ticket, send, result, op, root);
  return reduce_in(ticket.phase(), own_of(send, result), result, op, root);
}

Error Allreduce::perform(const Ticket& ticket) const {
  if (result.count == 0) return {};
  const void* const own = own_of(send, result);
  return comm.is_inter() ? allreduce_across(ticket, own, result, op)
                         : reduce_in(ticket.phase(), own, result, op, kAll);
}

}  // namespace heddle::coll
