// Views of random filetypes, against plain walks over all their runs.

#include "mpi/io/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "exec/rank/rank.h"
#include "mpi/datatype/make.h"

namespace heddle::io {
namespace {

using datatype::Datatype;
using object::Ref;

class ViewTest : public testing::Test {
 protected:
  ViewTest() { Rank::enter(&rank_); }
  ~ViewTest() override { Rank::enter(nullptr); }
  Rank rank_{0};
};

// Ascending runs; the extent may be less than what they span, so that filetypes lie between each
// other.
Ref<Datatype> random_filetype(std::mt19937& random) {
  std::vector<MPI_Count> lengths, offsets;
  MPI_Count at = static_cast<MPI_Count>(random() % 4);
  for (unsigned i = 0, runs = 1 + random() % 5; i < runs; ++i) {
    lengths.push_back(1 + static_cast<MPI_Count>(random() % 6));
    offsets.push_back(at);
    at += lengths.back() + static_cast<MPI_Count>(random() % 5);
  }
  Datatype *runs = nullptr, *resized = nullptr;
  const auto count = static_cast<MPI_Count>(lengths.size());
  EXPECT_FALSE(datatype::make_hindexed(false, count, datatype::CountArray(lengths.data()),
                                       datatype::CountArray(offsets.data()),
                                       &datatype::named(MPI_BYTE), &runs));
  const MPI_Count extent = random() % 3 == 0 ? 1 + static_cast<MPI_Count>(random() % 9)
                                             : at + static_cast<MPI_Count>(random() % 5);
  EXPECT_FALSE(datatype::make_resized(false, runs, 0, extent, &resized));
  runs->release();
  resized->commit();
  return Ref<Datatype>::adopt(resized);
}

// Where each byte of [position, position + bytes) lies.
std::vector<MPI_Offset> places_of(const View& view, MPI_Count position, MPI_Count bytes) {
  std::vector<MPI_Offset> places;
  for (Runs runs = view.runs(position, bytes); !runs.done();) {
    const Run run = runs.run();
    for (MPI_Count i = 0; i < run.bytes; ++i) {
      places.push_back(static_cast<MPI_Offset>(run.at) + i);
    }
    runs.advance(run.bytes);
  }
  return places;
}

TEST_F(ViewTest, ARangeHasAllBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const Ref<Datatype> filetype = random_filetype(random);
    std::shared_ptr<const View> view;
    const MPI_Offset displacement = static_cast<MPI_Offset>(random() % 20);
    ASSERT_FALSE(
        View::make(displacement, datatype::named(MPI_BYTE), *filetype, "native", false, &view));
    const MPI_Count position = static_cast<MPI_Count>(random() % 50);
    const MPI_Count bytes = 1 + static_cast<MPI_Count>(random() % 50);
    const Range range = view->range_of(position, bytes);
    const std::vector<MPI_Offset> places = places_of(*view, position, bytes);
    const auto [first, last] = std::minmax_element(places.begin(), places.end());
    EXPECT_LE(range.first, *first);
    EXPECT_GT(range.end, *last);
    if (view->overlaps()) continue;
    EXPECT_EQ(range.first, *first);
    EXPECT_EQ(range.end, *last + 1);
    const MPI_Offset offset = static_cast<MPI_Offset>(random() % 200);
    const std::vector<MPI_Offset> all = places_of(*view, 0, 400);
    const auto found = std::lower_bound(all.begin(), all.end(), offset);
    EXPECT_EQ(view->position_from(offset), found - all.begin());
  }
}

}  // namespace
}  // namespace heddle::io
