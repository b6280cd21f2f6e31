#include "mpi/partitioned/handover.h"

#include <algorithm>
#include <new>

#include "exec/ult/strand.h"

namespace heddle::partitioned {

Handover::Handover(request::Request& sender, datatype::ConstBuffer data, int partitions,
                   std::unique_ptr<State[]> states) noexcept
    : sender_(sender),
      from_(data),
      partitions_(partitions),
      bytes_(data.bytes() / partitions),
      states_(std::move(states)) {
  for (int i = 0; i < partitions_; ++i) states_[static_cast<std::size_t>(i)] = state(0, kThere);
}

Handover* Handover::make(request::Request& sender, datatype::ConstBuffer data,
                         int partitions) noexcept {
  std::unique_ptr<State[]> states(new (std::nothrow) State[static_cast<std::size_t>(partitions)]);
  if (states == nullptr) return nullptr;
  return new (std::nothrow) Handover(sender, data, partitions, std::move(states));
}

void Handover::release() noexcept {
  // acq_rel: the last one sees what the other did.
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void Handover::begin_send() noexcept {
  ++round_;
  missing_ = partitions_;  // I3
}

bool Handover::mark(int partition) noexcept {
  State& its = states_[static_cast<std::size_t>(partition)];
  while (its == state(round_ - 1, kTaken)) ult::yield();  // I5
  std::uint64_t absent = state(round_ - 1, kThere);
  if (!its.compare_exchange_strong(absent, state(round_, kReady))) return false;
  if (begun_ >= round_) take(partition, round_);  // I1
  return true;
}

void Handover::begin_receive(request::Request& receiver, datatype::Buffer data) noexcept {
  receiver_ = &receiver;
  into_ = data;
  const std::uint64_t round = begun_ + 1;
  // The round may be over, and both sides gone, before the last partition has been looked at.
  references_.fetch_add(1, std::memory_order_relaxed);
  begun_ = round;
  for (int i = 0; i < partitions_; ++i) take(i, round);
  release();
}

void Handover::take(int partition, std::uint64_t round) noexcept {
  State& its = states_[static_cast<std::size_t>(partition)];
  std::uint64_t ready = state(round, kReady);
  // A look first: most of what the receiver finds is not ready.
  if (its != ready || !its.compare_exchange_strong(ready, state(round, kTaken))) return;
  if (closed_) {
    its = state(round, kReady);
    return;
  }
  copy(partition);
  if (missing_.fetch_sub(1) == 1) {  // I4
    receiver_->complete();
    sender_.complete();
  }
  its = state(round, kThere);
}

void Handover::copy(int partition) const noexcept {
  const MPI_Count skip = partition * bytes_;
  const MPI_Count room = into_.bytes() - skip;
  if (room > 0) datatype::copy(from_, into_, skip, std::min(bytes_, room));
}

bool Handover::has(std::uint64_t round, MPI_Count begin, MPI_Count end) const noexcept {
  end = std::min(end, partitions_ * bytes_);
  if (begin >= end) return true;
  const auto last = static_cast<std::size_t>((end - 1) / bytes_);
  for (auto i = static_cast<std::size_t>(begin / bytes_); i <= last; ++i) {
    if (states_[i] < state(round, kThere)) return false;
  }
  return true;
}

void Handover::close(request::Request& side) noexcept {
  if (side.active() && !side.done()) closed_ = true;
  for (int i = 0; i < partitions_; ++i) {
    while (states_[static_cast<std::size_t>(i)] % 4 == kTaken) ult::yield();  // I5
  }
  release();
}

void Handover::end_send() noexcept {
  close(sender_);
}

void Handover::end_receive() noexcept {
  if (receiver_ == nullptr) return release();
  close(*receiver_);
}

}  // namespace heddle::partitioned
