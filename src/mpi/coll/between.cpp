#include "mpi/coll/between.h"

#include <algorithm>
#include <vector>

#include "mpi/coll/first_error.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

using datatype::Buffer;
using datatype::bytes_at;
using datatype::ConstBuffer;

namespace {

constexpr MPI_Count kPiece = 64 << 10;  // of a large broadcast

// Where hosts outnumber cores each level costs a sleep and a wake.
constexpr int kFan = 8;
// Each child takes the whole payload.
constexpr int kFanOfBroadcast = 2;

void pack(ConstBuffer from, Parcel& parcel) noexcept {
  parcel.bytes = from.bytes();
  p2p::transfer(from, parcel.contents(), parcel.bytes);
}

// More or fewer bytes than expected come only from hosts that disagree.
void unpack(Parcel& parcel, Buffer to) noexcept {
  p2p::transfer(parcel.contents(), to, std::min(parcel.bytes, to.bytes()));
}

}  // namespace

Between::Between(const Phase& phase, const HostsOf& hosts, std::uint32_t call) noexcept
    : link_(phase, call),
      hosts_(hosts),
      group_(phase.comm.group()),
      tree_(hosts.count(), kFan),
      me_(hosts.index_of(group_.member(phase.comm.rank()))),
      call_(call) {}

// The parcels to come tell of a failed send.
Error Between::send(Parcel& parcel, int host) const {
  Error error = parcel.send(link_, hosts_.leader(host));
  if (error) parcel.failure = error.error_class();
  return error;
}

void Between::receive(Parcel& parcel, int host) const {
  parcel.receive(link_, hosts_.leader(host), call_);
}

template <class Merge>
void Between::collect(Parcel& mine, Merge&& merge) const {
  tree_.for_each_child(me_, [&](int child) {
    Parcel theirs;
    receive(theirs, child);
    if (mine.failure == MPI_SUCCESS) mine.failure = theirs.failure;
    if (mine.failure == MPI_SUCCESS) merge(theirs);
  });
}

void Between::climb(Parcel& mine) const {
  if (me_ != 0) send(mine, tree_.parent(me_)).ignore();
}

void Between::descend(Parcel& parcel) const {
  if (me_ != 0) receive(parcel, tree_.parent(me_));
  tree_.for_each_child_back(me_, [&](int child) { send(parcel, child).ignore(); });
}

int Between::agree(int failure) const {
  Parcel parcel(call_, failure);
  collect(parcel, [](Parcel&) {});
  climb(parcel);
  descend(parcel);
  return parcel.failure;
}

// The blocks of several hosts alternate, so that no subtree has adjacent ones.
void Between::combine_runs(Parcel& mine, std::span<const Buffer> sums, const op::Op& op) const {
  if (me_ != 0) {
    for (const Buffer& sum : sums) {
      if (mine.failure == MPI_SUCCESS) pack(sum, mine);
      send(mine, 0).ignore();
    }
    return;
  }
  const Buffer& shape = sums[0];
  Buffer total = sums[0];
  StagingBuffer staged;
  if (Error e = staged.reserve(shape.count, *shape.type)) mine.failure = e.error_class();
  std::size_t own = 0;
  const std::vector<int> blocks = hosts_.blocks(group_, false);  // the first one is this host's
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    Buffer next = staged.buffer();
    if (blocks[block] == me_) {
      next = sums[own++];
    } else {
      Parcel theirs;
      receive(theirs, blocks[block]);
      if (mine.failure == MPI_SUCCESS) mine.failure = theirs.failure;
      if (mine.failure == MPI_SUCCESS) unpack(theirs, next);
    }
    if (block == 0 || mine.failure != MPI_SUCCESS) continue;
    op.apply(total.data, next.data, shape.count, *shape.type);
    p2p::transfer(next, total, shape.bytes());
  }
  if (mine.failure == MPI_SUCCESS) pack(total, mine);
}

int Between::reduce(int failure, std::span<const Buffer> sums, Buffer result, const op::Op& op,
                    int to) const {
  Parcel parcel(call_, failure);
  if (!op.commutative() && !hosts_.in_blocks()) {
    combine_runs(parcel, sums, op);
  } else {
    const Buffer& sum = sums[0];
    StagingBuffer staged;
    if (Error e = staged.reserve(sum.count, *sum.type)) parcel.failure = e.error_class();
    collect(parcel, [&](Parcel& theirs) {
      const Buffer next = staged.buffer();
      unpack(theirs, next);
      op.apply(sum.data, next.data, sum.count, *sum.type);
      p2p::transfer(next, sum, sum.bytes());
    });
    if (parcel.failure == MPI_SUCCESS) pack(sum, parcel);
    climb(parcel);
  }
  if (to == kAll) {
    descend(parcel);
  } else if (me_ == 0 && to != 0) {
    send(parcel, to).ignore();
  } else if (me_ == to && to != 0) {
    receive(parcel, 0);
  }
  if (parcel.failure == MPI_SUCCESS && (to == kAll || to == me_)) unpack(parcel, result);
  return parcel.failure;
}

Relay::Relay(const Phase& phase, const HostsOf& hosts, int root, std::uint32_t call) noexcept
    : link_(phase, call),
      hosts_(hosts),
      root_(root),
      root_host_(hosts.index_of(phase.comm.group().member(root))),
      relative_((hosts.index_of(phase.comm.group().member(phase.comm.rank())) - root_host_ +
                 hosts.count()) %
                hosts.count()),
      tree_(hosts.count(), kFanOfBroadcast),
      call_(call),
      first_(call) {}

int Relay::leader(int relative) const noexcept {
  return relative == 0 ? root_ : hosts_.leader((relative + root_host_) % hosts_.count());
}

template <class Visit>
void Relay::for_each_child(Visit&& visit) const {
  tree_.for_each_child_back(relative_, [&](int child) { visit(leader(child)); });
}

Error Relay::reserve() {
  Error error = memory_.reserve_bytes(first_.bytes);
  if (error) first_.failure = error.error_class();
  whole_ = static_cast<std::byte*>(memory_.data());
  return error;
}

Error Relay::give(ConstBuffer data, int failed) {
  first_.failure = failed;
  first_.bytes = data.bytes();
  FirstError error;
  if (!has_rest()) {
    p2p::transfer(data, first_.contents(), first_.bytes);
  } else if (const void* const adjacent = datatype::adjacent(data)) {
    whole_ = static_cast<std::byte*>(const_cast<void*>(adjacent));
  } else {
    error.note(reserve());
    if (whole_ != nullptr) p2p::transfer(data, memory_.buffer(), first_.bytes);
  }
  error.note(pass_on());
  return error.take();
}

Error Relay::take(Buffer data) {
  first_.receive(link_, leader(tree_.parent(relative_)), call_);
  FirstError error;
  if (has_rest()) {
    if (data.bytes() >= first_.bytes && data.type->dense()) {
      whole_ = static_cast<std::byte*>(data.data);
    } else {
      error.note(reserve());
    }
  }
  error.note(pass_on());
  return error.take();
}

ConstBuffer Relay::came() const noexcept {
  if (first_.failure != MPI_SUCCESS) return datatype::nothing();
  const std::byte* const data = has_rest() ? whole_ : first_.payload;
  return bytes_at(data, first_.bytes);
}

// First the parcel, in which the hosts below hear of a failure; then they expect no more.
Error Relay::pass_on() {
  FirstError error;
  for_each_child([&](int rank) { error.note(first_.send(link_, rank)); });
  if (has_rest()) {
    Error lost = pass_on_rest();
    if (lost && first_.failure == MPI_SUCCESS) first_.failure = lost.error_class();
    error.note(std::move(lost));
  }
  return error.take();
}

// Without memory each piece is taken all the same, for its sender waits.
Error Relay::pass_on_rest() {
  std::vector<int> children;
  if (whole_ != nullptr) for_each_child([&](int rank) { children.push_back(rank); });
  const auto wait = [&](request::Request& request, int rank) { link_.wait(request, rank); };
  FirstError error;
  Batch batch(link_.wire());
  for (MPI_Count at = 0; at < first_.bytes; at += kPiece) {
    const MPI_Count bytes = std::min(kPiece, first_.bytes - at);
    const Buffer piece = whole_ != nullptr ? bytes_at(whole_ + at, bytes) : datatype::nothing();
    if (!is_top()) {
      Error lost = link_.receive(piece, leader(tree_.parent(relative_)));
      const bool is_last = lost && lost.error_class() != MPI_ERR_TRUNCATE;
      error.note(std::move(lost));
      if (is_last) break;
    }
    for (const int rank : children) batch.send(piece, rank);
    if (batch.pending() >= Batch::kWindow) batch.wait_by(wait);
    if (batch.failed()) break;
  }
  batch.wait_by(wait);
  error.note(batch.finish());
  return error.take();
}

}  // namespace heddle::coll
