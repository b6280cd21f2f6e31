#include "net/door/secret.h"

#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace heddle::door {

namespace {

struct SipState {
  std::uint64_t a, b, c, d;

  void rounds(int count) noexcept {
    for (int i = 0; i < count; ++i) {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32);
      c += b;
      a += d;
      b = std::rotl(b, 17) ^ c;
      d = std::rotl(d, 21) ^ a;
      c = std::rotl(c, 32);
    }
  }
  void take(std::uint64_t word) noexcept {
    d ^= word;
    rounds(2);
    a ^= word;
  }
};

}  // namespace

Error Secret::make(Secret* made) {
  if (getrandom(made->words, sizeof made->words, 0) == sizeof made->words) return {};
  return Error::make(kErrorOther, "the job gets no random key: %s", std::strerror(errno));
}

std::uint64_t keyed_hash(const Secret& secret, std::span<const std::byte> bytes) noexcept {
  const auto [low, high] = secret.words;
  SipState state = {low ^ 0x736f6d6570736575, high ^ 0x646f72616e646f6d, low ^ 0x6c7967656e657261,
                    high ^ 0x7465646279746573};
  const std::size_t whole = bytes.size() / 8 * 8;
  for (std::size_t at = 0; at < whole; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    state.take(word);
  }
  std::uint64_t last = std::uint64_t{bytes.size()} << 56;
  for (std::size_t i = whole; i < bytes.size(); ++i) {
    last |= std::to_integer<std::uint64_t>(bytes[i]) << 8 * (i - whole);
  }
  state.take(last);
  state.c ^= 0xff;
  state.rounds(4);
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace heddle::door
