#include "net/transport/shm/shm.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::transport {

namespace {

// The address of a host.
struct Card {
  std::uint64_t mark = 0;
  std::int32_t host = 0;
  std::int32_t unused = 0;
};

// One look takes at most this many packets of a host, so that all get their turn.
constexpr int kPacketsPerLook = 16;

class ShmTransport final : public Transport {
 public:
  ShmTransport(const Opening& opening, std::shared_ptr<Segment> segment, Sleepers sleepers) noexcept
      : Transport(opening),
        segment_(std::move(segment)),
        sleepers_(sleepers),
        connected_(static_cast<std::size_t>(segment_->shape().hosts)) {}

  Traits traits() const noexcept override {
    return {.packet_bytes = segment_->shape().packet_bytes(),
            .tells_of_room = true,
            .wakes_hosts = true};
  }
  Address address() const override;
  Error connect(int host, Bytes address) override;
  std::unique_ptr<Endpoint> open(int channel, Upcall& upcall) override;

  Segment& segment() const noexcept { return *segment_; }
  bool leads_to(int host) const noexcept { return connected_[static_cast<std::size_t>(host)]; }

  void wake_host(int host) const noexcept override {
    if (sleepers_ == Sleepers::kHere) {
      opening().wake();
    } else {
      segment_->bell(host).ring_if_awaited();
    }
  }

 private:
  const std::shared_ptr<Segment> segment_;
  const Sleepers sleepers_;
  std::vector<bool> connected_;  // by host
};

class ShmEndpoint final : public Endpoint {
 public:
  ShmEndpoint(const ShmTransport& transport, int channel, Upcall& upcall)
      : transport_(transport),
        segment_(transport.segment()),
        channel_(channel),
        upcall_(upcall),
        peers_(static_cast<std::size_t>(segment_.shape().hosts)) {}
  ~ShmEndpoint() override;

  bool try_send(int to_host, Bytes head, Bytes body) noexcept override;
  bool poll() noexcept override;

 private:
  struct Peer {
    std::unique_ptr<RingWriter> writer;  // once packets went there
    std::optional<RingReader> reader;    // once packets came from there
    bool loss_reported = false;
  };

  Peer& peer(int host) noexcept { return peers_[static_cast<std::size_t>(host)]; }
  bool is_cut_off(int host) noexcept {
    return segment_.losses() != 0 &&
           (segment_.is_lost(host) || segment_.is_lost(transport_.host()));
  }
  RingWriter& writer_to(int host) noexcept;
  RingReader& reader_of(int host) noexcept;
  template <class Visit>
  void for_each_writer(Visit&& visit) noexcept;
  bool read_from(int host) noexcept;
  void give_room(RingReader& reader, int host) const noexcept {
    if (reader.free()) transport_.wake_host(host);
  }
  bool tell_losses() noexcept;

  const ShmTransport& transport_;
  Segment& segment_;
  const int channel_;
  Upcall& upcall_;
  std::vector<Peer> peers_;  // by host
  std::uint32_t losses_seen_ = 0;
};

Address address_in(const Segment& segment, int host) {
  const Card card{.mark = segment.mark(), .host = host};
  Address address(sizeof card);
  std::memcpy(address.data(), &card, sizeof card);
  return address;
}

Address ShmTransport::address() const {
  return address_in(*segment_, host());
}

Error ShmTransport::connect(int host, Bytes address) {
  Card card;
  const bool readable = address.size() == sizeof card;
  if (readable) std::memcpy(&card, address.data(), sizeof card);
  if (!readable || card.mark != segment_->mark() || card.host != host || host == this->host() ||
      host < 0 || host >= segment_->shape().hosts) {
    return Error::make(kErrorOther, "host %d has no such address in this shared memory", host);
  }
  connected_[static_cast<std::size_t>(host)] = true;
  return {};
}

std::unique_ptr<Endpoint> ShmTransport::open(int channel, Upcall& upcall) {
  return std::make_unique<ShmEndpoint>(*this, channel, upcall);
}

// Tells writers that wait for room: now there is room for all that they write (T7). Either this
// sees the wish or the writer sees the end: both are seq_cst.
ShmEndpoint::~ShmEndpoint() {
  segment_.end(transport_.host(), channel_);
  for_each_writer([this](int host) {
    if (reader_of(host).has_wish()) transport_.wake_host(host);
  });
}

RingWriter& ShmEndpoint::writer_to(int host) noexcept {
  Peer& to = peer(host);
  if (to.writer == nullptr) {
    Ring& ring = segment_.ring(host, channel_, transport_.host());
    to.writer = std::make_unique<RingWriter>(ring, segment_.shape().data_bytes());
    const auto self = static_cast<std::size_t>(transport_.host());
    // seq_cst, with asleep_: a packet counts only once its writer is known (bell.h).
    segment_.writers(host, channel_, self / 64)
        .fetch_or(std::uint64_t{1} << self % 64, std::memory_order_seq_cst);
  }
  return *to.writer;
}

bool ShmEndpoint::try_send(int to_host, Bytes head, Bytes body) noexcept {
  assert(head.size() + body.size() <= segment_.shape().packet_bytes());
  if (is_cut_off(to_host)) return true;  // T6
  if (!writer_to(to_host).try_write(head, body)) {
    return segment_.has_ended(to_host, channel_);  // T7
  }
  transport_.wake_host(to_host);
  return true;
}

template <class Visit>
void ShmEndpoint::for_each_writer(Visit&& visit) noexcept {
  const std::size_t words = segment_.shape().writer_words();
  for (std::size_t word = 0; word < words; ++word) {
    std::uint64_t bits = segment_.writers(transport_.host(), channel_, word)
                             .load(std::memory_order_seq_cst);  // with asleep_, see bell.h
    for (; bits != 0; bits &= bits - 1) {
      const auto host = static_cast<int>(word * 64) + std::countr_zero(bits);
      if (host < segment_.shape().hosts) visit(host);
    }
  }
}

bool ShmEndpoint::poll() noexcept {
  bool progress = tell_losses();
  for_each_writer([&](int host) { progress |= read_from(host); });
  return progress;
}

RingReader& ShmEndpoint::reader_of(int host) noexcept {
  Peer& from = peer(host);
  if (!from.reader) {
    from.reader.emplace(segment_.ring(transport_.host(), channel_, host),
                        segment_.shape().data_bytes());
  }
  return *from.reader;
}

bool ShmEndpoint::read_from(int host) noexcept {
  if (peer(host).loss_reported) return false;
  RingReader& reader = reader_of(host);
  if (!reader.has_packet()) return false;
  bool sane = true;
  for (int i = 0; i < kPacketsPerLook && sane && reader.has_packet(); ++i) {
    Bytes packet;
    sane = reader.read(&packet);
    if (sane) upcall_.on_packet(channel_, host, packet);
    reader.take(packet.size());
    if (reader.holds_much()) give_room(reader, host);
  }
  give_room(reader, host);
  if (!sane) segment_.lose(host);
  return true;
}

// T6: also if this host itself is lost to the others.
bool ShmEndpoint::tell_losses() noexcept {
  const std::uint32_t losses = segment_.losses();
  if (losses_seen_ == losses) return false;
  losses_seen_ = losses;
  bool any = false;
  for (int host = 0; host < segment_.shape().hosts; ++host) {
    if (!transport_.leads_to(host) || peer(host).loss_reported || !is_cut_off(host)) continue;
    peer(host).loss_reported = true;
    any = true;
    upcall_.on_lost(channel_, host);
  }
  return any;
}

}  // namespace

Error ShmFactory::open(const Opening& opening, std::unique_ptr<Transport>* made) {
  const Shape shape{hosts_, opening.channels};
  assert(opening.channels <= Segment::kMostChannels && opening.host < hosts_);
  if (segment_ == nullptr) {
    if (Error e = Segment::open(descriptor_, shape, &segment_)) return e;
  }
  *made = std::make_unique<ShmTransport>(opening, segment_, sleepers_);
  return {};
}

Address ShmFactory::address_of(int host) const {
  return address_in(*segment_, host);
}

}  // namespace heddle::transport
