#include "base/platform/streaming.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heddle::platform {
namespace {

TEST(Streaming, CopiesWhatItShouldAndNothingElse) {
  std::vector<std::byte> source(1000);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 251);
  for (const std::size_t shift : {0, 1, 15, 16, 63, 64}) {
    for (const std::size_t bytes : {0, 1, 63, 64, 65, 127, 128, 300, 900}) {
      std::vector<std::byte> target(1100, std::byte{255});
      std::vector<std::byte> wanted = target;
      std::copy_n(source.begin() + 3, bytes, wanted.begin() + static_cast<std::ptrdiff_t>(shift));
      copy_past_caches(target.data() + shift, source.data() + 3, bytes);
      EXPECT_EQ(target, wanted) << bytes << " bytes, shift " << shift;
    }
  }
}

TEST(Streaming, CopiesWhatItLooksAt) {
  std::vector<std::byte> source(kLookedAt, std::byte{7});
  std::vector<std::byte> target(kLookedAt + 1);
  copy_and_look(target.data(), source.data());
  EXPECT_TRUE(std::equal(source.begin(), source.end(), target.begin()));
  EXPECT_EQ(target.back(), std::byte{0});
}

TEST(Streaming, StoresForAnotherCopyAllOfIt) {
  StoresForAnother stores;
  std::vector<std::byte> source(3 * kLookedAt);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 251);
  for (int round = 0; round < 200; ++round) {
    const std::size_t bytes =
        round % 3 == 0 ? 1024 : source.size() - static_cast<std::size_t>(round);
    std::vector<std::byte> target(bytes + 1);
    stores.copy(target.data(), source.data(), bytes);
    EXPECT_TRUE(std::equal(target.begin(), target.end() - 1, source.begin())) << "round " << round;
    EXPECT_EQ(target.back(), std::byte{0});
  }
}

}  // namespace
}  // namespace heddle::platform
