// test_support.h — what tests of transports need: a layer above that keeps what comes.
//
// Thread safety: one thread.

#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <vector>

#include "net/transport/factory.h"
#include "net/transport/transport.h"

namespace heddle::transport {

// Keeps what an endpoint delivers; packets begin with a number.
class Recorder final : public Upcall {
 public:
  struct Got {
    int channel, from;
    int number;
    std::size_t bytes;
  };
  void on_packet(int channel, int from_host, Bytes packet) noexcept override {
    Got& one = got.emplace_back(Got{channel, from_host, 0, packet.size()});
    ASSERT_GE(packet.size(), sizeof one.number);
    std::memcpy(&one.number, packet.data(), sizeof one.number);
  }
  void on_lost(int, int host) noexcept override { lost.push_back(host); }
  std::vector<Got> got;
  std::vector<int> lost;
};

inline Bytes bytes_of(const int& number) {
  return std::as_bytes(std::span(&number, 1));
}

inline std::vector<int> numbered(int hosts) {
  std::vector<int> numbers(static_cast<std::size_t>(hosts));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Makes each of the transports reachable for each other one.
inline void connect_each(const std::vector<std::unique_ptr<Transport>>& all) {
  for (const auto& from : all) {
    for (const auto& to : all) {
      if (from == to) continue;
      EXPECT_FALSE(from->connect(to->host(), to->address()));
    }
  }
}

// Opens one for each host, and makes each reachable for the others.
template <class Factory>
std::vector<std::unique_ptr<Transport>> open_all(Factory& factory, const std::vector<int>& hosts,
                                                 Opening opening) {
  std::vector<std::unique_ptr<Transport>> made(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    opening.host = hosts[i];
    EXPECT_FALSE(factory.open(opening, &made[i]));
  }
  connect_each(made);
  return made;
}

// A child process of the test, which ends with 0 if `child` returns true; and its end.
inline pid_t start(const std::function<bool()>& child) {
  const pid_t made = fork();
  if (made == 0) _exit(child() ? 0 : 1);
  return made;
}
inline int status_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// Polls both ends until something has happened that must: packets of a network are under way for a
// while. What never happens ends with the test's time limit.
template <class Done>
void poll_until(std::initializer_list<Endpoint*> ends, Done done) {
  while (!done()) {
    for (Endpoint* end : ends) end->poll();
  }
}

inline void poll_all_of(Endpoint& endpoint) {
  while (endpoint.poll()) {
  }
}

}  // namespace heddle::transport
