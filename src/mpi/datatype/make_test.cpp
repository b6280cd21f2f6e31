// What constructors refuse, and what large counts give.

#include "mpi/datatype/make.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/rank/rank.h"
#include "mpi/datatype/elements.h"

namespace heddle::datatype {
namespace {

using object::Ref;
using testing::HasSubstr;

class MakeTest : public testing::Test {
 protected:
  MakeTest() { Rank::enter(&rank_); }
  ~MakeTest() override { Rank::enter(nullptr); }
  Rank rank_{0};
};

struct Failure {
  int error_class;
  std::string text;
};
Failure failure(const Error& e) {
  if (!e) return {MPI_SUCCESS, ""};
  return {e.error_class(), std::string(e.text())};
}

// ---- sizes of named types ---------------------------------------------------------------------

TEST_F(MakeTest, NamedTypesHaveTheSizesOfC) {
  struct ShortInt {
    short value;
    int index;
  };
  struct LongDoubleInt {
    long double value;
    int index;
  };
  EXPECT_EQ(named(MPI_LONG).size(), static_cast<MPI_Count>(sizeof(long)));
  EXPECT_EQ(named(MPI_WCHAR).size(), static_cast<MPI_Count>(sizeof(wchar_t)));
  EXPECT_EQ(named(MPI_LONG_DOUBLE).size(), static_cast<MPI_Count>(sizeof(long double)));
  EXPECT_EQ(named(MPI_C_LONG_DOUBLE_COMPLEX).size(),
            static_cast<MPI_Count>(2 * sizeof(long double)));
  EXPECT_EQ(named(MPI_C_BOOL).size(), static_cast<MPI_Count>(sizeof(bool)));
  EXPECT_EQ(named(MPI_SHORT_INT).size(), 6);
  EXPECT_EQ(named(MPI_SHORT_INT).extent(), static_cast<MPI_Count>(sizeof(ShortInt)));
  EXPECT_EQ(named(MPI_LONG_DOUBLE_INT).size(), 20);
  EXPECT_EQ(named(MPI_LONG_DOUBLE_INT).extent(), static_cast<MPI_Count>(sizeof(LongDoubleInt)));
  EXPECT_EQ(named(MPI_INTEGER).size(), 4);
  EXPECT_EQ(named(MPI_DOUBLE_COMPLEX).size(), 16);
  EXPECT_EQ(named(MPI_LOGICAL16).size(), 16);
}

// The ABI writes the size of a fixed-size type into bits 3 to 5 of its handle.
TEST_F(MakeTest, NamedTypesOfFixedSizeHaveTheSizeThatIsInTheirHandle) {
  int checked = 0;
  for (std::uintptr_t bits = 0x240; bits < 0x300; ++bits) {
    const Datatype* type = from_handle(reinterpret_cast<MPI_Datatype>(bits));
    if (type == nullptr) continue;
    EXPECT_EQ(type->size(), MPI_Count{1} << (bits >> 3U & 7U)) << type->constant_name();
    ++checked;
  }
  EXPECT_EQ(checked, 30);
}

TEST_F(MakeTest, HandlesOfNoTypeAreFoundToBeNone) {
  EXPECT_EQ(from_handle(MPI_DATATYPE_NULL), nullptr);
  for (std::uintptr_t bits : {0UL, 0x1ffUL, 0x204UL, 0x2ffUL, 0x300UL, 0x7fffffffUL, ~0UL}) {
    EXPECT_EQ(from_handle(reinterpret_cast<MPI_Datatype>(bits)), nullptr) << bits;
  }
}

// ---- wrong arguments ----------------------------------------------------------------------------

TEST_F(MakeTest, AStructOfSomethingThatIsNoTypeIsRefused) {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL};
  Datatype* out = nullptr;
  const Failure f =
      failure(make_struct(false, 2, CountArray(lengths), CountArray(places), types, &out));
  EXPECT_EQ(f.error_class, MPI_ERR_TYPE);
  EXPECT_THAT(f.text, HasSubstr("array_of_types[1] is MPI_DATATYPE_NULL"));
  EXPECT_EQ(out, nullptr);
}

TEST_F(MakeTest, SubarraysOutsideOfTheirArrayAreRefusedByName) {
  struct Case {
    int sizes[2], subsizes[2], starts[2], order;
    const char* said;
  };
  const Case cases[] = {
      {{4, 0}, {1, 1}, {0, 0}, MPI_ORDER_C, "array_of_sizes[1] is 0"},
      {{4, 4}, {5, 1}, {0, 0}, MPI_ORDER_C, "array_of_subsizes[0] is 5"},
      {{4, 4}, {1, 0}, {0, 0}, MPI_ORDER_C, "array_of_subsizes[1] is 0"},
      {{4, 4}, {2, 2}, {3, 0}, MPI_ORDER_C, "array_of_starts[0] is 3"},
      {{4, 4}, {2, 2}, {0, -1}, MPI_ORDER_C, "array_of_starts[1] is -1"},
      {{4, 4}, {2, 2}, {0, 0}, 77, "order is 77"},
  };
  for (const Case& c : cases) {
    Datatype* out = nullptr;
    const Failure f = failure(make_subarray(false, 2, CountArray(c.sizes), CountArray(c.subsizes),
                                            CountArray(c.starts), c.order, &named(MPI_INT), &out));
    EXPECT_EQ(f.error_class, MPI_ERR_ARG) << c.said;
    EXPECT_THAT(f.text, HasSubstr(c.said));
    EXPECT_EQ(out, nullptr);
  }
}

TEST_F(MakeTest, DistributedArraysThatDoNotFitTheirGridAreRefusedByName) {
  struct Case {
    int size, rank, gsize, distrib, darg, psize;
    int error_class;
    const char* said;
  };
  const Case cases[] = {
      {0, 0, 8, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 1, MPI_ERR_ARG, "size is 0"},
      {2, 2, 8, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_ERR_RANK, "rank is 2"},
      {2, 0, 8, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 3, MPI_ERR_ARG, "product"},
      {2, 0, 0, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_ERR_ARG, "gsizes[0] is 0"},
      {2, 0, 8, MPI_DISTRIBUTE_BLOCK, 3, 2, MPI_ERR_ARG, "dargs[0] is 3"},
      {2, 0, 8, MPI_DISTRIBUTE_CYCLIC, 0, 2, MPI_ERR_ARG, "dargs[0] is 0"},
      {2, 0, 8, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_ERR_ARG, "psizes[0] is 2"},
      {2, 0, 8, 99, MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_ERR_ARG, "distribs[0] is 99"},
  };
  for (const Case& c : cases) {
    Datatype* out = nullptr;
    const Failure f =
        failure(make_darray(false, c.size, c.rank, 1, CountArray(&c.gsize), &c.distrib, &c.darg,
                            &c.psize, MPI_ORDER_C, &named(MPI_INT), &out));
    EXPECT_EQ(f.error_class, c.error_class) << c.said;
    EXPECT_THAT(f.text, HasSubstr(c.said));
    EXPECT_EQ(out, nullptr);
  }
}

// ---- large counts -------------------------------------------------------------------------------

TEST_F(MakeTest, CountsBeyondIntGiveExactSizes) {
  Datatype* made = nullptr;
  constexpr MPI_Count kCount = (MPI_Count{1} << 40) + 3;
  ASSERT_FALSE(make_contiguous(true, kCount, &named(MPI_DOUBLE), &made));
  const Ref<Datatype> row = Ref<Datatype>::adopt(made);
  EXPECT_EQ(row->size(), 8 * kCount);
  EXPECT_TRUE(row->dense());
  ASSERT_FALSE(make_vector(true, 1000, 1, 3, row.get(), &made));
  const Ref<Datatype> table = Ref<Datatype>::adopt(made);
  EXPECT_EQ(table->size(), 8000 * kCount);
  EXPECT_EQ(table->extent(), (999 * 3 + 1) * 8 * kCount);
  EXPECT_EQ(basic_elements(table->size() - 8, *table), 1000 * kCount - 1);
  EXPECT_EQ(whole_elements(3 * row->size(), *row), 3);
}

TEST_F(MakeTest, TypesTooLargeToTellAreRefused) {
  Datatype* made = nullptr;
  ASSERT_FALSE(make_contiguous(true, MPI_Count{1} << 59, &named(MPI_DOUBLE), &made));
  const Ref<Datatype> most = Ref<Datatype>::adopt(made);
  Datatype* out = nullptr;
  EXPECT_EQ(failure(make_contiguous(true, 2, most.get(), &out)).error_class,
            MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(
      failure(make_vector(true, INT64_MAX, INT64_MAX, INT64_MAX, most.get(), &out)).error_class,
      MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(failure(make_hvector(true, 3, 1, INT64_MIN, &named(MPI_INT), &out)).error_class,
            MPI_ERR_VALUE_TOO_LARGE);
  // Products of their strides leave 128 bits for some counts, and are small numbers then.
  ASSERT_FALSE(make_resized(true, &named(MPI_INT), 0, MPI_Count{1} << 62, &made));
  const Ref<Datatype> wide = Ref<Datatype>::adopt(made);
  for (const MPI_Count count : {3, 16, 17, 18, 33}) {
    EXPECT_EQ(
        failure(make_vector(true, count, 1, MPI_Count{1} << 62, wide.get(), &out)).error_class,
        MPI_ERR_VALUE_TOO_LARGE);
  }
  const MPI_Count far[] = {INT64_MIN, INT64_MAX}, one[] = {1, 1};
  EXPECT_EQ(failure(make_hindexed(true, 2, CountArray(one), CountArray(far), &named(MPI_INT), &out))
                .error_class,
            MPI_ERR_VALUE_TOO_LARGE);
  // The markers of the first would hide that the second one's upper bound does not fit.
  ASSERT_FALSE(make_resized(true, &named(MPI_INT), 0, 100, &made));
  const Ref<Datatype> marked = Ref<Datatype>::adopt(made);
  const MPI_Count apart[] = {0, INT64_MAX - 13};
  const MPI_Datatype pair[] = {
      reinterpret_cast<MPI_Datatype>(object::publish(Ref<Datatype>(marked).leak())),
      MPI_DOUBLE_INT};
  EXPECT_EQ(
      failure(make_struct(true, 2, CountArray(one), CountArray(apart), pair, &out)).error_class,
      MPI_ERR_VALUE_TOO_LARGE);
  const MPI_Count huge[] = {INT64_MAX, INT64_MAX, INT64_MAX}, zero[] = {0, 0, 0},
                  ones[] = {1, 1, 1};
  EXPECT_EQ(failure(make_subarray(true, 3, CountArray(huge), CountArray(ones), CountArray(zero),
                                  MPI_ORDER_C, &named(MPI_INT), &out))
                .error_class,
            MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(out, nullptr);
}

}  // namespace
}  // namespace heddle::datatype
