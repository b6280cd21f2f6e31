#include "base/error.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <utility>

namespace heddle {
namespace {

TEST(Error, IsFalseForSuccess) {
  Error none;
  EXPECT_FALSE(none);
}

TEST(Error, CarriesItsClassAndItsSentence) {
  Error e = Error::make(MPI_ERR_RANK, "argument dest is %d", 12);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), MPI_ERR_RANK);
  EXPECT_EQ(e.text(), "argument dest is 12");
}

TEST(Error, GetsItsContextInFront) {
  Error e = Error::make(MPI_ERR_OTHER, "no such file").within("loading ./app");
  EXPECT_EQ(e.text(), "loading ./app: no such file");
}

TEST(Error, MovesAndLeavesSuccessBehind) {
  Error e = Error::make(MPI_ERR_OTHER, "cause");
  Error moved = std::move(e);
  EXPECT_TRUE(moved);
  EXPECT_FALSE(e);  // NOLINT(bugprone-use-after-move): defined, see the header
}

TEST(Error, KnowsTheClassesOfTheAbi) {
  EXPECT_EQ(kErrorOther, MPI_ERR_OTHER);
  EXPECT_EQ(kErrorNoMemory, MPI_ERR_NO_MEM);
}

}  // namespace
}  // namespace heddle
