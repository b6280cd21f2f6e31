#include "mpi/p2p/receive_request.h"

#include <cstdlib>

#include "exec/ult/ult.h"
#include "mpi/comm/comm.h"
#include "mpi/match/matcher.h"
#include "mpi/p2p/message.h"

namespace heddle::p2p {

template <void (&kMove)(datatype::ConstBuffer, datatype::Buffer, MPI_Count) noexcept>
[[gnu::always_inline]] inline void ReceiveRequest::take_by(const match::Envelope& envelope,
                                                           datatype::ConstBuffer data) noexcept {
  const MPI_Count bytes = admit(envelope);
  if (box_room != Box::kUnused) {
    boxed = true;
    transfer(data, {box, bytes, &datatype::named(MPI_BYTE)}, bytes);
  } else if (worker_ != kNotPacked && take_packed(data, bytes)) [[unlikely]] {
    boxed = true;
  } else {
    kMove(data, buffer_, bytes);
  }
}

void ReceiveRequest::take_over(const match::Envelope& envelope,
                               datatype::ConstBuffer data) noexcept {
  take_by<transfer>(envelope, data);
}

void ReceiveRequest::take_pushed(const match::Envelope& envelope,
                                 datatype::ConstBuffer data) noexcept {
  take_by<push>(envelope, data);
}

void ReceiveRequest::take_arrived(const match::Envelope& envelope,
                                  datatype::ConstBuffer data) noexcept {
  take_by<transfer_here>(envelope, data);
}

std::span<std::byte> ReceiveRequest::place_for(MPI_Count bytes) const noexcept {
  if (bytes > buffer_.bytes()) return {};
  const auto* const adjacent = static_cast<const std::byte*>(datatype::adjacent(buffer_));
  if (adjacent == nullptr) return {};
  auto* const begin = static_cast<std::byte*>(buffer_.data);
  return {begin + (adjacent - begin), static_cast<std::size_t>(bytes)};
}

namespace {
// How long payloads are that go packed; both cores share the copy of longer ones. For shorter ones
// an allocation costs what it saves.
constexpr MPI_Count kLeastPacked = 256, kMostPacked = kSlice;
// Runs of a cache line and more are better copied in place: the payload crosses once, not there and
// back.
constexpr MPI_Count kShortRun = 32;
}  // namespace

[[gnu::noinline]] void ReceiveRequest::allow_packed() noexcept {
  if (buffer_.bytes() < kLeastPacked || datatype::mean_run(buffer_) > kShortRun) return;
  if (const ult::Ult* const waits = ult::current()) worker_ = ult::worker_of(*waits);
}

[[gnu::noinline]] bool ReceiveRequest::take_packed(datatype::ConstBuffer data,
                                                   MPI_Count bytes) noexcept {
  if (bytes < kLeastPacked || bytes > kMostPacked) return false;
  const ult::Ult* const brings = ult::current();
  if (brings != nullptr && ult::worker_of(*brings) == worker_) return false;
  packed_ = std::malloc(static_cast<std::size_t>(bytes));
  if (packed_ == nullptr) return false;
  transfer(data, datatype::bytes_at(packed_, bytes), bytes);
  return true;
}

[[gnu::noinline]] void ReceiveRequest::unpack() noexcept {
  datatype::unpack(buffer_, 0, packed_, outcome().bytes);
}

void ReceiveRequest::drop_packed() noexcept {
  std::free(packed_);
}

void ReceiveRequest::end_cancelled() noexcept {
  outcome_for_writing().cancelled = true;
  complete();
}

std::string message_that_fits(const match::Pattern& wanted) {
  return "a message " + from_rank(wanted);
}

namespace {
std::string name(int number, int wildcard, const char* word) {
  return number == wildcard ? std::string(word) : std::to_string(number);
}
}  // namespace

std::string with_tag(std::uint64_t context, int tag) {
  return "with tag " + name(tag, MPI_ANY_TAG, "MPI_ANY_TAG") + " (" +
         comm::in_report(context >> match::kPlaneBits) + ")";
}

std::string from_rank(const match::Pattern& wanted) {
  return "from rank " + name(wanted.source, MPI_ANY_SOURCE, "MPI_ANY_SOURCE") + " " +
         with_tag(wanted.context, wanted.tag);
}

Error ReceiveRequest::verdict() const {
  if (outcome().error_class == MPI_SUCCESS) [[likely]]
    return {};
  return Error::make(outcome().error_class,
                     "the message from rank %d with tag %d has %lld bytes, but the receive buffer "
                     "has room for %lld",
                     outcome().source, outcome().tag, static_cast<long long>(incoming_bytes_),
                     static_cast<long long>(buffer_.bytes()));
}

void ReceiveRequest::cancel() noexcept {
  if (match::Matcher::cancel(*this)) end_cancelled();
}

void ReceiveRequest::stand_alone() noexcept {
  if (lane != nullptr && lane->ring_is_open()) match::Matcher::close_ring(*lane);
}

void ReceiveRequest::look() noexcept {
  if (lane == nullptr) return;
  const match::EagerRing* const ring = lane->open_ring.load(std::memory_order_acquire);
  if (ring != nullptr && ring->front() != nullptr) match::Matcher::read_ring(*lane);
}

// `lane` it reads first: once it is done, another core had that line last. If the ring is closed
// now, it stays so while this receive is posted.
bool ReceiveRequest::spin() noexcept {
  match::Lane* const its = lane;
  if (its == nullptr) return completion().spin();
  const bool done = its->ring_is_open() ? spin_on_ring(*its) : completion().spin();
  if (done) {
    note_spin(*its);
  } else {
    its->forget_spins();
  }
  return done;
}

[[gnu::noinline]] bool ReceiveRequest::spin_on_ring(match::Lane& its) noexcept {
  while (!completion().done()) {
    const match::EagerRing* const ring = its.open_ring.load(std::memory_order_acquire);
    if (ring == nullptr) return completion().spin();
    if (ring->front() != nullptr) {
      // If no receive is posted, a sender is about to complete this one, and ring messages are for
      // receives to come.
      if (!match::Matcher::read_ring(its)) return completion().done() || completion().spin();
      continue;
    }
    // A ring message that has come since then has come to this number, too.
    const auto [word, number] = ring->awaited();
    if (!completion().spin({word, number})) {
      match::Matcher::close_ring(its);
      return false;
    }
  }
  return true;
}

// Ring messages pay for messages that fit into them, and there are none from other hosts.
void ReceiveRequest::note_spin(match::Lane& its) const noexcept {
  if (from_this_host && outcome().bytes <= match::EagerSlot::kMost) {
    its.count_spin();
  } else {
    its.forget_spins();
    if (its.ring_is_open()) match::Matcher::close_ring(its);
  }
}

}  // namespace heddle::p2p
