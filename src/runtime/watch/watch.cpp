#include "runtime/watch/watch.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/platform/foreign.h"
#include "runtime/watch/addresses.h"

namespace heddle::watch {

namespace {

constexpr int kLongestGreetingMs = 10'000;
// Host 1 speaks of host 0; the others give it time to.
constexpr int kPatienceMs = 500;

bool read_whole(int descriptor, void* bytes, std::size_t size) noexcept {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    pollfd waiting = {descriptor, POLLIN, 0};
    if (poll(&waiting, 1, kLongestGreetingMs) != 1) return false;
    const ssize_t came = recv(descriptor, at, size, 0);
    if (came < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (came <= 0) return false;
    at += came;
    size -= static_cast<std::size_t>(came);
  }
  return true;
}

// What is said fits into a connection's buffer.
bool say(int descriptor, const void* bytes, std::size_t size) noexcept {
  return send(descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(size);
}

Hello hello_of(const Options& options) noexcept {
  Hello hello;
  hello.key = options.key;
  hello.host = options.host;
  options.node.copy(hello.node, sizeof hello.node - 1);
  return hello;
}

}  // namespace

Watch::Watch(Options options) noexcept
    : options_(std::move(options)), lines_(static_cast<std::size_t>(options_.hosts)) {
  for (auto& line : lines_) line.store(-1, std::memory_order_relaxed);
}

Watch::~Watch() {
  over_ = true;
  if (runs_) {
    platform::count_own_thread(-1);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t told = write(stopper_, &one, sizeof one);
    pthread_join(thread_, nullptr);
  }
  for (const Peer& peer : peers_) close(peer.descriptor);
  if (door_ >= 0) close(door_);
  if (stopper_ >= 0) close(stopper_);
}

Error Watch::start() {
  stopper_ = eventfd(0, EFD_CLOEXEC);
  // Signals of the program go to its own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&thread_, nullptr, run, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  runs_ = error == 0;
  if (runs_) platform::count_own_thread(1);
  if (runs_ && stopper_ >= 0) return {};
  return Error::make(kErrorOther, "no thread for the watch over the job's hosts");
}

Error Watch::open(std::string* address) {
  if (Error e = listen_somewhere(options_.one_node, &door_, address)) return e;
  return start();
}

Error Watch::connect(const std::string& address) {
  if (Error e = connect_to(address, shake_hands, this)) return e;
  return start();
}

bool Watch::shake_hands(int descriptor, void* watch) {
  Watch& self = *static_cast<Watch*>(watch);
  const Hello hello = hello_of(self.options_);
  Peer host0{.descriptor = descriptor, .host = 0};
  const bool known = say(descriptor, &hello, sizeof hello) &&
                     read_whole(descriptor, &host0.hello, sizeof host0.hello) &&
                     host0.hello.magic == Hello::kMagic && host0.hello.key == hello.key &&
                     host0.hello.host == 0;
  if (!known) return false;
  self.prepare(descriptor);
  self.lines_[0] = descriptor;
  self.peers_.push_back(host0);
  self.known_ = 1;
  return true;
}

// From now on the kernel asks the other one each second, and the connection fails when no answer has come for so long.
void Watch::prepare(int descriptor) const noexcept {
  const int yes = 1, second = 1, times = options_.longest_silence_s;
  const int limit_ms = options_.longest_silence_s * 1000;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &second, sizeof second);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &second, sizeof second);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms, sizeof limit_ms);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

void* Watch::run(void* watch) noexcept {
  static_cast<Watch*>(watch)->serve();
  return nullptr;
}

void Watch::serve() noexcept {
  while (!over_) {
    std::vector<pollfd> waiting = {{stopper_, POLLIN, 0}, {door_, POLLIN, 0}};  // poll ignores -1
    for (const Peer& peer : peers_) {
      waiting.push_back({peer.over ? -1 : peer.descriptor, POLLIN, 0});
    }
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    if (over_) return;
    for (std::size_t i = peers_.size(); i-- > 0;) {
      if (waiting[i + 2].revents == 0) continue;
      Peer& peer = peers_[i];
      if (peer.host >= 0) {
        peer.over = !hear(peer);
      } else if (!greet(peer)) {
        close(peer.descriptor);
        peers_.erase(peers_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (waiting[1].revents != 0) accept_one();
    if (door_ < 0 || known_ < options_.hosts - 1) continue;
    // All are there: strangers find no door any more.
    close(std::exchange(door_, -1));
    const auto strangers = std::partition(peers_.begin(), peers_.end(),
                                          [](const Peer& peer) { return peer.host >= 0; });
    for (auto each = strangers; each != peers_.end(); ++each) close(each->descriptor);
    peers_.erase(strangers, peers_.end());
  }
}

void Watch::accept_one() noexcept {
  const int made = accept4(door_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (made >= 0) peers_.push_back({.descriptor = made});
}

// False: it is a stranger.
bool Watch::greet(Peer& peer) noexcept {
  auto* const bytes = reinterpret_cast<char*>(&peer.hello);
  const ssize_t came =
      recv(peer.descriptor, bytes + peer.came, sizeof peer.hello - peer.came, MSG_DONTWAIT);
  if (came < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (came <= 0) return false;
  peer.came += static_cast<std::size_t>(came);
  if (peer.came < sizeof peer.hello) return true;
  const Hello& hello = peer.hello;
  if (hello.magic != Hello::kMagic || hello.key != options_.key || hello.host <= 0 ||
      hello.host >= options_.hosts || lines_[static_cast<std::size_t>(hello.host)] >= 0) {
    return false;
  }
  peer.hello.node[sizeof peer.hello.node - 1] = '\0';
  prepare(peer.descriptor);
  // First the line: a host with an answer hears of an abort that comes right after it.
  lines_[static_cast<std::size_t>(hello.host)] = peer.descriptor;
  const Hello own = hello_of(options_);
  if (!say(peer.descriptor, &own, sizeof own)) {
    lines_[static_cast<std::size_t>(hello.host)] = -1;
    return false;
  }
  peer.host = hello.host;
  ++known_;
  return true;
}

// False: the connection is over.
bool Watch::hear(Peer& peer) noexcept {
  char bytes[sizeof(Word) + kLongestText];
  const ssize_t came = recv(peer.descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
  if (came < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (came <= 0) {
    lost(peer, came < 0 ? errno : 0);
    return false;
  }
  peer.words.append(bytes, static_cast<std::size_t>(came));
  for (Word word; peer.words.size() >= sizeof word;) {
    std::memcpy(&word, peer.words.data(), sizeof word);
    const std::size_t all = sizeof word + word.bytes;
    if (peer.words.size() < all) break;
    if (!heard(peer, word, std::string_view(peer.words).substr(sizeof word, word.bytes)))
      return false;
    peer.words.erase(0, all);
  }
  return true;
}

// False: it was the last one.
bool Watch::heard(const Peer& peer, Word word, std::string_view text) noexcept {
  switch (word.kind) {
    case Kind::kFarewell:
      if (peer.host == 0) over_ = true;
      return false;
    case Kind::kStill:
    case Kind::kAsk:
    case Kind::kSay:
    case Kind::kLines:
      word.host = peer.host;
      if (options_.heard != nullptr) options_.heard(options_.context, word, text);
      return true;
    default:
      end(word.status != 0 ? word.status : 1, "");
      return false;
  }
}

bool Watch::tell(int host, Word word, std::string_view text) noexcept {
  const int descriptor = lines_[static_cast<std::size_t>(host)].load();
  int waiting = 0;
  // A word that found no room would be said in part, and the last ones need room.
  if (over_ || descriptor < 0 || ioctl(descriptor, SIOCOUTQ, &waiting) != 0 || waiting > 1024)
    return false;
  char bytes[sizeof word + kLongestText];
  text = text.substr(0, kLongestText);
  word.bytes = static_cast<std::uint16_t>(text.size());
  std::memcpy(bytes, &word, sizeof word);
  text.copy(bytes + sizeof word, text.size());
  return say(descriptor, bytes, sizeof word + text.size());
}

void Watch::lost(const Peer& peer, int error) noexcept {
  std::string sentence = options_.name_of(peer.host) + " on node " + peer.hello.node;
  if (error == 0 || error == ECONNRESET) {
    sentence += " ended without calling MPI_Finalize";
  } else {
    sentence += " did not answer for " + std::to_string(options_.longest_silence_s) + " s (" +
                std::strerror(error) + ")";
  }
  // Of host 0 all others hear: one of them says so.
  if (options_.host > 1) {
    poll(nullptr, 0, kPatienceMs);
    sentence = "";
  }
  end(1, sentence);
}

void Watch::end(int status, const std::string& sentence) noexcept {
  if (over_.exchange(true)) return;
  if (options_.host == 0)
    tell_all({.kind = Kind::kEnd, .status = static_cast<std::uint8_t>(status)});
  options_.end(status, sentence);
}

void Watch::abort(int status) noexcept {
  over_ = true;
  const Kind kind = options_.host == 0 ? Kind::kEnd : Kind::kAborts;
  tell_all({.kind = kind, .status = static_cast<std::uint8_t>(status), .host = options_.host});
}

void Watch::tell_all(const Word& word) noexcept {
  over_ = true;
  for (const auto& line : lines_) {
    const int descriptor = line.load();
    if (descriptor >= 0) say(descriptor, &word, sizeof word);
  }
}

}  // namespace heddle::watch
