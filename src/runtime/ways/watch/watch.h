// watch.h — notices that a host of the job has died or is cut off, because neither networks nor
// launchers tell of it.
//
//   host 1 ──┐            a TCP connection of each host to host 0, on which hardly anything is said
//   host 2 ──┼── host 0
//   host 3 ──┘
//
//   what happens to host 2             host 0                                  the others
//   ---------------------------------  --------------------------------------  --------------------
//   it ends in order: kFarewell        forgets it                              hear nothing
//   it ends the job: kAborts           tells the others to end                 end
//   it dies: its connection ends       says so, tells the others to end        end
//   it is cut off: no answer for long  the same                                end
//   host 0 itself dies or is cut off                                           end; host 1 says so
//
// The kernels ask and answer (TCP keepalive), so a stopped process is alive, and no process wakes
// while nothing happens. The limit for an answer is TCP_USER_TIMEOUT's.
//
// Hosts that stand still say so to host 0 by the same connections, and it asks them
// (runtime/judge/deadlock_over_hosts.h): tell(), heard.
//
// A connection counts once both ends have proved that they know the job's secret (net/door); until
// all hosts have done so host 0 has an open port, and then none. Strangers there are bounded
// (door.h).
//
// A connection that has room for a part of a word gets the rest later, by the watch's thread, and
// no other word before it. The last words of a host wait for room, as long as an answer may take.
//
// One thread a process sleeps at the connections. Thread safety: open(), connect() one thread; the
// others any thread.

#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/spin_lock.h"
#include "net/door/door.h"
#include "runtime/ways/watch/words.h"

namespace heddle::watch {

// Called once at most, by the watch's thread.
using Ender = void (*)(int status, const std::string& sentence);  // "": it was said

struct Options {
  int host = 0, hosts = 0;
  door::Secret secret;
  std::string node;       // the name of this one
  bool one_node = false;  // all hosts are on it
  int longest_silence_s = 10;
  Ender end = nullptr;
  std::string (*name_of)(int host) = nullptr;  // as sentences name a host: "rank 3"
  // Called by the watch's thread, with a word that ends nothing; `host` says from which one it
  // comes.
  void (*heard)(void* context, const Word& word, std::string_view text) = nullptr;
  void* context = nullptr;
};

class Watch final : door::Door::Owner {
 public:
  explicit Watch(Options options) noexcept;
  ~Watch();  // without leave(): the others take the host for dead
  Watch(Watch&&) = delete;

  // Called at host 0. Says where the others reach it, as bytes. It hears them from now on.
  Error open(std::string* address);
  // Called at each other host, with what open() has given.
  Error connect(const std::string& address);

  // Any thread; takes no memory. False: it is not said, because there is no connection or much
  // waits there. `text`: at most kLongestText of it.
  bool tell(int host, Word word, std::string_view text = {}) noexcept;

  // This host ends in order. The watch is over.
  void leave() noexcept { tell_all({.kind = WordKind::kFarewell, .host = options_.host}); }
  // This host has said why the job ends. A handler of a signal that has interrupted this call may
  // make it once more, which says nothing.
  void abort(int status) noexcept;

 private:
  struct Peer {
    int descriptor = -1;
    int host = -1;
    std::string node;   // the name of its machine
    std::string words;  // as far as they have come
    bool over = false;  // nothing more is heard of it; its descriptor stays, since it may be in use
  };

  // A connection to those that tell. Constant once it has a descriptor, but for the rest.
  struct Line {
    Line() noexcept {}  // without it a vector would touch all bytes of the text

    std::atomic<int> descriptor{-1};  // -1: none
    // Lock: guards what is said on a connection of the watch, and the rest of a word that found
    // room for a part; held across system calls that do not wait.
    SpinLock lock;
    std::atomic<std::size_t> rest{0};  // bytes; set with the lock
    std::size_t rest_begin = 0;
    char word[sizeof(Word) + kLongestText];
  };

  static void* run(void* watch) noexcept;
  Error start();
  void serve() noexcept;
  void on_guest(int descriptor, int host, const char* node) noexcept override;
  void on_knock(int) noexcept override {}
  bool hear(Peer& peer) noexcept;
  bool heard(const Peer& peer, Word word, std::string_view text) noexcept;
  void lost(const Peer& peer, int error) noexcept;
  void end(int status, const std::string& sentence) noexcept;
  bool say(Line& line, const void* bytes, std::size_t size) noexcept REQUIRES(line.lock);
  static bool say_rest(Line& line) noexcept REQUIRES(line.lock);
  void say_last(Line& line, const Word& word, std::int64_t until_ns) noexcept;
  void tell_all(const Word& word) noexcept;
  void wake_thread() const noexcept;
  void prepare(int descriptor) const noexcept;
  bool greet(int descriptor) noexcept;
  bool connect_to(const door::Ip& address, std::uint16_t port) noexcept;

  const Options options_;
  int waker_ = -1;
  door::Door door_;                // of host 0, the thread's
  std::vector<Peer> peers_;        // the thread's
  std::vector<Line> lines_;        // by host
  std::atomic<bool> over_{false};  // nothing that comes counts any more
  pthread_t thread_ = {};
  bool runs_ = false;
};

}  // namespace heddle::watch
