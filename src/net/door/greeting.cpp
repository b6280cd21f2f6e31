#include "net/door/greeting.h"

#include <sys/random.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace heddle::door {

namespace {

constexpr std::uint8_t kWelcome = 0xD0;

// A new connection has room for these words.
bool say(int descriptor, const void* bytes, std::size_t size) noexcept {
  return send(descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(size);
}

bool fill(Nonce* nonce) noexcept {
  return getrandom(nonce->words, sizeof nonce->words, 0) == sizeof nonce->words;
}

}  // namespace

Greeting::Greeting(const Secret& secret, const Own& door, What what) noexcept
    : secret_(secret), is_guest_(false), door_(door.host), what_(what), due_(Due::kHello) {
  door.node.copy(answer_.node, sizeof answer_.node - 1);
}

Greeting::Greeting(const Secret& secret, const Own& guest, int to, What what) noexcept
    : secret_(secret), is_guest_(true), door_(to), what_(what), due_(Due::kToBegin) {
  hello_.from = guest.host;
  hello_.to = to;
  hello_.what = what;
  guest.node.copy(hello_.node, sizeof hello_.node - 1);
}

std::uint64_t Greeting::proof_of(bool of_door) const noexcept {
  struct {
    std::uint64_t role;
    Hello hello;
    Nonce nonce;
    char node[kLongestNode];
  } said = {of_door ? 1u : 2u, hello_, answer_.nonce, {}};
  std::memcpy(said.node, answer_.node, sizeof said.node);
  return keyed_hash(secret_, std::as_bytes(std::span(&said, 1)));
}

// No more than the word: what is behind it is for others.
template <class Word>
Greeting::Heard Greeting::hear(int descriptor, Word* word) noexcept {
  auto* const bytes = reinterpret_cast<char*>(word);
  const ssize_t came = recv(descriptor, bytes + came_, sizeof *word - came_, MSG_DONTWAIT);
  if (came < 0 && (errno == EAGAIN || errno == EINTR)) return Heard::kPart;
  if (came <= 0) return Heard::kOver;
  came_ += static_cast<std::size_t>(came);
  if (came_ < sizeof *word) return Heard::kPart;
  came_ = 0;
  return Heard::kWhole;
}

bool Greeting::say_hello(int descriptor) noexcept {
  due_ = Due::kAnswer;
  return fill(&hello_.nonce) && say(descriptor, &hello_, sizeof hello_);
}

bool Greeting::take_hello(int descriptor) noexcept {
  has_hello_ = hello_.magic == Hello::kMagic && hello_.from >= 0 && hello_.to == door_ &&
               hello_.node[sizeof hello_.node - 1] == '\0';
  if (!has_hello_) return false;
  due_ = Due::kProof;
  if (hello_.what == What::kKnock) return true;
  if (hello_.what != what_ || !fill(&answer_.nonce)) return false;
  answer_.proof = proof_of(true);
  return say(descriptor, &answer_, sizeof answer_);
}

bool Greeting::take_answer(int descriptor) noexcept {
  if (answer_.proof != proof_of(true) || answer_.node[sizeof answer_.node - 1] != '\0')
    return false;
  due_ = Due::kWelcome;
  proof_ = proof_of(false);
  return say(descriptor, &proof_, sizeof proof_);
}

Greeting::State Greeting::advance(int descriptor) noexcept {
  for (bool good = true; good;) {
    Heard heard = Heard::kOver;
    switch (due_) {
      case Due::kToBegin:
        good = say_hello(descriptor);
        if (good && what_ == What::kKnock) return State::kKnown;
        continue;
      case Due::kHello:
        heard = hear(descriptor, &hello_);
        if (heard == Heard::kWhole) good = take_hello(descriptor);
        break;
      case Due::kAnswer:
        heard = hear(descriptor, &answer_);
        if (heard == Heard::kWhole) good = take_answer(descriptor);
        break;
      case Due::kProof:
        heard = hear(descriptor, &proof_);
        if (heard != Heard::kWhole) break;
        return proof_ == proof_of(false) ? State::kKnown : State::kStranger;
      case Due::kWelcome:
        heard = hear(descriptor, &welcome_);
        if (heard != Heard::kWhole) break;
        return welcome_ == kWelcome ? State::kKnown : State::kStranger;
    }
    if (heard == Heard::kPart || (good && is_knock())) return State::kGoesOn;
    good = good && heard == Heard::kWhole;
  }
  return State::kStranger;
}

bool Greeting::welcome(int descriptor) noexcept {
  return say(descriptor, &kWelcome, sizeof kWelcome);
}

}  // namespace heddle::door
