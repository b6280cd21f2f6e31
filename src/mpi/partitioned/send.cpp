// The sender's side.

#include "mpi/p2p/send.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "mpi/p2p/receive_request.h"
#include "mpi/partitioned/handover.h"
#include "mpi/partitioned/operation.h"
#include "mpi/partitioned/tag_ranges.h"

namespace heddle::partitioned {

namespace {

class Sending final : public Operation {
 public:
  Sending(datatype::ConstBuffer whole, Partitions partitions, const p2p::Target& to) noexcept
      : Operation(partitions),
        whole_(whole),
        to_(to),
        offer_request_(datatype::bytes_at(&offer_, sizeof offer_), to) {}
  ~Sending() override;

  Error open();

  Error ready(int first, int last) override;
  Error arrived(int, bool*) override {
    return Error::make(MPI_ERR_REQUEST, "MPI_Parrived was called with a send request");
  }
  std::string awaited() const override {
    return "rank " + std::to_string(to_.rank) + " to receive its partitions " +
           p2p::with_tag(to_.key().context, to_.tag);
  }

 private:
  // What travels: a message without partitions has one that is empty.
  int pieces() const noexcept { return std::max(partitions_.count, 1); }
  Error open_parts();
  Error launch() override;
  Error mark(int partition);

  const datatype::ConstBuffer whole_;
  const p2p::Target to_;
  Offer offer_;
  p2p::SendRequest offer_request_;

  Handover* handover_ = nullptr;  // to a rank of this host
  // To another host: persistent sends, and whether each is marked in this round. The first round is
  // over when the offer has left, too; else it would be taken back by a program that then frees the
  // request.
  std::vector<Part> parts_;
  std::unique_ptr<std::atomic<bool>[]> marked_;
  AllPartsKnown all_known_;
  bool first_round_ = true;
};

Sending::~Sending() {
  parts_.clear();
  if (handover_ != nullptr) handover_->end_send();
  if (offer_.first_tag != 0) tag_ranges_of_rank.get().give_back(offer_.first_tag);
}

Error Sending::open() {
  keep_alive(to_.comm, whole_.type);
  if (to_.rank == MPI_PROC_NULL) return {};
  offer_.partitions = pieces();
  offer_.bytes = whole_.bytes() / pieces();
  if (p2p::Port::of(to_) != nullptr) {
    handover_ = Handover::make(*this, whole_, pieces());
    if (handover_ == nullptr) return request::no_memory();
    offer_.handover = handover_;
  } else if (Error e = open_parts()) {
    return e;
  }
  return p2p::begin(offer_request_, to_, p2p::Mode::kStandard);
}

Error Sending::open_parts() {
  offer_.first_tag = tag_ranges_of_rank.get().take(pieces());
  if (offer_.first_tag == 0) {
    return Error::make(MPI_ERR_OTHER, "no tags are left for %d partitions", pieces());
  }
  marked_.reset(new (std::nothrow) std::atomic<bool>[static_cast<std::size_t>(pieces())]);
  if (marked_ == nullptr) return request::no_memory();
  const auto* const data = static_cast<const std::byte*>(whole_.data);
  const MPI_Count stride = partitions_.elements * whole_.type->extent();
  for (int i = 0; i < pieces(); ++i) {
    const datatype::ConstBuffer piece = {data + i * stride, whole_.count / pieces(), whole_.type};
    request::Request* part = nullptr;
    if (Error e =
            p2p::send_init(piece, {to_.comm, to_.rank, offer_.first_tag + i, to_.plane}, &part))
      return e;
    parts_.push_back(Part::adopt(part));
  }
  adopt(all_known_);
  adopt(offer_request_);
  return {};
}

Error Sending::launch() {
  if (to_.rank == MPI_PROC_NULL) {
    complete();
    return {};
  }
  if (handover_ != nullptr) {
    handover_->begin_send();
  } else {
    for (int i = 0; i < pieces(); ++i) {
      marked_[static_cast<std::size_t>(i)] = false;
      Part& part = parts_[static_cast<std::size_t>(i)];
      part->become_inactive();
      adopt(*part);
    }
    if (std::exchange(first_round_, false)) all_known_.complete();
  }
  return partitions_.count == 0 ? mark(0) : Error();
}

Error Sending::mark(int partition) {
  const auto i = static_cast<std::size_t>(partition);
  const bool fresh = handover_ != nullptr ? handover_->mark(partition) : !marked_[i].exchange(true);
  if (!fresh) {
    return Error::make(MPI_ERR_ARG,
                       "partition %d was marked ready before since the request was started",
                       partition);
  }
  return handover_ != nullptr ? Error() : parts_[i]->start();
}

Error Sending::ready(int first, int last) {
  if (!active()) {
    return Error::make(MPI_ERR_REQUEST,
                       "the request is inactive; start it before its partitions are marked ready");
  }
  if (first > last) {
    return Error::make(MPI_ERR_ARG, "partition_low is %d, above partition_high, %d", first, last);
  }
  if (Error e = check(first)) return e;
  if (Error e = check(last)) return e;
  if (to_.rank == MPI_PROC_NULL) return {};
  for (int i = first; i <= last; ++i) {
    if (Error e = mark(i)) return e;
  }
  return {};
}

}  // namespace

Error send_init(datatype::ConstBuffer data, Partitions partitions, const p2p::Target& to,
                request::Request** request) {
  if (Error e = count_all(*data.type, partitions, &data.count)) return e;
  p2p::Target target = to;
  target.plane = p2p::Plane::kPartitioned;
  auto made = request::make<Sending>(data, partitions, target);
  if (!made) return request::no_memory();
  if (Error e = made->open()) return e;
  *request = made.leak();
  return {};
}

}  // namespace heddle::partitioned
