// test_seeds.h — the seeds of tests that explore schedules.
//
//   for (const unsigned seed : TestSeeds(1, kSanitized ? 4 : 12)) trade(seed, 1);
//
// goes over the few seeds that every run of the tests has time for. HEDDLE_TEST_SEEDS=FIRST:COUNT
// (tools/seeds.py, ./dev seeds) replaces them. Then each seed is printed on a line of its own, the
// loop ends after the first seed that fails, and a test does fewer rounds with each (rounds()). A
// value of another form ends the program with status 2.
//
// Thread safety: the test's own thread; many(), rounds() any.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace heddle {

class TestSeeds {
 public:
  TestSeeds(unsigned first, unsigned count) noexcept : first_(first), end_(first + count) {
    if (!many()) return;
    const char* const given = std::getenv("HEDDLE_TEST_SEEDS");
    char more = 0;
    if (std::sscanf(given, "%u:%u%c", &first_, &count, &more) != 2 || count == 0) {
      std::fprintf(stderr, "HEDDLE_TEST_SEEDS=%s: it must be FIRST:COUNT, for example 1:40\n",
                   given);
      std::exit(2);
    }
    end_ = first_ + count;
  }

  // True if HEDDLE_TEST_SEEDS replaces the test's own seeds.
  static bool many() noexcept { return std::getenv("HEDDLE_TEST_SEEDS") != nullptr; }

  // How often a test repeats itself with one seed.
  static int rounds(int usual) noexcept { return many() ? std::max(1, usual / 20) : usual; }

  class Iterator {
   public:
    explicit Iterator(unsigned seed) noexcept : seed_(seed) {}
    unsigned operator*() const noexcept {
      if (many()) {
        std::printf("seed %u\n", seed_);
        std::fflush(stdout);
      }
      return seed_;
    }
    Iterator& operator++() noexcept {
      ++seed_;
      return *this;
    }
    bool operator!=(const Iterator& end) const noexcept {
      return seed_ != end.seed_ && !(many() && ::testing::Test::HasFailure());
    }

   private:
    unsigned seed_;
  };
  Iterator begin() const noexcept { return Iterator(first_); }
  Iterator end() const noexcept { return Iterator(end_); }

 private:
  unsigned first_, end_;
};

}  // namespace heddle
