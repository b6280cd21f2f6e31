#include "runtime/ways/watch/watch.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/own_thread.h"

namespace heddle::watch {

namespace {

constexpr int kLongestConnectMs = 5000, kLongestGreetingMs = 10'000;
// Strangers may have pushed a guest out of the door.
constexpr int kConnectTries = 3;
// Host 1 speaks of host 0; the others give it time to.
constexpr int kPatienceMs = 500;

// An address of the watch: the port, then addresses of the machine.
std::string address_of(std::uint16_t port, const std::vector<door::Ip>& all) {
  std::string text(reinterpret_cast<const char*>(&port), sizeof port);
  return text.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(door::Ip));
}

}  // namespace

Watch::Watch(Options options) noexcept
    : options_(std::move(options)), lines_(static_cast<std::size_t>(options_.hosts)) {}

Watch::~Watch() {
  over_ = true;
  if (runs_) {
    platform::count_own_thread(-1);
    wake_thread();
    pthread_join(thread_, nullptr);
  }
  for (const Peer& peer : peers_) close(peer.descriptor);
  if (waker_ >= 0) close(waker_);
}

Error Watch::start() {
  waker_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  runs_ = platform::start_own_thread({"heddle-watch", run, this}, &thread_) == 0;
  if (runs_) platform::count_own_thread(1);
  if (runs_ && waker_ >= 0) return {};
  return Error::make(kErrorOther, "no thread for the watch over the job's hosts");
}

Error Watch::open(std::string* address) {
  std::vector<door::Ip> own;
  if (Error e = door::find_own_addresses(options_.one_node, &own)) return e;
  if (Error e = door_.open(own, options_.secret, options_.host, options_.node, door::What::kWatch))
    return e;
  *address = address_of(door_.port(), own);
  return start();
}

Error Watch::connect(const std::string& address) {
  std::uint16_t port = 0;
  const std::size_t count = address.size() / sizeof(door::Ip);
  std::vector<door::Ip> all(count);
  if (address.size() == sizeof port + count * sizeof(door::Ip)) {
    std::memcpy(&port, address.data(), sizeof port);
    std::memcpy(all.data(), address.data() + sizeof port, count * sizeof(door::Ip));
  }
  for (int i = 0; i < kConnectTries; ++i) {
    for (const door::Ip& each : all) {
      if (connect_to(each, port)) return start();
    }
  }
  return Error::make(kErrorOther,
                     "host 0 cannot be reached for the watch over the job's hosts, at port %d of "
                     "any of its %zu addresses",
                     port, count);
}

bool Watch::connect_to(const door::Ip& address, std::uint16_t port) noexcept {
  const int made = door::begin_to_connect(address, port);
  if (made < 0) return false;
  pollfd waiting = {made, POLLOUT, 0};
  if (poll(&waiting, 1, kLongestConnectMs) == 1 && door::end_of_connect(made) == 0 && greet(made))
    return true;
  close(made);
  return false;
}

bool Watch::greet(int descriptor) noexcept {
  using State = door::Greeting::State;
  door::Greeting greeting(options_.secret, {options_.host, options_.node}, 0, door::What::kWatch);
  State state = greeting.advance(descriptor);
  while (state == State::kGoesOn) {
    pollfd waiting = {descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, kLongestGreetingMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready != 1) return false;
    state = greeting.advance(descriptor);
  }
  if (state != State::kKnown) return false;
  prepare(descriptor);
  lines_[0].descriptor = descriptor;
  peers_.push_back({.descriptor = descriptor, .host = 0, .node = greeting.node()});
  return true;
}

// From now on the kernel asks the other one each second, and the connection fails when no answer
// has come for the longest silence.
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

void Watch::wake_thread() const noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = write(waker_, &one, sizeof one);
}

void* Watch::run(void* watch) noexcept {
  static_cast<Watch*>(watch)->serve();
  return nullptr;
}

void Watch::serve() noexcept {
  while (!over_) {
    // poll ignores -1
    std::vector<pollfd> waiting = {{waker_, POLLIN, 0}, {door_.descriptor(), POLLIN, 0}};
    for (const Peer& peer : peers_) {
      // acquire: a rest that comes later wakes this thread.
      const bool has_rest =
          lines_[static_cast<std::size_t>(peer.host)].rest.load(std::memory_order_acquire) != 0;
      const int events = has_rest ? POLLIN | POLLOUT : POLLIN;
      waiting.push_back({peer.over ? -1 : peer.descriptor, static_cast<short>(events), 0});
    }
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    if (over_) return;
    std::uint64_t calls = 0;
    if (waiting[0].revents != 0 && read(waker_, &calls, sizeof calls) < 0 && errno != EAGAIN)
      return;
    for (std::size_t i = peers_.size(); i-- > 0;) {
      if (waiting[i + 2].revents == 0) continue;
      Peer& peer = peers_[i];
      if ((waiting[i + 2].revents & POLLOUT) != 0) {
        Line& line = lines_[static_cast<std::size_t>(peer.host)];
        SpinGuard guard(line.lock);
        static_cast<void>(say_rest(line));
      }
      peer.over = !hear(peer);
    }
    if (waiting[1].revents != 0) door_.serve(*this);
  }
}

void Watch::on_guest(int descriptor, int host, const char* node) noexcept {
  const bool is_host =
      host > 0 && host < options_.hosts && lines_[static_cast<std::size_t>(host)].descriptor < 0;
  if (!is_host) {
    close(descriptor);
    return;
  }
  prepare(descriptor);
  Line& line = lines_[static_cast<std::size_t>(host)];
  {
    // First the descriptor: a host that is welcome hears of an abort that comes right after it.
    SpinGuard guard(line.lock);
    line.descriptor = descriptor;
    if (!door::Greeting::welcome(descriptor)) {
      line.descriptor = -1;
      close(descriptor);
      return;
    }
  }
  peers_.push_back({.descriptor = descriptor, .host = host, .node = node});
  // All are there: strangers find no door any more.
  if (peers_.size() + 1 == static_cast<std::size_t>(options_.hosts)) door_.close();
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
    case WordKind::kFarewell:
      if (peer.host == 0) over_ = true;
      return false;
    case WordKind::kStill:
    case WordKind::kAsk:
    case WordKind::kSay:
    case WordKind::kLines:
    case WordKind::kLeftEarly:
      word.host = peer.host;
      if (options_.heard != nullptr) options_.heard(options_.context, word, text);
      return true;
    default:
      end(word.status != 0 ? word.status : 1, "");
      return false;
  }
}

// True: nothing of an earlier word waits any more.
bool Watch::say_rest(Line& line) noexcept {
  const std::size_t rest = line.rest.load(std::memory_order_relaxed);
  if (rest == 0) return true;
  const ssize_t sent =
      send(line.descriptor, line.word + line.rest_begin, rest, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent <= 0) return false;
  line.rest_begin += static_cast<std::size_t>(sent);
  // release: with serve(), which need not see it at once.
  line.rest.store(rest - static_cast<std::size_t>(sent), std::memory_order_release);
  return static_cast<std::size_t>(sent) == rest;
}

// Where nothing of an earlier word waits. True: it is said, or will be.
bool Watch::say(Line& line, const void* bytes, std::size_t size) noexcept {
  const ssize_t sent = send(line.descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent <= 0) return false;
  const std::size_t rest = size - static_cast<std::size_t>(sent);
  if (rest == 0) return true;
  std::memcpy(line.word, static_cast<const char*>(bytes) + sent, rest);
  line.rest_begin = 0;
  line.rest.store(rest, std::memory_order_release);
  wake_thread();
  return true;
}

bool Watch::tell(int host, Word word, std::string_view text) noexcept {
  Line& line = lines_[static_cast<std::size_t>(host)];
  if (over_ || line.descriptor < 0) return false;
  char bytes[sizeof word + kLongestText];
  text = text.substr(0, kLongestText);
  word.bytes = static_cast<std::uint16_t>(text.size());
  std::memcpy(bytes, &word, sizeof word);
  text.copy(bytes + sizeof word, text.size());
  SpinGuard guard(line.lock);
  int waiting = 0;
  // The last words need room.
  if (!say_rest(line) || ioctl(line.descriptor, SIOCOUTQ, &waiting) != 0 || waiting > 1024)
    return false;
  return say(line, bytes, sizeof word + text.size());
}

void Watch::lost(const Peer& peer, int error) noexcept {
  std::string sentence = options_.name_of(peer.host) + " on node " + peer.node;
  if (error == 0 || error == ECONNRESET) {
    sentence += " ended without calling MPI_Finalize";
  } else {
    sentence += " did not answer for " + std::to_string(options_.longest_silence_s) + " s (" +
                std::strerror(error) + ")";
  }
  // All other hosts hear that host 0 is lost, and one of them says so.
  if (options_.host > 1) {
    poll(nullptr, 0, kPatienceMs);
    sentence = "";
  }
  end(1, sentence);
}

void Watch::end(int status, const std::string& sentence) noexcept {
  if (over_.exchange(true)) return;
  if (options_.host == 0)
    tell_all({.kind = WordKind::kEnd, .status = static_cast<std::uint8_t>(status)});
  options_.end(status, sentence);
}

void Watch::abort(int status) noexcept {
  over_ = true;
  const WordKind kind = options_.host == 0 ? WordKind::kEnd : WordKind::kAborts;
  tell_all({.kind = kind, .status = static_cast<std::uint8_t>(status), .host = options_.host});
}

// Waits for room where there is none.
void Watch::say_last(Line& line, const Word& word, std::int64_t until_ns) noexcept {
  for (bool is_given = false;;) {
    {
      SpinGuard guard(line.lock);
      if (!is_given && say_rest(line)) is_given = say(line, &word, sizeof word);
      if (is_given && say_rest(line)) return;
    }
    const std::int64_t left_ms = (until_ns - platform::now_ns()) / 1'000'000;
    pollfd room = {line.descriptor, POLLOUT, 0};
    const int ready = left_ms > 0 ? poll(&room, 1, static_cast<int>(left_ms)) : 0;
    if (ready < 0 && errno == EINTR) continue;  // patience ticks, and ends it
    if (ready != 1) return;
    if ((room.revents & (POLLERR | POLLHUP)) != 0) return;
  }
}

// A handler of a signal may call it where it has interrupted this thread in it, at the end of
// patience (crash/patience.h): the lock of a line may be held, and all patience is used up.
void Watch::tell_all(const Word& word) noexcept {
  static thread_local constinit bool is_telling = false;
  if (is_telling) return;
  is_telling = true;
  over_ = true;
  const std::int64_t until_ns =
      platform::now_ns() + std::int64_t{options_.longest_silence_s} * 1'000'000'000;
  for (Line& line : lines_) {
    if (line.descriptor >= 0) say_last(line, word, until_ns);
  }
  is_telling = false;
}

}  // namespace heddle::watch
