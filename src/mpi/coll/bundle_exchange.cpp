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
      me_(hosts.index_of(phase.comm.group().member(phase.comm.rank()))),
      came_(static_cast<std::size_t>(hosts.count())) {}

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
  for (const auto* bundles : {&outgoing_, &incoming_}) {
    for (const Bundle& bundle : *bundles) {
      if (failure == MPI_SUCCESS) failure = bundle.failure();
    }
  }
  return failure == MPI_SUCCESS && lost ? lost.error_class() : failure;
}

const Lent* BundleExchange::came() noexcept {
  auto in = incoming_.begin();
  for_each_other([&](int host) { came_[static_cast<std::size_t>(host)].data = in++->bytes(); });
  return came_.data();
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
