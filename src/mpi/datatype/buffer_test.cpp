// Copies between layouts of known run lengths, so that every way of copying is taken.

#include "mpi/datatype/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "mpi/datatype/make.h"
#include "mpi/datatype/shape.h"

namespace heddle::datatype {
namespace {

using object::Ref;

constexpr int kBytes = 23 * 5040;  // a multiple of every run length below

// Runs of `run` bytes that fill kBytes bytes of packed data.
struct Layout {
  Ref<Datatype> type;
  std::vector<std::size_t> offsets;  // of each packed byte
  std::size_t span = 0;
};

Layout regular(int run) {
  Layout layout;
  Datatype* type = nullptr;
  const int count = kBytes / run, stride = run + 5;
  EXPECT_FALSE(make_hvector(false, count, run, stride, &named(MPI_BYTE), &type));
  layout.type = Ref<Datatype>::adopt(type);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < run; ++j)
      layout.offsets.push_back(static_cast<std::size_t>(i * stride + j));
  }
  layout.span = static_cast<std::size_t>(count * stride);
  return layout;
}

// Runs of equal length at random places; `ragged`: of lengths around `run`.
Layout scattered(int run, bool ragged, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> lengths, displacements;
  for (int left = kBytes; left > 0;) {
    int length = ragged ? std::uniform_int_distribution<int>(1, 2 * run)(random) : run;
    length = std::min(length, left);
    lengths.push_back(length);
    left -= length;
  }
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  displacements.resize(lengths.size());
  int end = 0;
  for (std::size_t i : order) {
    displacements[i] = end;
    end += lengths[i] + std::uniform_int_distribution<int>(1, 9)(random);
  }

  Layout layout;
  Datatype* type = nullptr;
  EXPECT_FALSE(make_indexed(false, static_cast<MPI_Count>(lengths.size()),
                            CountArray(lengths.data()), CountArray(displacements.data()),
                            &named(MPI_BYTE), &type));
  layout.type = Ref<Datatype>::adopt(type);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (int j = 0; j < lengths[i]; ++j) {
      layout.offsets.push_back(static_cast<std::size_t>(displacements[i] + j));
    }
  }
  layout.span = static_cast<std::size_t>(end);
  return layout;
}

std::vector<Layout> layouts() {
  std::vector<Layout> all;
  for (int run : {1, 3, 4, 8, 12, 16, 24, 40, 504, 720, 5040}) {
    all.push_back(regular(run));
    all.push_back(scattered(run, false, static_cast<unsigned>(run)));
    all.push_back(scattered(run, true, static_cast<unsigned>(run)));
  }
  all.push_back(regular(kBytes));
  return all;
}

std::vector<unsigned char> noise(std::size_t bytes) {
  std::vector<unsigned char> all(bytes);
  std::mt19937 random(7);
  for (unsigned char& byte : all) byte = static_cast<unsigned char>(random());
  return all;
}

TEST(Copy, MovesEachByteToItsPlaceBetweenRunsOfAllLengths) {
  const std::vector<Layout> all = layouts();
  for (const Layout& source : all) {
    const std::vector<unsigned char> from = noise(source.span);
    for (const Layout& target : all) {
      // Not all of it, so that the first and the last run are cut somewhere.
      constexpr std::size_t kFirst = 38, kEnd = kBytes - 77;
      std::vector<unsigned char> to(target.span, 0xEE), expected(target.span, 0xEE);
      for (std::size_t i = kFirst; i < kEnd; ++i)
        expected[target.offsets[i]] = from[source.offsets[i]];
      copy({from.data(), 1, source.type.get()}, {to.data(), 1, target.type.get()}, kFirst,
           kEnd - kFirst);
      ASSERT_EQ(to, expected) << "runs of about " << kBytes / source.type->layout().runs() << " to "
                              << kBytes / target.type->layout().runs();
    }
  }
}

TEST(Copy, OfNothingTouchesNothing) {
  const Datatype& type = named(MPI_INT);
  copy({nullptr, 0, &type}, {nullptr, 0, &type}, 0, 0);
  unsigned char untouched = 5;
  pack({nullptr, 3, &type}, 4, &untouched, 0);
  EXPECT_EQ(untouched, 5);
}

TEST(Pack, ReachesAbsoluteAddressesFromMpiBottom) {
  double first = 1.5;
  int second = 42;
  const MPI_Aint places[] = {reinterpret_cast<MPI_Aint>(&first),
                             reinterpret_cast<MPI_Aint>(&second)};
  const int lengths[] = {1, 1};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  Datatype* made = nullptr;
  ASSERT_FALSE(make_struct(false, 2, CountArray(lengths), CountArray(places), types, &made));
  const Ref<Datatype> type = Ref<Datatype>::adopt(made);
  char packed[12];
  pack({MPI_BOTTOM, 1, type.get()}, 0, packed, 12);
  const double new_first = 2.5;
  EXPECT_EQ(std::memcmp(packed, &first, 8), 0);
  EXPECT_EQ(std::memcmp(packed + 8, &second, 4), 0);
  std::memcpy(packed, &new_first, 8);
  unpack({MPI_BOTTOM, 1, type.get()}, 0, packed, 12);
  EXPECT_EQ(first, 2.5);
}

TEST(Layout, OfARegularIndexedTypeIsThatOfAVector) {
  const int displacements[] = {0, 3, 6, 9, 12};
  Datatype* made = nullptr;
  ASSERT_FALSE(make_indexed_block(false, 5, 2, CountArray(displacements), &named(MPI_INT), &made));
  const Ref<Datatype> type = Ref<Datatype>::adopt(made);
  ASSERT_FALSE(type->layout().is_run());
  EXPECT_EQ(type->layout().node->kind, NodeKind::kStrided);
  EXPECT_EQ(type->layout().node->stride, 12);
}

TEST(Layout, OfAdjacentFieldsIsOneRun) {
  const int lengths[] = {2, 1, 4};
  const MPI_Aint places[] = {0, 8, 12};
  const MPI_Datatype types[] = {MPI_INT, MPI_FLOAT, MPI_CHAR};
  Datatype* made = nullptr;
  ASSERT_FALSE(make_struct(false, 3, CountArray(lengths), CountArray(places), types, &made));
  const Ref<Datatype> type = Ref<Datatype>::adopt(made);
  EXPECT_TRUE(type->layout().is_run());
  EXPECT_TRUE(type->dense());
}

TEST(Layout, StaysShallowWhenATypeIsBuiltUpFieldByField) {
  // Each type adds a byte in front of a gap, as a program does that nests a thousand structs.
  auto type = Ref<Datatype>(&named(MPI_BYTE));
  constexpr int kFields = 1000;
  for (int i = 1; i <= kFields; ++i) {
    const MPI_Aint step = i % 2 == 0 ? 3 * i : 3 * i + 1;
    Datatype* made = nullptr;
    Sequence sequence(2);
    sequence.add(shape_of(*type), 0);
    sequence.add(shape_of(named(MPI_BYTE)), step);
    ASSERT_FALSE(finish(std::move(sequence).shape(), {}, {}, &made));
    type = Ref<Datatype>::adopt(made);
  }
  EXPECT_EQ(type->size(), kFields + 1);
  int depth = 0;
  for (const Node* node = type->layout().node.get(); node != nullptr; ++depth) {
    node = node->pieces.empty() ? node->child.node.get() : node->pieces[0].node.get();
  }
  EXPECT_LE(depth, 2 + kFields / 256);
}

}  // namespace
}  // namespace heddle::datatype
