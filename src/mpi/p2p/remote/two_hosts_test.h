// two_hosts_test.h — one host, with a test in place of the other: it reads the packets that come and
// writes its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "exec/rank/rank.h"
#include "exec/ult/poller.h"
#include "exec/ult/strand.h"
#include "mpi/lifetime/making.h"
#include "mpi/p2p/gateway.h"
#include "mpi/p2p/port.h"
#include "mpi/p2p/receive.h"
#include "mpi/p2p/remote/exchange.h"
#include "mpi/p2p/send.h"
#include "net/transport/fake/fabric.h"
#include "net/world/host.h"

namespace heddle::p2p {

inline constexpr int kMe = 0, kPeer = 1, kTag = 5;
inline constexpr std::size_t kPacketBytes = 1000;

using Packet = std::vector<std::byte>;

// The other host: packets in, packets out.
class Peer final : public transport::Upcall {
 public:
  // The transport is connected.
  explicit Peer(transport::Transport& transport) : endpoint_(transport.open(0, *this)) {}

  void on_packet(int, int, Bytes packet) noexcept override {
    arrived_.emplace_back(packet.begin(), packet.end());
  }

  void on_lost(int, int) noexcept override {}

  template <class Head>
  void say(const Head& head, const std::vector<int>& payload = {}) {
    while (!endpoint_->try_send(kMe, bytes_of(head), std::as_bytes(std::span(payload)))) {
      ult::relax();
    }
    for (int i = 0; i < 3; ++i) ult::relax();
  }

  // Waits for a packet, which must be one of these.
  template <class Head>
  Head hear(PacketKind kind, std::vector<int>* payload = nullptr) {
    while (arrived_.empty()) {
      ult::relax();
      endpoint_->poll();
    }
    const Packet packet = std::move(arrived_.front());
    arrived_.pop_front();
    Head head;
    EXPECT_TRUE(read(packet, &head));
    EXPECT_EQ(static_cast<PacketKind>(packet.front()), kind);
    if (payload != nullptr) {
      const auto rest = std::span(packet).subspan(sizeof head);
      payload->resize(rest.size() / sizeof(int));
      std::ranges::copy(rest, std::as_writable_bytes(std::span(*payload)).begin());
    }
    return head;
  }
  bool hears_nothing() {
    for (int i = 0; i < 10; ++i) {
      ult::relax();
      endpoint_->poll();
    }
    return arrived_.empty();
  }

  transport::Endpoint& endpoint() noexcept { return *endpoint_; }

 private:
  std::unique_ptr<transport::Endpoint> endpoint_;
  std::deque<Packet> arrived_;
};

inline std::unique_ptr<gateway::Gateway> open_gateway(world::Job& job, transport::Routes routes) {
  auto gateway = std::make_unique<gateway::Gateway>(std::move(routes));
  attach_to(*gateway, job);
  gateway->open();
  return gateway;
}

class ExchangeTest : public ::testing::Test {
 protected:
  explicit ExchangeTest(const transport::Faults& network = {.packet_bytes = kPacketBytes})
      : fabric_(2, network) {
    job_.process(kMe).receiver = std::make_unique<Port>(2);
    job_.process(kPeer).host = kPeer;
    auto transports = transport::connect_all(fabric_, 2, {.wake = ult::nudge});
    peers_ = std::move(transports[kPeer]);
    peer_ = std::make_unique<Peer>(*peers_);
    host_.set_gateway(open_gateway(job_, transport::routes_by(std::move(transports[kMe]), 2)));
    Rank::enter(&rank_);
    world::here() = {&host_, &job_.process(kMe)};
    const lifetime::Making making;
    auto group = object::Ref<group::Group>::adopt(
        new group::Group({&job_.process(kMe), &job_.process(kPeer)}));
    comm_ = object::Ref<comm::Comm>::adopt(new comm::Comm(1, std::move(group), {}, kMe));
  }
  ~ExchangeTest() override {
    comm_ = {};
    host_.set_gateway(nullptr);
    Rank::enter(nullptr);
  }

  Target to_peer() { return {comm_.get(), kPeer, kTag}; }
  Source from_peer() { return {comm_.get(), kPeer, kTag}; }
  gateway::Gateway& gateway() { return gateway::Gateway::here(); }
  std::uint64_t context() { return to_peer().key().context; }

  OfferPacket offer(int values, Id id) {
    return {.to = kMe,
            .context = context(),
            .source = kPeer,
            .tag = kTag,
            .bytes = values * static_cast<std::int64_t>(sizeof(int)),
            .send_id = id};
  }
  static datatype::Buffer ints(std::vector<int>& values) {
    return {values.data(), static_cast<MPI_Count>(values.size()), &datatype::named(MPI_INT)};
  }

  transport::FakeFabric fabric_;
  world::Host host_{world::kFirstJob, 0, 2};
  world::Job& job_ = host_.job();
  Rank rank_{kMe};
  object::Ref<comm::Comm> comm_;
  std::unique_ptr<transport::Transport> peers_;
  std::unique_ptr<Peer> peer_;
};

}  // namespace heddle::p2p
