// cases_test.h — what every transport must do, as tests: those of transport.h that need no faults. A transport's test
// instantiates them with a Net:
//
//   struct Net {
//     std::vector<std::unique_ptr<Transport>> connect(const std::vector<int>& hosts, Opening opening);  // once
//     void cut(int host);                                                                              // see T6
//   };
//
// Thread safety: one thread.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "net/transport/test_support.h"

namespace heddle::transport {

template <class Net>
class EveryTransport : public ::testing::Test {};
TYPED_TEST_SUITE_P(EveryTransport);

TYPED_TEST_P(EveryTransport, DeliversHeadAndBodyAsOnePacket) {
  class Checker final : public Upcall {
   public:
    void on_packet(int channel, int from_host, Bytes packet) noexcept override {
      EXPECT_EQ(channel, 2);
      EXPECT_EQ(from_host, 0);
      ASSERT_EQ(packet.size(), 2 * sizeof(int));
      int both[2];
      std::memcpy(both, packet.data(), sizeof both);
      EXPECT_EQ(both[0], 17);
      EXPECT_EQ(both[1], 4);
      ++calls;
    }
    void on_lost(int, int) noexcept override { ADD_FAILURE(); }
    int calls = 0;
  } checker;
  TypeParam net;
  Recorder ignored;
  auto hosts = net.connect(numbered(2), {.channels = 3});
  auto sender = hosts[0]->open(2, ignored), receiver = hosts[1]->open(2, checker);
  EXPECT_TRUE(sender->try_send(1, bytes_of(17), bytes_of(4)));
  poll_until({sender.get(), receiver.get()}, [&] { return checker.calls > 0; });
  poll_all_of(*receiver);
  EXPECT_EQ(checker.calls, 1);
}

TYPED_TEST_P(EveryTransport, RefusesWhatItHasNoRoomForAndAcceptsItLater) {
  constexpr int kMore = 100'000;  // than any has room for
  TypeParam net;
  Recorder ignored, recorder;
  auto hosts = net.connect(numbered(2), {});
  auto sender = hosts[0]->open(0, ignored), receiver = hosts[1]->open(0, recorder);
  int next = 0;
  while (next < kMore && sender->try_send(1, bytes_of(next), {})) ++next;
  ASSERT_LT(next, kMore);
  const std::initializer_list<Endpoint*> ends = {sender.get(), receiver.get()};
  poll_until(ends, [&] { return sender->try_send(1, bytes_of(next), {}); });
  poll_until(ends, [&] { return recorder.got.size() > static_cast<std::size_t>(next); });
  poll_all_of(*receiver);
  ASSERT_EQ(recorder.got.size(), static_cast<std::size_t>(next) + 1);
  for (int i = 0; i <= next; ++i) ASSERT_EQ(recorder.got[static_cast<std::size_t>(i)].number, i);
}

// Of every length, so that each way of storing a packet has its limits touched. Whole, unchanged, in order.
TYPED_TEST_P(EveryTransport, KeepsOrderAndContentsOfPacketsOfAnyLength) {
  class Checker final : public Upcall {
   public:
    static std::byte byte_of(std::size_t number, std::size_t at) {
      return static_cast<std::byte>(number * 7 + at * 13);
    }
    void on_packet(int, int, Bytes packet) noexcept override {
      ASSERT_EQ(packet.size(), lengths[next]);
      for (std::size_t i = 0; i < packet.size(); ++i) ASSERT_EQ(packet[i], byte_of(next, i));
      ++next;
    }
    void on_lost(int, int) noexcept override { ADD_FAILURE(); }
    std::vector<std::size_t> lengths;
    std::size_t next = 0;
  } checker;
  TypeParam net;
  Recorder ignored;
  auto hosts = net.connect(numbered(2), {});
  auto sender = hosts[0]->open(0, ignored), receiver = hosts[1]->open(0, checker);
  const std::initializer_list<Endpoint*> ends = {sender.get(), receiver.get()};
  const std::size_t most = hosts[0]->traits().packet_bytes;
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) checker.lengths.push_back(bytes);
  for (std::size_t bytes = most; bytes > most / 2; bytes -= 1009) checker.lengths.push_back(bytes);
  for (std::size_t number = 0; number < checker.lengths.size(); ++number) {
    std::vector<std::byte> packet(checker.lengths[number]);
    for (std::size_t i = 0; i < packet.size(); ++i) packet[i] = Checker::byte_of(number, i);
    const Bytes all(packet);
    const std::size_t head = packet.size() / 3;
    poll_until(ends, [&] { return sender->try_send(1, all.first(head), all.subspan(head)); });
  }
  poll_until(ends, [&] { return checker.next >= checker.lengths.size(); });
  EXPECT_EQ(checker.next, checker.lengths.size());
}

// T10: some payloads are given a place, others not; all come once, whole, in order.
TYPED_TEST_P(EveryTransport, WritesPayloadsToTheirPlaces) {
  class Placer final : public Upcall, public Reader {
   public:
    static std::byte byte_of(std::size_t number, std::size_t at) {
      return static_cast<std::byte>(number * 7 + at * 13);
    }
    Landing on_begin(int, int, Bytes begin, std::size_t bytes) noexcept override {
      EXPECT_TRUE(place.empty());  // the one before has come
      EXPECT_EQ(bytes, lengths[next]);
      EXPECT_GE(begin.size(), kBegin);
      check(begin, 0);
      if (next % 3 == 0) return {};
      place.resize(bytes - next % kBegin);
      return {place, this};
    }
    void came(std::size_t bytes) noexcept override {
      EXPECT_EQ(bytes, place.size());
      check(place, lengths[next] - bytes);
      place.clear();
      ++landed, ++next;
    }
    void on_packet(int, int, Bytes packet) noexcept override {
      EXPECT_TRUE(place.empty());
      ASSERT_EQ(packet.size(), lengths[next]);
      check(packet, 0);
      ++next;
    }
    void on_lost(int, int) noexcept override { ADD_FAILURE(); }
    void check(Bytes bytes, std::size_t from) {
      for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], byte_of(next, from + i));
    }
    std::vector<std::size_t> lengths;
    std::vector<std::byte> place;
    std::size_t next = 0, landed = 0;
  } placer;
  TypeParam net;
  Recorder ignored;
  auto hosts = net.connect(numbered(2), {});
  auto sender = hosts[0]->open(0, ignored), receiver = hosts[1]->open(0, placer);
  const std::initializer_list<Endpoint*> ends = {sender.get(), receiver.get()};
  const std::size_t most = hosts[0]->traits().packet_bytes;
  for (std::size_t i = 0; i < 500; ++i) placer.lengths.push_back((i * i * 7919) % (most + 1));
  for (std::size_t number = 0; number < placer.lengths.size(); ++number) {
    std::vector<std::byte> packet(placer.lengths[number]);
    for (std::size_t i = 0; i < packet.size(); ++i) packet[i] = Placer::byte_of(number, i);
    const Bytes all(packet);
    const std::size_t head = packet.size() / 3;
    poll_until(ends, [&] { return sender->try_send(1, all.first(head), all.subspan(head)); });
  }
  poll_until(ends, [&] { return placer.next >= placer.lengths.size(); });
  EXPECT_TRUE(hosts[0]->traits().lands_payloads || placer.landed == 0);
}

TYPED_TEST_P(EveryTransport, LeadsToTheHostsOfItsAddresses) {
  TypeParam net;
  Recorder ignored, recorder;
  auto hosts = net.connect({7, 4}, {});
  auto sender = hosts[0]->open(0, ignored), receiver = hosts[1]->open(0, recorder);
  EXPECT_TRUE(sender->try_send(4, bytes_of(1), {}));
  poll_until({sender.get(), receiver.get()}, [&] { return !recorder.got.empty(); });
  ASSERT_EQ(recorder.got.size(), 1u);
  EXPECT_EQ(recorder.got[0].from, 7);
}

TYPED_TEST_P(EveryTransport, RefusesAddressesThatLeadNowhere) {
  TypeParam net;
  auto hosts = net.connect(numbered(2), {});
  EXPECT_TRUE(hosts[0]->connect(1, {}));
  EXPECT_TRUE(hosts[0]->connect(1, bytes_of(2)));
  EXPECT_TRUE(hosts[0]->connect(1, bytes_of(-1)));
  EXPECT_TRUE(hosts[0]->connect(1, hosts[0]->address()));
}

TYPED_TEST_P(EveryTransport, TellsOnceOfALostHostAndDropsItsPackets) {
  TypeParam net;
  Recorder recorders[3];
  auto hosts = net.connect(numbered(3), {});
  std::unique_ptr<Endpoint> ends[3];
  for (std::size_t i = 0; i < 3; ++i) ends[i] = hosts[i]->open(0, recorders[i]);
  EXPECT_TRUE(ends[1]->try_send(0, bytes_of(1), {}));
  EXPECT_TRUE(ends[2]->try_send(0, bytes_of(2), {}));
  net.cut(1);
  EXPECT_TRUE(ends[1]->try_send(0, bytes_of(3), {}));
  EXPECT_TRUE(ends[0]->try_send(1, bytes_of(4), {}));
  poll_until({ends[0].get(), ends[1].get(), ends[2].get()}, [&] {
    return !recorders[0].lost.empty() && recorders[1].lost.size() >= 2 &&
           !recorders[2].lost.empty() && !recorders[0].got.empty();
  });
  for (auto& end : ends) poll_all_of(*end);
  EXPECT_EQ(recorders[0].lost, (std::vector<int>{1}));
  EXPECT_EQ(recorders[1].lost, (std::vector<int>{0, 2}));
  EXPECT_EQ(recorders[2].lost, (std::vector<int>{1}));
  ASSERT_EQ(recorders[0].got.size(), 1u);
  EXPECT_EQ(recorders[0].got[0].number, 2);
  EXPECT_TRUE(recorders[1].got.empty());
}

TYPED_TEST_P(EveryTransport, AHostThatEndsIsNotLost) {
  constexpr int kMoreThanRoom = 10'000;
  TypeParam net;
  Recorder ignored, recorder;
  auto hosts = net.connect(numbered(2), {});
  auto stays = hosts[0]->open(0, recorder), ends = hosts[1]->open(0, ignored);
  EXPECT_TRUE(ends->try_send(0, bytes_of(1), {}));
  ends = nullptr;
  for (int i = 0; i < kMoreThanRoom; ++i) {
    poll_until({stays.get()}, [&] { return stays->try_send(1, bytes_of(2), {}); });
  }
  poll_until({stays.get()}, [&] { return !recorder.got.empty(); });
  poll_all_of(*stays);
  ASSERT_EQ(recorder.got.size(), 1u);
  EXPECT_EQ(recorder.got[0].number, 1);
  EXPECT_TRUE(recorder.lost.empty());
}

// Of a transport that has reads. In pieces, as many as it takes at a time; of the last one only a part is wanted.
TYPED_TEST_P(EveryTransport, ReadsMemoryThatAnotherHostHasExposed) {
  class Counter final : public Reader {
   public:
    void came(std::size_t bytes) noexcept override { total += bytes; }
    std::size_t total = 0;
  } counter;
  TypeParam net;
  Recorder ignored;
  auto hosts = net.connect(numbered(2), {});
  const std::size_t piece = hosts[0]->traits().read_bytes;
  if (piece == 0) GTEST_SKIP() << "this transport has no reads";
  auto owner = hosts[0]->open(0, ignored), reader = hosts[1]->open(0, ignored);
  const std::initializer_list<Endpoint*> ends = {owner.get(), reader.get()};
  std::vector<std::byte> memory(9 * piece + piece / 3), copy(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  RemoteMemory how;
  ASSERT_TRUE(owner->expose(memory, &how));
  ASSERT_TRUE(how);
  for (std::size_t at = 0; at < memory.size(); at += piece) {
    const std::size_t bytes = std::min(piece, memory.size() - at);
    const std::span<std::byte> into(copy.data() + at, bytes);
    poll_until(ends, [&] { return reader->try_read({0, how, at, into, &counter}); });
  }
  poll_until(ends, [&] { return counter.total == memory.size(); });
  EXPECT_EQ(copy, memory);
  owner->conceal(how);
}

REGISTER_TYPED_TEST_SUITE_P(EveryTransport, DeliversHeadAndBodyAsOnePacket,
                            RefusesWhatItHasNoRoomForAndAcceptsItLater,
                            KeepsOrderAndContentsOfPacketsOfAnyLength,
                            LeadsToTheHostsOfItsAddresses, RefusesAddressesThatLeadNowhere,
                            TellsOnceOfALostHostAndDropsItsPackets, AHostThatEndsIsNotLost,
                            ReadsMemoryThatAnotherHostHasExposed, WritesPayloadsToTheirPlaces);

}  // namespace heddle::transport
