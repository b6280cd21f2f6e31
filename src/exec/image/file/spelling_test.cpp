#include "exec/image/file/spelling.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>

namespace heddle::image {
namespace {

// The kernel's opinion of a path.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> found(realpath(path.c_str(), nullptr), std::free);
  return found == nullptr ? "" : found.get();
}

TEST(Spelling, ZeroIsThePathItself) {
  EXPECT_EQ(spelled("/home/u/app", 0), "/home/u/app");
}

TEST(Spelling, BitsAreSpelledLowestFirst) {
  EXPECT_EQ(spelled("/home/u/app", 5), "/.//./home/u/app");
}

TEST(Spelling, EachNumberHasItsOwnAndTheKernelOpensTheSameFile) {
  const std::string file = resolved("/proc/self/exe");
  std::set<std::string> seen;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    const std::string path = spelled(file, number);
    EXPECT_TRUE(seen.insert(path).second) << path;
    EXPECT_EQ(resolved(path), file) << path;
    EXPECT_EQ(plain(path), file);
  }
}

TEST(Spelling, PlainKeepsAHiddenFirstFolder) {
  for (const std::uint64_t number : {0, 1, 2, 6, 1023}) {
    EXPECT_EQ(plain(spelled("/.cache/app", number)), "/.cache/app");
  }
}

TEST(Spelling, ALargeNumberCostsAtMostTwoBytesABit) {
  const std::string path = "/a";
  EXPECT_LE(spelled(path, ~std::uint64_t{0}).size(), path.size() + 128);
}

}  // namespace
}  // namespace heddle::image
