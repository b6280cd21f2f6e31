#include "mpi/datatype/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "exec/rank/rank.h"
#include "mpi/attribute/keyval.h"
#include "mpi/datatype/make.h"
#include "mpi/datatype/packing.h"

namespace heddle::datatype {
namespace {

using object::Ref;
using testing::HasSubstr;

class QueryTest : public testing::Test {
 protected:
  QueryTest() { Rank::enter(&rank_); }
  ~QueryTest() override { Rank::enter(nullptr); }

  // A handle of a new type of three ints.
  static MPI_Datatype three_ints() {
    Datatype* made = nullptr;
    EXPECT_FALSE(make_contiguous(false, 3, &named(MPI_INT), &made));
    return reinterpret_cast<MPI_Datatype>(object::publish(made));
  }
  static std::string name_of(const Datatype& type) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    EXPECT_FALSE(get_name(&type, name, &length));
    EXPECT_EQ(length, static_cast<int>(std::strlen(name)));
    return name;
  }

  Rank rank_{0};
};

TEST_F(QueryTest, AFreedHandleIsNoTypeAnyMore) {
  MPI_Datatype handle = three_ints();
  const MPI_Datatype copy = handle;
  ASSERT_NE(from_handle(handle), nullptr);
  ASSERT_FALSE(free(&handle));
  EXPECT_EQ(handle, MPI_DATATYPE_NULL);
  EXPECT_EQ(from_handle(copy), nullptr);
  MPI_Datatype again = copy;
  Error e = free(&again);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), MPI_ERR_TYPE);
  EXPECT_EQ(again, copy);
}

TEST_F(QueryTest, NamedTypesCannotBeFreed) {
  MPI_Datatype handle = MPI_DOUBLE;
  Error e = free(&handle);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), MPI_ERR_TYPE);
  EXPECT_THAT(std::string(e.text()), HasSubstr("MPI_DOUBLE"));
  EXPECT_EQ(handle, MPI_DOUBLE);
}

TEST_F(QueryTest, ATypeLivesOnInThoseBuiltOnIt) {
  MPI_Datatype inner = three_ints();
  Datatype* made = nullptr;
  ASSERT_FALSE(make_vector(false, 2, 1, 2, from_handle(inner), &made));
  const Ref<Datatype> outer = Ref<Datatype>::adopt(made);
  ASSERT_FALSE(free(&inner));
  EXPECT_EQ(outer->recipe().types[0]->size(), 12);
}

TEST_F(QueryTest, OnlyDerivedTypesNeedACommit) {
  EXPECT_TRUE(named(MPI_INT).committed());
  MPI_Datatype handle = three_ints();
  EXPECT_FALSE(from_handle(handle)->committed());
  ASSERT_FALSE(commit(&handle));
  EXPECT_TRUE(from_handle(handle)->committed());
  Datatype* dup = nullptr;
  ASSERT_FALSE(make_dup(from_handle(handle), &dup));
  EXPECT_TRUE(Ref<Datatype>::adopt(dup)->committed());
  ASSERT_FALSE(free(&handle));
  MPI_Datatype none = MPI_DATATYPE_NULL;
  EXPECT_TRUE(commit(&none));
}

TEST_F(QueryTest, NamesAreKeptAndCutToWhatFits) {
  EXPECT_EQ(name_of(named(MPI_C_DOUBLE_COMPLEX)), "MPI_C_DOUBLE_COMPLEX");
  // Names with "(as a synonym)" in the standard are not the default ones.
  EXPECT_EQ(name_of(named(MPI_C_FLOAT_COMPLEX)), "MPI_C_COMPLEX");
  EXPECT_EQ(name_of(named(MPI_LONG_LONG)), "MPI_LONG_LONG_INT");
  MPI_Datatype handle = three_ints();
  const Datatype& type = *from_handle(handle);
  EXPECT_EQ(name_of(type), "");
  ASSERT_FALSE(set_name(type, "cell"));
  EXPECT_EQ(name_of(type), "cell");
  EXPECT_EQ(describe(type), "\"cell\"");
  ASSERT_FALSE(set_name(type, std::string(1000, 'x').c_str()));
  EXPECT_EQ(name_of(type), std::string(MPI_MAX_OBJECT_NAME - 1, 'x'));
  ASSERT_FALSE(free(&handle));
}

TEST_F(QueryTest, TheNameThatARankGivesToANamedTypeIsItsOwn) {
  Rank other(1);
  ASSERT_FALSE(set_name(named(MPI_INT), "whole number"));
  EXPECT_EQ(name_of(named(MPI_INT)), "whole number");
  Rank::enter(&other);
  EXPECT_EQ(name_of(named(MPI_INT)), "MPI_INT");
  Rank::enter(&rank_);
}

int delete_calls = 0;
int count_delete(MPI_Datatype, int, void*, void*) {
  ++delete_calls;
  return MPI_SUCCESS;
}

TEST_F(QueryTest, AttributesGoWithTheTypeAndAreDeletedWithIt) {
  int keyval = MPI_KEYVAL_INVALID;
  // MPI_TYPE_DUP_FN copies the value.
  attribute::Keyval::TypeCallbacks callbacks{MPI_TYPE_DUP_FN, count_delete};
  ASSERT_FALSE(attribute::create_keyval(callbacks, nullptr, &keyval));
  MPI_Datatype handle = three_ints();
  int value = 5, flag = -1;
  void* found = nullptr;
  ASSERT_FALSE(get_attribute(*from_handle(handle), keyval, &found, &flag));
  EXPECT_EQ(flag, 0);
  ASSERT_FALSE(put_attribute(*from_handle(handle), keyval, &value));
  Datatype* made = nullptr;
  ASSERT_FALSE(make_dup(from_handle(handle), &made));
  auto dup = reinterpret_cast<MPI_Datatype>(object::publish(made));
  ASSERT_FALSE(get_attribute(*from_handle(dup), keyval, &found, &flag));
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(found, &value);
  delete_calls = 0;
  ASSERT_FALSE(delete_attribute(*from_handle(dup), keyval));
  EXPECT_EQ(delete_calls, 1);
  ASSERT_FALSE(free(&handle));
  EXPECT_EQ(delete_calls, 2);
  ASSERT_FALSE(free(&dup));
  EXPECT_EQ(delete_calls, 2);
  ASSERT_FALSE(attribute::free_keyval(object::Kind::kDatatype, &keyval));
}

TEST_F(QueryTest, AddressesAddAndSubtractAcrossTheSignBit) {
  int array[2] = {};
  MPI_Aint first = 0, second = 0;
  ASSERT_FALSE(get_address(&array[0], &first));
  ASSERT_FALSE(get_address(&array[1], &second));
  EXPECT_EQ(subtract_address(second, first), 4);
  EXPECT_EQ(add_address(first, 4), second);
  EXPECT_EQ(add_address(INT64_MAX, 1), INT64_MIN);
}

TEST_F(QueryTest, TypesAreFoundBySizeAndByPair) {
  Datatype* found = nullptr;
  ASSERT_FALSE(match_size(MPI_TYPECLASS_COMPLEX, 16, &found));
  EXPECT_EQ(found->named(), MPI_COMPLEX16);
  EXPECT_TRUE(match_size(MPI_TYPECLASS_REAL, 3, &found));
  EXPECT_TRUE(match_size(12345, 4, &found));
  ASSERT_FALSE(get_value_index(named(MPI_DOUBLE), named(MPI_INT), &found));
  EXPECT_EQ(found->named(), MPI_DOUBLE_INT);
  ASSERT_FALSE(get_value_index(named(MPI_CHAR), named(MPI_INT), &found));
  EXPECT_EQ(found, nullptr);
}

TEST_F(QueryTest, PackAndUnpackMoveThePositionAndStayInTheirRoom) {
  const int sent[] = {1, 2, 3, 4};
  const double more = 2.5;
  char room[24];
  MPI_Count position = 0, size = 0;
  ASSERT_FALSE(pack_size(4, named(MPI_INT), &size));
  EXPECT_EQ(size, 16);
  ASSERT_FALSE(pack_at({sent, 4, &named(MPI_INT)}, room, sizeof room, &position));
  EXPECT_EQ(position, 16);
  ASSERT_FALSE(pack_at({&more, 1, &named(MPI_DOUBLE)}, room, sizeof room, &position));
  EXPECT_EQ(position, 24);
  Error full = pack_at({&more, 1, &named(MPI_DOUBLE)}, room, sizeof room, &position);
  ASSERT_TRUE(full);
  EXPECT_EQ(full.error_class(), MPI_ERR_ARG);
  EXPECT_EQ(position, 24);

  position = 16;
  double got = 0;
  ASSERT_FALSE(unpack_at(room, sizeof room, &position, {&got, 1, &named(MPI_DOUBLE)}));
  EXPECT_EQ(got, 2.5);
  EXPECT_EQ(position, 24);
  position = -1;
  EXPECT_TRUE(unpack_at(room, sizeof room, &position, {&got, 1, &named(MPI_DOUBLE)}));
  EXPECT_TRUE(pack_size(INT64_MAX, named(MPI_INT), &size));
}

}  // namespace
}  // namespace heddle::datatype
