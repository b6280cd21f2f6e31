#include "net/door/door.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

namespace heddle::door {
namespace {

using State = Greeting::State;

constexpr Secret kSecret = {{7, 8}}, kOther = {{7, 9}};

// The vector of SipHash's authors: key and text are 0, 1, 2, …
TEST(Secret, TheHashIsSipHash) {
  Secret secret;
  auto* const key = reinterpret_cast<std::uint8_t*>(secret.words);
  std::byte text[15];
  for (std::size_t i = 0; i < 16; ++i) key[i] = static_cast<std::uint8_t>(i);
  for (std::size_t i = 0; i < 15; ++i) text[i] = static_cast<std::byte>(i);
  EXPECT_EQ(keyed_hash(secret, text), 0xa129ca6149be45e5u);
  EXPECT_EQ(keyed_hash(secret, {}), 0x726fdb47dd0e0e31u);
}

// A network between two ends that may change what passes.
class Wire {
 public:
  using Change = std::function<void(bool from_guest, std::size_t at, std::uint8_t* byte)>;
  explicit Wire(Change change) : change_(std::move(change)) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, guest_), 0);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, door_), 0);
  }
  ~Wire() {
    for (const int each : {guest_[0], guest_[1], door_[0], door_[1]}) close(each);
  }
  int guest() const { return guest_[0]; }
  int door() const { return door_[0]; }
  // Carries what waits, and returns how much.
  std::size_t carry() { return carry(true) + carry(false); }
  const std::vector<std::uint8_t>& said_by(bool guest) const { return said_[guest ? 1 : 0]; }

 private:
  std::size_t carry(bool from_guest) {
    std::uint8_t bytes[256];
    const ssize_t came = recv(from_guest ? guest_[1] : door_[1], bytes, sizeof bytes, MSG_DONTWAIT);
    if (came <= 0) return 0;
    const auto count = static_cast<std::size_t>(came);
    auto& said = said_[from_guest ? 1 : 0];
    for (std::size_t i = 0; i < count; ++i) {
      said.push_back(bytes[i]);
      if (change_) change_(from_guest, said.size() - 1, &bytes[i]);
    }
    EXPECT_EQ(send(from_guest ? door_[1] : guest_[1], bytes, count, 0), came);
    return count;
  }

  const Change change_;
  int guest_[2], door_[2];
  std::vector<std::uint8_t> said_[2];
};

struct Both {
  State guest, door;
};

Both greet(Wire& wire, const Secret& of_guest, const Secret& of_door, int to = 0) {
  Greeting guest(of_guest, {3, "there"}, to, What::kStream);
  Greeting door(of_door, {0, "here"}, What::kStream);
  Both both = {State::kGoesOn, State::kGoesOn};
  do {
    if (both.guest == State::kGoesOn) both.guest = guest.advance(wire.guest());
    if (both.door != State::kGoesOn) continue;
    both.door = door.advance(wire.door());
    if (both.door != State::kKnown) continue;
    EXPECT_EQ(door.host(), 3);
    EXPECT_STREQ(door.node(), "there");
    EXPECT_TRUE(Greeting::welcome(wire.door()));
  } while (wire.carry() > 0);
  if (both.guest == State::kKnown) {
    EXPECT_STREQ(guest.node(), "here");
  }
  return both;
}

TEST(Greeting, TwoThatKnowTheSecretKnowEachOther) {
  Wire wire({});
  const Both both = greet(wire, kSecret, kSecret);
  EXPECT_EQ(both.guest, State::kKnown);
  EXPECT_EQ(both.door, State::kKnown);
}

TEST(Greeting, AGuestSaysNothingMoreToAStranger) {
  Wire wire({});
  const Both both = greet(wire, kSecret, kOther);
  EXPECT_EQ(both.guest, State::kStranger);
  EXPECT_NE(both.door, State::kKnown);
  EXPECT_EQ(wire.said_by(true).size(), sizeof(Hello));
}

TEST(Greeting, AGuestForAnotherHostIsAStranger) {
  Wire wire({});
  EXPECT_EQ(greet(wire, kSecret, kSecret, 1).door, State::kStranger);
}

// Each byte of each word counts, in both directions.
TEST(Greeting, OneChangedByteMakesStrangers) {
  Wire whole({});
  greet(whole, kSecret, kSecret);
  for (const bool of_guest : {true, false}) {
    for (std::size_t i = 0; i < whole.said_by(of_guest).size(); ++i) {
      Wire wire([=](bool from_guest, std::size_t at, std::uint8_t* byte) {
        if (from_guest == of_guest && at == i) *byte ^= 0x20;
      });
      const Both both = greet(wire, kSecret, kSecret);
      EXPECT_NE(both.guest, State::kKnown) << of_guest << " " << i;
      // A host that is not heard to be welcome gives up, and is one that has died.
      const bool is_welcome = !of_guest && i + 1 == whole.said_by(false).size();
      EXPECT_EQ(both.door == State::kKnown, is_welcome) << of_guest << " " << i;
    }
  }
}

TEST(Greeting, WhatWasHeardOnceProvesNothing) {
  Wire heard({});
  greet(heard, kSecret, kSecret);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto& said = heard.said_by(true);
  ASSERT_EQ(write(ends[0], said.data(), said.size()), static_cast<ssize_t>(said.size()));
  Greeting door(kSecret, {0, "here"}, What::kStream);
  State state = State::kGoesOn;
  while (state == State::kGoesOn) state = door.advance(ends[1]);
  EXPECT_EQ(state, State::kStranger);
  for (const int each : ends) close(each);
}

// What a door hands on.
class Guests final : public Door::Owner {
 public:
  void on_guest(int descriptor, int host, const char*) noexcept override {
    EXPECT_TRUE(Greeting::welcome(descriptor));
    close(descriptor);
    hosts.push_back(host);
  }
  void on_knock(int host) noexcept override { knocks.push_back(host); }
  std::vector<int> hosts, knocks;
};

class OpenDoor {
 public:
  OpenDoor() {
    EXPECT_FALSE(find_own_addresses(true, &own_));
    EXPECT_FALSE(door.open(own_, kSecret, 0, "here", What::kStream));
  }
  int connect() {
    const int made = begin_to_connect(own_[0], door.port());
    pollfd waiting = {made, POLLOUT, 0};
    EXPECT_EQ(poll(&waiting, 1, -1), 1);
    EXPECT_EQ(end_of_connect(made), 0);
    return made;
  }
  void serve_all() {
    while (door.serve(guests)) {
    }
  }
  // Until a host of the job is known.
  void let_in(int host) {
    const int made = connect();
    Greeting guest(kSecret, {host, "there"}, 0, What::kStream);
    State state = State::kGoesOn;
    while ((state = guest.advance(made)) == State::kGoesOn) door.serve(guests);
    EXPECT_EQ(state, State::kKnown);
    close(made);
  }
  Door door;
  Guests guests;

 private:
  std::vector<Ip> own_;
};

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST(Door, StrangersTakeNoMoreThanTheirPlacesAndKeepOutNoGuest) {
  OpenDoor open;
  std::mt19937 random(1);
  std::vector<int> strangers;
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 600; ++i) {
    strangers.push_back(open.connect());
    std::vector<std::uint8_t> garbage(random() % 300);
    for (std::uint8_t& byte : garbage) byte = static_cast<std::uint8_t>(random());
    if (i % 3 == 0) {
      EXPECT_GE(send(strangers.back(), garbage.data(), garbage.size(), MSG_NOSIGNAL), 0);
    }
    open.serve_all();
    EXPECT_LE(open_descriptors(), before + strangers.size() + Door::kMostVisitors);
    if (i % 100 == 0) open.let_in(i);
  }
  EXPECT_EQ(open.guests.hosts, (std::vector<int>{0, 100, 200, 300, 400, 500}));
  EXPECT_GT(open.door.turned_away(), 300u);
  for (const int each : strangers) close(each);
}

// The one that comes is turned away, rather than that the door finds it again and again.
TEST(Door, HasNothingToDoWhereTheProcessHasNoDescriptorsLeft) {
  OpenDoor open;
  const int made = open.connect();
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit low = {std::min<rlim_t>(limit.rlim_cur, 256), limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<int> taken;
  while (taken.empty() || taken.back() >= 0) taken.push_back(dup(made));
  open.serve_all();
  EXPECT_EQ(open.door.turned_away(), 1u);
  for (const int each : taken) close(each);
  close(made);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  open.let_in(7);
  EXPECT_EQ(open.guests.hosts, std::vector<int>{7});
}

TEST(Door, AKnockIsHeardAndLeavesNothingBehind) {
  OpenDoor open;
  const std::size_t before = open_descriptors();
  const int made = open.connect();
  Greeting guest(kSecret, {5, "there"}, 0, What::kKnock);
  EXPECT_EQ(guest.advance(made), State::kKnown);
  close(made);
  while (open.guests.knocks.empty()) open.door.serve(open.guests);
  EXPECT_EQ(open.guests.knocks, std::vector<int>{5});
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Addresses, AnInterfaceThatDoesNotExistIsNamed) {
  setenv("FI_TCP_IFACE", "no_such_interface", 1);
  std::vector<Ip> found;
  const Error error = find_own_addresses(false, &found);
  ASSERT_TRUE(error);
  EXPECT_NE(error.text().find("no_such_interface"), std::string_view::npos);
  setenv("FI_TCP_IFACE", "lo", 1);
  EXPECT_FALSE(find_own_addresses(false, &found));
  unsetenv("FI_TCP_IFACE");
}

}  // namespace
}  // namespace heddle::door
