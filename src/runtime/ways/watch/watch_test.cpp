#include "runtime/ways/watch/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <fstream>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace heddle::watch {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// What watches have called; in the order of their calls.
class Ends {
 public:
  void note(int status, const std::string& sentence) {
    std::lock_guard guard(mutex_);
    all_.push_back(std::to_string(status) + ": " + sentence);
    changed_.notify_all();
  }
  // What never comes ends with the test's time limit.
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return all_.size() >= count; });
    return std::exchange(all_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> all_;
};
Ends ends;

void note_word(void*, const Word& word, std::string_view text) {
  const char* const kind = word.kind == WordKind::kStill   ? "still"
                           : word.kind == WordKind::kLines ? "lines"
                                                           : "ask";
  ends.note(word.host, std::string(kind) + " " + std::to_string(word.round) + " " +
                           std::to_string(word.given) + " " + std::to_string(word.handled) + " " +
                           std::string(text));
}

constexpr door::Secret kSecret = {{7, 0}};

std::unique_ptr<Watch> make(int host, int hosts, std::uint64_t key = kSecret.words[0],
                            int longest_silence_s = 10) {
  Options options;
  options.host = host;
  options.hosts = hosts;
  options.secret.words[0] = key;
  options.node = "node" + std::to_string(host);
  options.one_node = true;
  options.longest_silence_s = longest_silence_s;
  options.end = [](int status, const std::string& sentence) { ends.note(status, sentence); };
  options.heard = note_word;
  options.name_of = [](int named) { return "rank " + std::to_string(named); };
  return std::make_unique<Watch>(options);
}

std::vector<std::unique_ptr<Watch>> make_all(int hosts) {
  std::vector<std::unique_ptr<Watch>> all;
  std::string address;
  for (int host = 0; host < hosts; ++host) {
    all.push_back(make(host, hosts));
    if (host == 0) {
      EXPECT_FALSE(all[0]->open(&address));
    } else {
      EXPECT_FALSE(all.back()->connect(address));
    }
  }
  return all;
}

TEST(Watch, TellsOfAHostThatDies) {
  auto hosts = make_all(3);
  hosts[1].reset();
  EXPECT_THAT(
      ends.wait_for(2),
      UnorderedElementsAre("1: rank 1 on node node1 ended without calling MPI_Finalize", "1: "));
}

TEST(Watch, HostOneSpeaksOfHostZero) {
  auto hosts = make_all(4);
  hosts[0].reset();
  EXPECT_THAT(ends.wait_for(3),
              UnorderedElementsAre("1: rank 0 on node node0 ended without calling MPI_Finalize",
                                   "1: ", "1: "));
}

TEST(Watch, AHostThatLeavesIsNotLost) {
  auto hosts = make_all(3);
  hosts[1]->leave();
  hosts[1].reset();
  // What host 2 does is heard after it.
  hosts[2].reset();
  EXPECT_THAT(ends.wait_for(1),
              ElementsAre("1: rank 2 on node node2 ended without calling MPI_Finalize"));
  hosts[0]->leave();
}

TEST(Watch, TheOthersHearOfAnAbortAndSayNothing) {
  auto hosts = make_all(3);
  hosts[2]->abort(17);
  EXPECT_THAT(ends.wait_for(2), ElementsAre("17: ", "17: "));
  auto more = make_all(3);
  more[0]->abort(5);
  EXPECT_THAT(ends.wait_for(2), ElementsAre("5: ", "5: "));
}

TEST(Watch, CarriesWordsAndTextInOrder) {
  auto hosts = make_all(3);
  const std::string text(kLongestText, 'x');
  EXPECT_TRUE(hosts[2]->tell(0, {.kind = WordKind::kStill, .round = 1, .given = 2, .handled = 3}));
  EXPECT_TRUE(hosts[2]->tell(0, {.kind = WordKind::kLines}, text + "more"));
  EXPECT_TRUE(hosts[2]->tell(0, {.kind = WordKind::kStill, .round = 4, .given = 5, .handled = 6}));
  EXPECT_THAT(ends.wait_for(3),
              ElementsAre("2: still 1 2 3 ", "2: lines 0 0 0 " + text, "2: still 4 5 6 "));
  EXPECT_TRUE(hosts[0]->tell(1, {.kind = WordKind::kAsk, .round = 7}));
  EXPECT_THAT(ends.wait_for(1), ElementsAre("0: ask 7 0 0 "));
  EXPECT_FALSE(hosts[1]->tell(2, {.kind = WordKind::kAsk})) << "they have no connection";
  hosts[2]->abort(17);
  EXPECT_THAT(ends.wait_for(2), ElementsAre("17: ", "17: "));
  EXPECT_FALSE(hosts[0]->tell(1, {.kind = WordKind::kAsk})) << "it is over";
}

// A connection to where a watch says that it is.
int connected_to(const std::string& address) {
  std::uint16_t port = 0;
  door::Ip ip;
  EXPECT_EQ(address.size(), sizeof port + sizeof ip);
  std::memcpy(&port, address.data(), sizeof port);
  std::memcpy(&ip, address.data() + sizeof port, sizeof ip);
  const int made = door::begin_to_connect(ip, port);
  pollfd waiting = {made, POLLOUT, 0};
  EXPECT_EQ(poll(&waiting, 1, -1), 1);
  return made;
}

// Host 0 as the test plays it: it reads when it likes, and its connection has room for little.
class SlowHost0 {
 public:
  SlowHost0() {
    std::vector<door::Ip> own;
    std::vector<int> doors;
    std::uint16_t port = 0;
    EXPECT_FALSE(door::find_own_addresses(true, &own));
    EXPECT_FALSE(door::listen_at(own, &doors, &port));
    door_ = doors[0];
    address_.assign(reinterpret_cast<const char*>(&port), sizeof port);
    address_.append(reinterpret_cast<const char*>(own.data()), sizeof own[0]);
    const int little = 1;
    setsockopt(door_, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    greeter_ = std::thread([this] { greet(); });
  }
  ~SlowHost0() {
    close(connection_);
    close(door_);
  }

  const std::string& address() const { return address_; }
  // When the other one is connected: its kernel takes few bytes at once.
  void narrow() {
    greeter_.join();
    const int little = 1;
    setsockopt(other_end(), SOL_SOCKET, SO_SNDBUF, &little, sizeof little);
  }
  // When the other one is connected: until its kernel takes nothing. It wakes one that waits for room when a third is free.
  void fill() {
    if (greeter_.joinable()) greeter_.join();
    const std::string some(4096, 'x');
    while (send(other_end(), some.data(), some.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
    }
  }
  void read_until_end() {
    char some[4096];
    while (recv(connection_, some, sizeof some, 0) > 0) {
    }
  }
  std::string read_word() {
    Word word;
    read_all(&word, sizeof word);
    std::string text(word.bytes, '\0');
    read_all(text.data(), text.size());
    return std::to_string(word.round) + " " + text;
  }

 private:
  void greet() {
    while ((connection_ = accept(door_, nullptr, nullptr)) < 0) {
    }
    door::Greeting greeting(kSecret, {0, "node0"}, door::What::kWatch);
    while (greeting.advance(connection_) != door::Greeting::State::kKnown) {
    }
    EXPECT_TRUE(door::Greeting::welcome(connection_));
  }
  // The watch's descriptor.
  int other_end() const {
    sockaddr_in there = {};
    socklen_t size = sizeof there;
    getpeername(connection_, reinterpret_cast<sockaddr*>(&there), &size);
    for (int each = 3; each < 256; ++each) {
      sockaddr_in own = {};
      size = sizeof own;
      if (getsockname(each, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
          own.sin_port == there.sin_port) {
        return each;
      }
    }
    return -1;
  }
  void read_all(void* bytes, std::size_t size) {
    if (size == 0) return;  // it would wait for a byte
    EXPECT_EQ(recv(connection_, bytes, size, MSG_WAITALL), static_cast<ssize_t>(size));
  }

  int door_ = -1, connection_ = -1;
  std::string address_;
  std::thread greeter_;
};

TEST(Watch, AWordThatFindsRoomForAPartIsSaidWhole) {
  SlowHost0 host0;
  auto host1 = make(1, 2);
  ASSERT_FALSE(host1->connect(host0.address()));
  host0.narrow();
  std::mt19937 random(1);
  std::uint64_t number = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> said;
    for (int i = 0; i < 20; ++i) {
      const std::string text(random() % (kLongestText + 1), static_cast<char>('a' + i));
      if (host1->tell(0, {.kind = WordKind::kLines, .round = ++number}, text))
        said.push_back(std::to_string(number) + " " + text);
    }
    for (const std::string& each : said) ASSERT_EQ(host0.read_word(), each);
  }
  const std::string text(kLongestText, 'z');
  while (host1->tell(0, {.kind = WordKind::kLines, .round = 7}, text)) {
  }
  std::thread leaves([&] { host1->leave(); });
  std::string last;
  while ((last = host0.read_word()) == "7 " + text) {
  }
  EXPECT_EQ(last, "0 ");
  leaves.join();
}

// As at the end of patience (exec/crash/patience.h).
Watch* interrupted = nullptr;
std::atomic<bool> has_returned{false};
void abort_once_more(int) {
  interrupted->abort(1);
  has_returned = true;
}

// False: the kernel has found room after all, and nothing was interrupted.
bool interrupt_abort() {
  constexpr int kLonger = 100'000;  // than the test may take
  SlowHost0 host0;
  auto host1 = make(1, 2, 7, kLonger);
  EXPECT_FALSE(host1->connect(host0.address()));
  host0.fill();
  interrupted = host1.get();
  std::atomic<int> kernel_thread{0};
  std::atomic<bool> is_over{false};
  std::thread aborts([&] {
    kernel_thread = gettid();
    host1->abort(1);
    is_over = true;
  });
  while (kernel_thread == 0) {
  }
  // It waits for room: it polls nowhere else.
  for (std::string call; call != std::to_string(SYS_poll) && !is_over;) {
    std::ifstream("/proc/self/task/" + std::to_string(kernel_thread) + "/syscall") >> call;
  }
  if (!is_over) pthread_kill(aborts.native_handle(), SIGUSR1);
  while (!has_returned && !is_over) {
    host0.fill();
  }
  std::thread reads([&] { host0.read_until_end(); });
  aborts.join();
  host1.reset();
  reads.join();
  return has_returned;
}

TEST(Watch, AHandlerThatInterruptsAnAbortMayAbort) {
  std::signal(SIGUSR1, abort_once_more);
  while (!interrupt_abort()) {
  }
  std::signal(SIGUSR1, SIG_DFL);
}

TEST(Watch, WhenHostZeroLeavesItIsOver) {
  auto hosts = make_all(2);
  hosts[0]->leave();
  hosts[0].reset();
  hosts[1].reset();
  auto others = make_all(2);
  others[1].reset();
  EXPECT_THAT(ends.wait_for(1),
              ElementsAre("1: rank 1 on node node1 ended without calling MPI_Finalize"));
}

TEST(Watch, StrangersAreNotHeard) {
  auto host0 = make(0, 2);
  std::string address;
  ASSERT_FALSE(host0->open(&address));
  EXPECT_TRUE(make(1, 2, 8)->connect(address));  // another job's key
  EXPECT_TRUE(make(2, 3)->connect(address));     // a host that there is not
  std::vector<std::string> words = {"", "GET / HTTP/1.0\r\n\r\n", "x"};
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    std::string& garbage = words.emplace_back(random() % 300, '\0');
    for (char& byte : garbage) byte = static_cast<char>(random() % 3 == 0 ? random() : 0);
  }
  for (std::string& each : words) {
    const int stranger = connected_to(address);
    send(stranger, each.data(), each.size(), MSG_NOSIGNAL);
    close(stranger);
  }
  const int silent = connected_to(address);  // it keeps the others from nothing
  auto host1 = make(1, 2);
  EXPECT_FALSE(host1->connect(address));
  EXPECT_TRUE(make(1, 2)->connect(address));  // the door is closed
  host1.reset();
  EXPECT_THAT(ends.wait_for(1),
              ElementsAre("1: rank 1 on node node1 ended without calling MPI_Finalize"));
  close(silent);
}

}  // namespace
}  // namespace heddle::watch
