// process_cases_test.h — what every network between nodes must do for hosts that are processes, as tests. Each test forks them; they exchange
// their addresses through pipes. A network's test instantiates them with a Net:
//
//   struct Net {
//     using Factory = …;
//     static std::unique_ptr<Factory> make(int hosts);        on loopback
//   };
//
// Thread safety: one thread.

#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "net/transport/test_support.h"

namespace heddle::transport {

// What a launcher does for the test: each host has a pipe, into which the others write their addresses.
class Launcher {
 public:
  explicit Launcher(int hosts) : pipes_(static_cast<std::size_t>(hosts)) {
    for (auto& ends : pipes_) {
      if (pipe(ends.data()) != 0) abort();
    }
  }
  ~Launcher() {
    for (auto& ends : pipes_) {
      close(ends[0]);
      close(ends[1]);
    }
  }
  int hosts() const { return static_cast<int>(pipes_.size()); }

  // Blocks until all have said theirs.
  std::vector<Address> exchange(int host, const Address& own) const {
    Message message = {.host = host, .bytes = own.size(), .text = {}};
    std::copy(own.begin(), own.end(), message.text);
    for (const auto& ends : pipes_) {
      if (write(ends[1], &message, sizeof message) != sizeof message) _exit(92);
    }
    std::vector<Address> all(pipes_.size());
    for (std::size_t i = 0; i < pipes_.size(); ++i) {
      if (read(pipes_[static_cast<std::size_t>(host)][0], &message, sizeof message) !=
          sizeof message) {
        _exit(93);
      }
      all[static_cast<std::size_t>(message.host)].assign(message.text,
                                                         message.text + message.bytes);
    }
    return all;
  }

 private:
  struct Message {  // whole or not at all, as it is no longer than PIPE_BUF
    int host;
    std::size_t bytes;
    std::byte text[1024];
  };
  std::vector<std::array<int, 2>> pipes_;
};

template <class Net>
class Host {
 public:
  Host(const Launcher& launcher, int number) : factory_(Net::make(launcher.hosts())) {
    if (factory_->open({.host = number}, &transport_)) _exit(90);
    const std::vector<Address> all = launcher.exchange(number, transport_->address());
    for (int other = 0; other < launcher.hosts(); ++other) {
      if (other == number) continue;
      if (transport_->connect(other, all[static_cast<std::size_t>(other)])) _exit(91);
    }
    endpoint_ = transport_->open(0, recorder_);
  }

  void send(int to, int number, Bytes body = {}) {
    while (!endpoint_->try_send(to, bytes_of(number), body)) endpoint_->poll();
  }
  // Looks once where there is no room.
  bool try_send(int to, int number, Bytes body) {
    if (endpoint_->try_send(to, bytes_of(number), body)) return true;
    endpoint_->poll();
    return false;
  }
  void wait_for(std::size_t packets) {
    while (recorder_.got.size() < packets) {
      endpoint_->poll();
      if (!recorder_.lost.empty()) _exit(94);  // else the rest would never come
    }
  }
  void wait_for_loss() {
    while (recorder_.lost.empty()) endpoint_->poll();
  }
  void lose(int host) { factory_->lose(host); }
  const Recorder& recorder() const { return recorder_; }

 private:
  const std::unique_ptr<typename Net::Factory> factory_;
  Recorder recorder_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Endpoint> endpoint_;
};

template <class Net>
class EveryNetworkOfProcesses : public ::testing::Test {};
TYPED_TEST_SUITE_P(EveryNetworkOfProcesses);

// All hosts send to all others at once, small packets and large ones.
TYPED_TEST_P(EveryNetworkOfProcesses, EachHearsAllOthersInOrder) {
  constexpr int kHosts = 4, kPackets = 2000;
  Launcher launcher(kHosts);
  std::vector<pid_t> children;
  children.reserve(kHosts);
  for (int number = 0; number < kHosts; ++number) {
    children.push_back(start([=, &launcher] {
      Host<TypeParam> host(launcher, number);
      const std::vector<std::byte> body(10'000);
      for (int i = 0; i < kPackets; ++i) {
        for (int to = 0; to < kHosts; ++to) {
          const std::size_t bytes = static_cast<std::size_t>(i) % 10 * 1000;
          if (to != number) host.send(to, i, Bytes(body).first(bytes));
        }
      }
      host.wait_for(std::size_t{kPackets} * (kHosts - 1));
      std::vector<int> next(kHosts, 0);
      return std::all_of(host.recorder().got.begin(), host.recorder().got.end(),
                         [&](const Recorder::Got& got) {
                           const int number_due = next[static_cast<std::size_t>(got.from)]++;
                           const auto bytes = static_cast<std::size_t>(number_due) % 10 * 1000;
                           return got.number == number_due && got.bytes == sizeof(int) + bytes;
                         }) &&
             host.recorder().lost.empty();
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
}

// What a host has sent before it ends arrives, although its receiver looks later and writes to it meanwhile.
TYPED_TEST_P(EveryNetworkOfProcesses, WhatWasSentBeforeTheEndArrives) {
  constexpr int kPackets = 30;  // fewer than the window
  Launcher launcher(2);
  const pid_t ends = start([&] {
    Host<TypeParam> host(launcher, 0);
    for (int i = 0; i < kPackets; ++i) host.send(1, i);
    return true;
  });
  const pid_t stays = start([&] {
    Host<TypeParam> host(launcher, 1);
    host.wait_for(kPackets);
    for (int i = 0; i < 1000; ++i) host.send(0, i);
    return host.recorder().got.size() == kPackets && host.recorder().lost.empty();
  });
  EXPECT_EQ(status_of(ends), 0);
  EXPECT_EQ(status_of(stays), 0);
}

// The launcher sees the death, because the fabric may not; this process is the launcher and tells by a signal.
TYPED_TEST_P(EveryNetworkOfProcesses, AKilledHostDoesNotHoldUpItsPeer) {
  static volatile sig_atomic_t told_by_launcher = 0;
  Launcher launcher(2);
  const pid_t killed = start([&]() -> bool {
    Host<TypeParam> host(launcher, 0);
    host.send(1, 1);
    for (;;) host.wait_for(1 << 30);
  });
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t told = start([&] {
    signal(SIGUSR1, [](int) { told_by_launcher = 1; });
    Host<TypeParam> host(launcher, 1);
    host.wait_for(1);
    if (write(ready[1], "", 1) != 1) return false;
    const std::vector<std::byte> body(10'000);
    bool lost = false;
    for (int i = 0; i < 100'000; ++i) {  // more than any window and the kernel's buffers take
      while (!host.try_send(0, i, body)) {
        if (told_by_launcher != 0 && !lost) host.lose(0);
        lost = lost || told_by_launcher != 0;
      }
    }
    while (told_by_launcher == 0) {
    }
    host.lose(0);
    host.wait_for_loss();
    return host.recorder().lost == std::vector<int>{0};
  });
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(killed, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(status_of(killed)));
  kill(told, SIGUSR1);
  EXPECT_EQ(status_of(told), 0);
  close(ready[0]);
  close(ready[1]);
}

REGISTER_TYPED_TEST_SUITE_P(EveryNetworkOfProcesses, EachHearsAllOthersInOrder,
                            WhatWasSentBeforeTheEndArrives, AKilledHostDoesNotHoldUpItsPeer);

}  // namespace heddle::transport
