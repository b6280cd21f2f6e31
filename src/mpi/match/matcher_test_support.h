// matcher_test_support.h — what the tests of the matcher share.

#pragma once

#include <random>

#include "base/test_seeds.h"
#include "mpi/match/matcher.h"

namespace heddle::match {

constexpr TagShares kShares(2);  // of a job of two

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;  // ten times slower
#else
constexpr bool kSanitized = false;
#endif

inline unsigned fresh_seed() {
  return std::random_device{}();
}

inline void drop_everything(Matcher& matcher) {
  matcher.for_each_lane([](Lane& lane) {
    while (lane.take_any() != nullptr) {
    }
  });
}

}  // namespace heddle::match
