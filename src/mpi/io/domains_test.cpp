#include "mpi/io/domains.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::io {
namespace {

// Two processes that have every second KiB of a MiB.
constexpr Together kDealt{
    .first = 0, .end = 1 << 20, .bytes = 1 << 20, .spans = 2 << 20, .calls = 1024, .processes = 2};

TEST(Domains, AreMadeWhereTheyPay) {
  EXPECT_TRUE(pays(kDealt, false));
  Together half_each = kDealt;
  half_each.spans = 1 << 20;
  EXPECT_FALSE(pays(half_each, false));
  Together long_runs = kDealt;
  long_runs.calls = 16;
  EXPECT_FALSE(pays(long_runs, false));
  Together few_bytes = kDealt;
  few_bytes.end = few_bytes.bytes = 4000;
  few_bytes.spans = 7000;
  few_bytes.calls = 4;
  EXPECT_FALSE(pays(few_bytes, false));
  for (Together all : {half_each, long_runs, few_bytes}) EXPECT_TRUE(pays(all, true));
}

TEST(Domains, AreNeverMadeOfHolesOrOfTheSameBytes) {
  Together holes = kDealt;
  holes.end = 100 << 20;
  EXPECT_FALSE(pays(holes, true));
  Together same = kDealt;
  same.bytes = 64 << 20;
  EXPECT_FALSE(pays(same, true));
  EXPECT_FALSE(
      pays({.first = 0, .end = 0, .bytes = 0, .spans = 0, .calls = 0, .processes = 2}, true));
}

// Windows of all owners and rounds, in order, are the file from the first byte to the last.
TEST(Domains, HaveEachByteOnce) {
  std::mt19937_64 random(1);
  const auto number = [&](MPI_Count most) {
    return 1 + static_cast<MPI_Count>(random() % static_cast<std::uint64_t>(most));
  };
  for (int i = 0; i < 5000; ++i) {
    const MPI_Offset first = number(1 << 22) - 1, end = first + number(1 << 24);
    const Together all{.first = first,
                       .end = end,
                       .bytes = end - first,
                       .spans = 2 * (end - first),
                       .calls = 1000,
                       .processes = static_cast<int>(1 + number(8))};
    const MPI_Count block = number(1 << 20), most = number(20);
    const MPI_Count buffer = (1 << 16) + number(1 << 24);
    const Domains domains = cut(all, most, buffer, block);
    EXPECT_LE(domains.owners, most);
    EXPECT_LE(domains.owners, all.processes);
    EXPECT_LE(domains.window, buffer / 2);
    MPI_Offset at = domains.first;
    EXPECT_LE(at, first);
    for (int owner = 0; owner < domains.owners; ++owner) {
      for (int round = 0; round < domains.rounds(); ++round) {
        const Range window = domains.window_of(owner, round);
        if (window.first >= window.end) continue;
        EXPECT_EQ(window.first, at);
        EXPECT_LE(window.end - window.first, domains.window);
        if (round == 0) {
          EXPECT_EQ(window.first % block, 0);
        }
        at = window.end;
      }
    }
    EXPECT_EQ(at, end);
  }
}

}  // namespace
}  // namespace heddle::io
