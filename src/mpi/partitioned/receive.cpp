// The receiver's side.
//
//   the offer has come   Start
//   -------------------  --------------------------------------------------------------------------
//   yes                  begins the round
//   not yet              a helper of the rank waits for the offer and begins it (coll/helper.h)

#include "mpi/p2p/receive.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/coll/helper.h"
#include "mpi/partitioned/handover.h"
#include "mpi/partitioned/operation.h"

namespace heddle::partitioned {

namespace {

class Receiving final : public Operation, private coll::Task {
 public:
  Receiving(datatype::Buffer whole, Partitions partitions, const p2p::Source& from) noexcept
      : Operation(partitions),
        whole_(whole),
        from_(from),
        offer_request_(datatype::bytes_at(&offer_, sizeof offer_), from) {}
  ~Receiving() override;

  void open() noexcept {
    keep_alive(from_.comm, whole_.type);
    if (from_.rank != MPI_PROC_NULL) p2p::begin(offer_request_);
  }

  Error ready(int, int) override {
    return Error::make(MPI_ERR_REQUEST, "MPI_Pready was called with a receive request");
  }
  Error arrived(int partition, bool* flag) override;
  Error verdict() const override;
  Error refuse_to_end() const override { return Operation::refuse_to_end(); }
  std::string awaited() const override { return "partitions " + p2p::from_rank(from_.pattern()); }

 private:
  Error launch() override;
  void parts_completed() noexcept override;

  // The helper's.
  void carry_out() noexcept override { offer_request_.wait(); }
  void complete() noexcept override { begin_after_offer(); }

  MPI_Count sent() const noexcept { return offer_.partitions * offer_.bytes; }
  MPI_Count taken() const noexcept { return std::min(sent(), whole_.bytes()); }
  void begin_after_offer() noexcept;
  void begin_parts() noexcept;
  Error make_parts();
  // Where the bytes of a partition of the sender go.
  datatype::Buffer place_of(int piece) const noexcept;
  // True if these bytes have come from another host. Where all have, the round is over, as I4 of
  // handover.h has it on one host.
  bool have_come(MPI_Count begin, MPI_Count end) noexcept;
  bool parts_are_done(MPI_Count begin, MPI_Count end) const noexcept;

  const datatype::Buffer whole_;
  const p2p::Source from_;
  Offer offer_;
  p2p::ReceiveRequest offer_request_;
  coll::Seat seat_;  // its own: no other operation is to wait for the offer
  std::uint64_t round_ = 0;
  Error error_;

  // From another host: persistent receives of the sender's partitions, and one part more that is
  // complete when all of them have started, so that the round is not over earlier.
  std::vector<Part> parts_;
  AllPartsKnown all_known_;
  std::atomic<bool> started_{false};
  // Where the bytes are until the round is over, if a partition ends inside an element of the
  // receiver's type.
  std::unique_ptr<std::byte[]> packed_;
};

Receiving::~Receiving() {
  parts_.clear();
  if (offer_request_.done() && offer_.handover != nullptr) offer_.handover->end_receive();
}

Error Receiving::launch() {
  if (from_.rank == MPI_PROC_NULL) {
    outcome_for_writing() = request::kFromNobody;
    Request::complete();
    return {};
  }
  ++round_;
  error_ = {};
  started_.store(false, std::memory_order_relaxed);
  if (offer_request_.done()) {
    begin_after_offer();
    return {};
  }
  return coll::helpers_of_rank.get().add(seat_, *this) ? Error() : request::no_memory();
}

void Receiving::begin_after_offer() noexcept {
  request::Outcome& outcome = outcome_for_writing();
  outcome.source = from_.rank;
  outcome.tag = from_.tag;
  outcome.bytes = taken();
  if (sent() > whole_.bytes()) {
    error_ = Error::make(MPI_ERR_TRUNCATE,
                         "the partitioned send from rank %d with tag %d has %lld bytes, but the "
                         "receive buffer has room for %lld",
                         from_.rank, from_.tag, static_cast<long long>(sent()),
                         static_cast<long long>(whole_.bytes()));
  }
  outcome.error_class = error_ ? error_.error_class() : MPI_SUCCESS;
  if (offer_.handover != nullptr) {
    offer_.handover->begin_receive(*this, whole_);
  } else {
    begin_parts();
  }
}

void Receiving::begin_parts() noexcept {
  if (parts_.empty()) {
    if (Error e = make_parts()) {
      error_ = std::move(e);
      parts_.clear();
    }
  }
  all_known_.completion().reset();
  adopt(all_known_);
  for (const Part& part : parts_) {
    part->become_inactive();
    adopt(*part);
  }
  for (const Part& part : parts_) {
    if (Error e = part->start()) error_ = std::move(e);
  }
  started_.store(true, std::memory_order_release);
  all_known_.complete();
}

Error Receiving::make_parts() {
  const bool whole_elements = offer_.bytes % std::max<MPI_Count>(whole_.type->size(), 1) == 0;
  if (!whole_elements && datatype::adjacent(whole_) == nullptr) {
    packed_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(taken())]);
    if (packed_ == nullptr) return request::no_memory();
  }
  for (int i = 0; i < offer_.partitions; ++i) {
    request::Request* part = nullptr;
    const p2p::Source from = {from_.comm, from_.rank, offer_.first_tag + i, from_.plane};
    if (Error e = p2p::recv_init(place_of(i), from, &part)) return e;
    parts_.push_back(Part::adopt(part));
  }
  return {};
}

datatype::Buffer Receiving::place_of(int piece) const noexcept {
  const MPI_Count skip = piece * offer_.bytes;
  const MPI_Count bytes = std::min(offer_.bytes, whole_.bytes() - skip);
  if (bytes <= 0) return datatype::nothing();
  if (packed_ != nullptr) return datatype::bytes_at(packed_.get() + skip, bytes);
  if (const void* const first = datatype::adjacent(whole_)) {
    return datatype::bytes_at(static_cast<std::byte*>(const_cast<void*>(first)) + skip, bytes);
  }
  const MPI_Count size = whole_.type->size();
  return {static_cast<std::byte*>(whole_.data) + skip / size * whole_.type->extent(), bytes / size,
          whole_.type};
}

void Receiving::parts_completed() noexcept {
  if (packed_ != nullptr) datatype::unpack(whole_, 0, packed_.get(), taken());
  if (error_) outcome_for_writing().error_class = error_.error_class();
}

bool Receiving::have_come(MPI_Count begin, MPI_Count end) noexcept {
  if (packed_ != nullptr || !started_.load(std::memory_order_acquire)) return false;
  return parts_are_done(begin, end) && (!parts_are_done(0, sent()) || done());
}

bool Receiving::parts_are_done(MPI_Count begin, MPI_Count end) const noexcept {
  end = std::min(end, sent());
  if (begin >= end) return true;
  for (MPI_Count i = begin / offer_.bytes; i * offer_.bytes < end; ++i) {
    if (!parts_[static_cast<std::size_t>(i)]->done()) return false;
  }
  return true;
}

Error Receiving::arrived(int partition, bool* flag) {
  if (Error e = check(partition)) return e;
  *flag = true;
  if (!active() || done()) return {};
  *flag = false;
  if (!offer_request_.done()) return {};
  const MPI_Count bytes = whole_.bytes() / partitions_.count, begin = partition * bytes;
  if (bytes == 0) return {};  // it overlaps with nothing, and has arrived when the round is over
  *flag = offer_.handover != nullptr ? offer_.handover->has(round_, begin, begin + bytes)
                                     : have_come(begin, begin + bytes);
  return {};
}

Error Receiving::verdict() const {
  if (!error_) return {};
  const std::string_view text = error_.text();
  return Error::make(error_.error_class(), "%.*s", static_cast<int>(text.size()), text.data());
}

}  // namespace

Error recv_init(datatype::Buffer data, Partitions partitions, const p2p::Source& from,
                request::Request** request) {
  if (Error e = count_all(*data.type, partitions, &data.count)) return e;
  p2p::Source source = from;
  source.plane = p2p::Plane::kPartitioned;
  auto made = request::make<Receiving>(data, partitions, source);
  if (!made) return request::no_memory();
  made->open();
  *request = made.leak();
  return {};
}

}  // namespace heddle::partitioned
