// Thousands of random nested datatypes against their typemaps.

#include <gtest/gtest.h>

#include <algorithm>

#include "exec/rank/rank.h"
#include "mpi/datatype/buffer.h"
#include "mpi/datatype/elements.h"
#include "mpi/datatype/typemap_oracle.h"

namespace heddle::datatype {
namespace {

using oracle::RandomTypes;
using oracle::Sample;
using oracle::Typemap;

constexpr unsigned kSeeds = 6000;

class RandomTypesTest : public testing::Test {
 protected:
  RandomTypesTest() { Rank::enter(&rank_); }
  ~RandomTypesTest() override { Rank::enter(nullptr); }
  Rank rank_{0};
};

// Memory around a buffer: any displacement of its bytes stays inside.
struct Memory {
  explicit Memory(const std::vector<std::int64_t>& offsets, unsigned char fill = 0xEE) {
    const auto [least, most] = std::minmax_element(offsets.begin(), offsets.end());
    const bool none = offsets.empty();
    // Odd, so that elements do not lie aligned.
    origin = (none ? 0 : -std::min<std::int64_t>(*least, 0)) + 13;
    bytes.assign(
        static_cast<std::size_t>(origin + (none ? 0 : std::max<std::int64_t>(*most, 0)) + 14),
        fill);
  }
  unsigned char* buffer() { return bytes.data() + origin; }
  unsigned char& at(std::int64_t offset) {
    return bytes[static_cast<std::size_t>(origin + offset)];
  }

  std::vector<unsigned char> bytes;
  std::int64_t origin;
};

void fill_randomly(std::vector<unsigned char>& bytes, RandomTypes& random) {
  auto state = static_cast<std::uint64_t>(random.number(1, INT64_MAX));
  for (unsigned char& byte : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<unsigned char>(state >> 56U);
  }
}

bool overlaps(std::vector<std::int64_t> offsets) {
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

TEST_F(RandomTypesTest, SizeAndBoundsAreThoseOfTheTypemap) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    RandomTypes random(seed);
    const Sample sample = random.make(static_cast<int>(random.number(0, 4)));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + sample.story);
    const Datatype& type = *sample.type;
    ASSERT_EQ(type.size(), sample.map.size());
    ASSERT_EQ(type.lower_bound(), sample.map.lower());
    ASSERT_EQ(type.extent(), sample.map.extent());
    ASSERT_EQ(type.true_lower_bound(), sample.map.true_lower());
    ASSERT_EQ(type.true_extent(), sample.map.true_upper() - sample.map.true_lower());
    ASSERT_EQ(type.elements(), static_cast<std::int64_t>(sample.map.items.size()));
    if (type.dense()) {
      const auto offsets = sample.map.bytes(3);
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        ASSERT_EQ(offsets[i], static_cast<std::int64_t>(i));
      }
    }
  }
}

TEST_F(RandomTypesTest, PackWritesTheBytesOfTheTypemapFromAnyPositionOn) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    RandomTypes random(seed);
    const Sample sample = random.make(static_cast<int>(random.number(0, 4)));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + sample.story);
    const std::int64_t count = random.number(0, 3);
    const auto offsets = sample.map.bytes(count);
    Memory memory(offsets);
    fill_randomly(memory.bytes, random);
    const ConstBuffer buffer{memory.buffer(), count, sample.type.get()};
    ASSERT_EQ(buffer.bytes(), static_cast<MPI_Count>(offsets.size()));

    for (int trial = 0; trial < 4; ++trial) {
      const MPI_Count skip = trial == 0 ? 0 : random.number(0, buffer.bytes());
      const MPI_Count bytes = trial == 0 ? buffer.bytes() : random.number(0, buffer.bytes() - skip);
      std::vector<unsigned char> packed(static_cast<std::size_t>(bytes) + 1, 0xAA);
      pack(buffer, skip, packed.data(), bytes);
      std::vector<unsigned char> expected;
      for (MPI_Count i = skip; i < skip + bytes; ++i) {
        expected.push_back(memory.at(offsets[static_cast<std::size_t>(i)]));
      }
      expected.push_back(0xAA);
      ASSERT_EQ(packed, expected) << "from byte " << skip << " of " << buffer.bytes();
    }
    if (const void* run = adjacent(buffer); run != nullptr && !offsets.empty()) {
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        ASSERT_EQ(static_cast<const unsigned char*>(run) + i, &memory.at(offsets[i]));
      }
    }
  }
}

TEST_F(RandomTypesTest, UnpackWritesTheBytesOfTheTypemapAndNoOthers) {
  int checked = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    RandomTypes random(seed);
    const Sample sample = random.make(static_cast<int>(random.number(0, 4)));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + sample.story);
    const std::int64_t count = random.number(0, 3);
    const auto offsets = sample.map.bytes(count);
    if (overlaps(offsets)) continue;  // no program may receive into it
    ++checked;
    const auto size = static_cast<MPI_Count>(offsets.size());
    const MPI_Count skip = random.number(0, size), bytes = random.number(0, size - skip);
    std::vector<unsigned char> packed(static_cast<std::size_t>(bytes));
    fill_randomly(packed, random);
    Memory memory(offsets), expected(offsets);
    for (MPI_Count i = 0; i < bytes; ++i) {
      expected.at(offsets[static_cast<std::size_t>(skip + i)]) =
          packed[static_cast<std::size_t>(i)];
    }
    unpack({memory.buffer(), count, sample.type.get()}, skip, packed.data(), bytes);
    ASSERT_EQ(memory.bytes, expected.bytes);
  }
  EXPECT_GT(checked, static_cast<int>(kSeeds) / 3);
}

TEST_F(RandomTypesTest, CopyMovesTheSameBytesAsPackAndUnpackWould) {
  int checked = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    RandomTypes random(seed);
    const Sample source = random.make(static_cast<int>(random.number(0, 4)));
    const Sample target = random.make(static_cast<int>(random.number(0, 4)));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + source.story + " to " + target.story);
    // Now and then long enough for several blocks.
    const std::int64_t most = seed % 16 == 0 ? 60 : 4;
    const std::int64_t from_count = random.number(0, most), to_count = random.number(0, most);
    const auto from_offsets = source.map.bytes(from_count);
    const auto to_offsets = target.map.bytes(to_count);
    if (overlaps(to_offsets)) continue;
    ++checked;
    const std::int64_t end = random.number(
        0, static_cast<std::int64_t>(std::min(from_offsets.size(), to_offsets.size())));
    const std::int64_t skip = seed % 2 == 0 ? 0 : random.number(0, end);
    Memory from(from_offsets), to(to_offsets), expected(to_offsets);
    fill_randomly(from.bytes, random);
    for (auto i = static_cast<std::size_t>(skip); i < static_cast<std::size_t>(end); ++i)
      expected.at(to_offsets[i]) = from.at(from_offsets[i]);
    copy({from.buffer(), from_count, source.type.get()}, {to.buffer(), to_count, target.type.get()},
         skip, end - skip);
    ASSERT_EQ(to.bytes, expected.bytes);
  }
  EXPECT_GT(checked, static_cast<int>(kSeeds) / 3);
}

TEST_F(RandomTypesTest, ElementsAreCountedAsInTheTypemap) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    RandomTypes random(seed);
    const Sample sample = random.make(static_cast<int>(random.number(0, 4)));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + sample.story);
    if (sample.map.items.empty()) {
      ASSERT_EQ(basic_elements(0, *sample.type), 0);
      continue;
    }
    MPI_Count bytes = 0, elements = 0;
    for (int round = 0; round < 2; ++round) {
      ASSERT_EQ(whole_elements(bytes, *sample.type), round);
      for (const oracle::Item& item : sample.map.items) {
        ASSERT_EQ(basic_elements(bytes, *sample.type), elements);
        ASSERT_EQ(bytes_of_elements(elements, *sample.type), bytes);
        if (item.size > 1) {
          ASSERT_EQ(basic_elements(bytes + 1, *sample.type), MPI_UNDEFINED);
          ASSERT_EQ(whole_elements(bytes + 1, *sample.type), MPI_UNDEFINED);
        }
        bytes += item.size;
        ++elements;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::datatype
