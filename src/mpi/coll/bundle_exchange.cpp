#include "mpi/coll/bundle_exchange.h"

#include <algorithm>
#include <span>

#include "mpi/coll/pieces.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

BundleExchange::BundleExchange(const Phase& phase, const HostsOf& hosts, MPI_Count each,
                               std::uint32_t call)
    : phase_(phase),
      hosts_(hosts),
      each_(each),
      call_(call),
      me_(hosts.index_of(phase.comm.group().member(phase.comm.rank()))) {}

template <class Visit>
void BundleExchange::for_each_other(Visit&& visit) const {
  const int count = hosts_.count();
  for (int i = 1; i < count; ++i) visit((me_ + i) % count);
}

int BundleExchange::exchange(int failure, const Lent* lent) {
  const Link link(phase_, call_);
  for_each_other([&](int host) { pack(outgoing_.emplace_back(call_, failure), host, lent); });
  Batch batch(phase_.wire());
  auto out = outgoing_.begin();
  for_each_other([&](int host) { out++->send_parcel(batch, hosts_.leader(host)); });
  for_each_other([&](int host) {
    Bundle& bundle = incoming_.emplace_back(call_);
    bundle.receive_parcel(link, hosts_.leader(host));
    bundle.receive_rest(batch, hosts_.leader(host));
  });
  out = outgoing_.begin();
  for_each_other([&](int host) { out++->send_rest(batch, hosts_.leader(host)); });
  batch.wait_by([&](request::Request& request, int rank) { link.wait(request, rank); });
  Error lost = batch.finish();
  came_.resize(static_cast<std::size_t>(hosts_.count()));
  auto in = incoming_.begin();
  for_each_other([&](int host) { came_[static_cast<std::size_t>(host)].data = in++->bytes(); });
  for (const auto* bundles : {&outgoing_, &incoming_}) {
    for (const Bundle& bundle : *bundles) {
      if (failure == MPI_SUCCESS) failure = bundle.failure();
    }
  }
  return failure == MPI_SUCCESS && lost ? lost.error_class() : failure;
}

void BundleExchange::read(const Lent* came, int index, const Pieces& receive) const noexcept {
  const MPI_Count stride = static_cast<MPI_Count>(hosts_.members(me_).size()) * each_;
  for_each_other([&](int host) {
    const auto* piece = static_cast<const std::byte*>(came[host].data) + index * each_;
    for (const int giver : hosts_.members(host)) {
      p2p::transfer(datatype::bytes_at(piece, each_), receive[giver], each_);
      piece += stride;
    }
  });
}

void BundleExchange::pack(Bundle& bundle, int host, const Lent* lent) const noexcept {
  const std::span<const int> givers = hosts_.members(me_), receivers = hosts_.members(host);
  const auto pieces = static_cast<MPI_Count>(givers.size() * receivers.size());
  if (!bundle.open(pieces * each_)) return;
  std::byte* at = bundle.bytes();
  for (std::size_t giver = 0; giver < givers.size(); ++giver) {
    for (const int receiver : receivers) {
      const datatype::ConstBuffer piece = (*lent[giver].pieces)[receiver];
      p2p::transfer(piece, datatype::bytes_at(at, each_), std::min(piece.bytes(), each_));
      at += each_;
    }
  }
}

}  // namespace heddle::coll
