// rest.h — whether the ranks of a job still do anything, after one has left without MPI_Finalize
// (decision 75): a job that waits uses no processor time.
//
//   Rest rest(used);
//   wait for rest.pause_ns(), then: rest.after_pause(used now)
//                                   ── true: they have done nothing for half a minute
//
// Thread safety: plain data.

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace heddle::runtime {

class Rest {
 public:
  // `used`: processor time of the ranks until now, in ns.
  explicit Rest(std::int64_t used) noexcept : used_(used) {}

  std::int64_t pause_ns() const noexcept { return pause_; }

  // Call it after each pause.
  bool after_pause(std::int64_t used) noexcept {
    const std::int64_t before = std::exchange(used_, used);
    rested_ = used - before < pause_ / kLeastPart ? rested_ + pause_ : 0;
    pause_ = std::min(2 * pause_, kLongest);
    return rested_ >= kEnough;
  }

 private:
  static constexpr std::int64_t kFirst = 1'000'000, kLongest = 1'000'000'000,
                                kEnough = 30 * kLongest;  // ns
  // A rank rests in a pause of which it uses less than one part in this many.
  static constexpr std::int64_t kLeastPart = 100;

  std::int64_t used_;
  std::int64_t pause_ = kFirst;
  std::int64_t rested_ = 0;
};

}  // namespace heddle::runtime
