#include "mpi/datatype/f90.h"

#include <gtest/gtest.h>

#include "exec/rank/rank.h"
#include "mpi/datatype/elements.h"
#include "mpi/datatype/make.h"
#include "mpi/datatype/query.h"

namespace heddle::datatype {
namespace {

using Make = Error (*)(int, int, Datatype**);

class F90Test : public testing::Test {
 protected:
  F90Test() { Rank::enter(&rank_); }
  ~F90Test() override { Rank::enter(nullptr); }
  Rank rank_{0};
};

// The rank keeps it.
Datatype* made_by(Make make, int precision, int range) {
  Datatype* type = nullptr;
  EXPECT_FALSE(make(precision, range, &type)) << precision << ", " << range;
  type->release();
  return type;
}

Datatype* integer_of(int range) {
  Datatype* type = nullptr;
  EXPECT_FALSE(make_f90_integer(range, &type)) << range;
  type->release();
  return type;
}

MPI_Datatype published(Datatype& type) {
  type.retain();
  return reinterpret_cast<MPI_Datatype>(object::publish(&type));
}

// What SELECTED_REAL_KIND and SELECTED_INT_KIND of gfortran give.
TEST_F(F90Test, ATypeIsThatOfTheKindThatFortranSelects) {
  struct Row {
    int precision, range, real_bytes;
    Representation real, complex;
  };
  const Row rows[] = {
      {6, 37, 4, Representation::kFloat32, Representation::kComplex32},
      {0, MPI_UNDEFINED, 4, Representation::kFloat32, Representation::kComplex32},
      {MPI_UNDEFINED, 37, 4, Representation::kFloat32, Representation::kComplex32},
      {7, 37, 8, Representation::kFloat64, Representation::kComplex64},
      {6, 38, 8, Representation::kFloat64, Representation::kComplex64},
      {15, 307, 8, Representation::kFloat64, Representation::kComplex64},
      {16, MPI_UNDEFINED, 16, Representation::kFloat80, Representation::kComplex80},
      {MPI_UNDEFINED, 308, 16, Representation::kFloat80, Representation::kComplex80},
      {19, 10, 16, Representation::kFloat128, Representation::kComplex128},
      {33, 4931, 16, Representation::kFloat128, Representation::kComplex128},
  };
  for (const Row& row : rows) {
    const Datatype& real = *made_by(make_f90_real, row.precision, row.range);
    const Datatype& complex = *made_by(make_f90_complex, row.precision, row.range);
    EXPECT_EQ(real.size(), row.real_bytes);
    EXPECT_EQ(real.representation(), row.real);
    EXPECT_EQ(real.family(), Family::kFloating);
    EXPECT_EQ(complex.size(), 2 * row.real_bytes);
    EXPECT_EQ(complex.extent(), 2 * row.real_bytes);
    EXPECT_EQ(complex.representation(), row.complex);
    EXPECT_EQ(complex.family(), Family::kComplex);
  }
  const std::pair<int, int> integers[] = {{0, 1},  {2, 1},  {3, 2},   {4, 2},   {5, 4}, {9, 4},
                                          {10, 8}, {18, 8}, {19, 16}, {38, 16}, {-3, 1}};
  for (const auto& [range, bytes] : integers) {
    EXPECT_EQ(integer_of(range)->size(), bytes) << range;
    EXPECT_EQ(integer_of(range)->family(), Family::kFortranInteger);
  }
}

TEST_F(F90Test, TheSameArgumentsGiveTheSameType) {
  EXPECT_EQ(made_by(make_f90_real, 10, 20), made_by(make_f90_real, 10, 20));
  EXPECT_NE(made_by(make_f90_real, 10, 20), made_by(make_f90_real, 10, 21));
  EXPECT_NE(made_by(make_f90_real, 10, 20), made_by(make_f90_complex, 10, 20));
  EXPECT_EQ(integer_of(5), integer_of(5));
}

TEST_F(F90Test, ATypeIsPredefinedAndTellsItsArguments) {
  Datatype& type = *made_by(make_f90_real, 10, 20);
  EXPECT_TRUE(type.committed());
  EXPECT_EQ(type.name(), "");
  const MPI_Datatype handle = published(type);
  MPI_Datatype copy = handle;
  Error error = free(&copy);
  ASSERT_TRUE(error);
  EXPECT_EQ(error.error_class(), MPI_ERR_TYPE);
  EXPECT_EQ(from_handle(handle), &type);

  MPI_Count integers = 0, addresses = 1, counts = 1, types = 1;
  int combiner = 0, values[2] = {0, 0};
  ASSERT_FALSE(get_envelope(false, type, &integers, &addresses, &counts, &types, &combiner));
  EXPECT_EQ(combiner, MPI_COMBINER_F90_REAL);
  EXPECT_EQ(integers, 2);
  EXPECT_EQ(addresses + counts + types, 0);
  ASSERT_FALSE(get_contents(false, type, {2, 0, 0, 0}, values, nullptr, nullptr, nullptr));
  EXPECT_EQ(values[0], 10);
  EXPECT_EQ(values[1], 20);
}

TEST_F(F90Test, ContentsOfATypeMadeFromOneTellItsOnlyHandle) {
  Datatype& type = *made_by(make_f90_complex, 10, 20);
  const MPI_Datatype handle = published(type);
  Datatype* three = nullptr;
  ASSERT_FALSE(make_contiguous(false, 3, &type, &three));
  const auto owned = object::Ref<Datatype>::adopt(three);
  EXPECT_EQ(basic_elements(2 * type.size(), *three), 2);
  int count = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  ASSERT_FALSE(get_contents(false, *three, {1, 0, 0, 1}, &count, nullptr, nullptr, &inner));
  EXPECT_EQ(inner, handle);
}

TEST_F(F90Test, WhatNoKindHasIsAnError) {
  Datatype* type = nullptr;
  for (const Make make : {make_f90_real, make_f90_complex}) {
    for (const auto& [precision, range] :
         {std::pair{34, 5}, {5, 4932}, {MPI_UNDEFINED, MPI_UNDEFINED}}) {
      Error error = make(precision, range, &type);
      ASSERT_TRUE(error);
      EXPECT_EQ(error.error_class(), MPI_ERR_ARG);
    }
  }
  for (const int range : {39, MPI_UNDEFINED}) {
    Error error = make_f90_integer(range, &type);
    ASSERT_TRUE(error);
    EXPECT_EQ(error.error_class(), MPI_ERR_ARG);
  }
  EXPECT_EQ(type, nullptr);
}

}  // namespace
}  // namespace heddle::datatype
