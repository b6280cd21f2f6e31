// dice.h — the random numbers of a random program.
//
// Ranks that draw from dice of one seed in the same order draw the same numbers.
//
// Thread safety: of its strand; mix() any.

#pragma once

#include <cstdint>
#include <random>

namespace heddle::testing {

class Dice {
 public:
  explicit Dice(unsigned long seed) : random_(seed) {}
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned long>(limit)); }
  bool toss() { return below(2) == 0; }
  unsigned long number() { return random_(); }

 private:
  std::mt19937_64 random_;
};

// A number that depends on all bits of both.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15 + b + 0x632BE59BD9B4E019;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

}  // namespace heddle::testing
