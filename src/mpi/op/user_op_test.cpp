#include "mpi/op/user_op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/rank/rank.h"
#include "mpi/datatype/make.h"

namespace heddle::op {
namespace {

using datatype::Datatype;
using object::Ref;
using testing::ElementsAre;

class UserOpTest : public testing::Test {
 protected:
  UserOpTest() { Rank::enter(&rank_); }
  ~UserOpTest() override { Rank::enter(nullptr); }
  Rank rank_{0};
};

// What the last call of a user's function was given.
struct Call {
  MPI_Count count = -1;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Count extent = -1;
} last;

// Every first int of an element: inout = 10 * in + inout, which is not commutative.
void combine(const void* in, void* inout, MPI_Count count, MPI_Datatype handle) {
  const Datatype* type = datatype::from_handle(handle);
  last = {count, handle, type == nullptr ? -1 : type->extent()};
  for (MPI_Count i = 0; i < count; ++i) {
    const auto step = static_cast<std::size_t>(i * last.extent);
    const int a = *reinterpret_cast<const int*>(static_cast<const char*>(in) + step);
    int& b = *reinterpret_cast<int*>(static_cast<char*>(inout) + step);
    b += 10 * a;
  }
}
void small(void* in, void* inout, int* count, MPI_Datatype* type) {
  combine(in, inout, *count, *type);
}
void large(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  combine(in, inout, *count, *type);
}

Ref<Op> made(Op* op) {
  return Ref<Op>::adopt(op);
}

TEST_F(UserOpTest, TheFunctionGetsBuffersCountAndTheNamedTypesConstant) {
  Op* op = nullptr;
  ASSERT_FALSE(create(small, 0, &op));
  const Ref<Op> keep = made(op);
  EXPECT_FALSE(op->commutative());
  const int in[] = {1, 2, 3};
  int inout[] = {4, 5, 6};
  ASSERT_FALSE(op->check(datatype::named(MPI_INT)));
  ASSERT_FALSE(reduce_local(in, inout, 3, &datatype::named(MPI_INT), op));
  EXPECT_THAT(inout, ElementsAre(14, 25, 36));
  EXPECT_EQ(last.count, 3);
  EXPECT_EQ(last.type, MPI_INT);
}

TEST_F(UserOpTest, TheFunctionForLargeCountsGetsThemWhole) {
  Op* op = nullptr;
  ASSERT_FALSE(create(large, 1, &op));
  const Ref<Op> keep = made(op);
  int commute = -1;
  ASSERT_FALSE(is_commutative(op, &commute));
  EXPECT_EQ(commute, 1);
  const int in[] = {7};
  int inout[] = {1};
  op->apply(in, inout, 1, datatype::named(MPI_INT));
  EXPECT_THAT(inout, ElementsAre(71));
  EXPECT_EQ(last.count, 1);
}

TEST_F(UserOpTest, DerivedTypesComeAsTheHandleOfTheProgram) {
  Datatype* type = nullptr;
  ASSERT_FALSE(datatype::make_resized(false, &datatype::named(MPI_INT), 0, 12, &type));
  auto handle = reinterpret_cast<MPI_Datatype>(object::publish(type));
  Op* op = nullptr;
  ASSERT_FALSE(create(small, 0, &op));
  const Ref<Op> keep = made(op);
  const int in[] = {1, -1, -1, 2, -1, -1};
  int inout[] = {4, 0, 0, 5, 0, 0};
  op->apply(in, inout, 2, *type);
  EXPECT_THAT(inout, ElementsAre(14, 0, 0, 25, 0, 0));
  EXPECT_EQ(last.type, handle);
  object::retire(object::Kind::kDatatype, reinterpret_cast<object::HandleBits>(handle))->release();
}

TEST_F(UserOpTest, ATypeThatTheProgramHasFreedComesWithAHandleForTheCall) {
  Datatype* type = nullptr;
  ASSERT_FALSE(datatype::make_resized(false, &datatype::named(MPI_INT), 0, 8, &type));
  const Ref<Datatype> kept = Ref<Datatype>::adopt(type);
  Op* op = nullptr;
  ASSERT_FALSE(create(small, 0, &op));
  const Ref<Op> keep = made(op);
  const int in[] = {1, 0};
  int inout[] = {4, 0};
  op->apply(in, inout, 1, *kept);
  EXPECT_EQ(inout[0], 14);
  EXPECT_EQ(last.extent, 8);
  EXPECT_EQ(datatype::from_handle(last.type), nullptr);
  EXPECT_EQ(object::live_count(object::Kind::kDatatype), 0U);
}

MPI_Count told = 0;
int calls = 0;
void tally(void*, void*, int* count, MPI_Datatype*) {
  told += *count;
  ++calls;
}

TEST_F(UserOpTest, CountsBeyondIntAreToldInSeveralCalls) {
  Op* op = nullptr;
  ASSERT_FALSE(create(tally, 0, &op));
  const Ref<Op> keep = made(op);
  told = calls = 0;
  // The function looks at no data, so a byte is enough; extents of 0 keep the addresses there.
  Datatype* type = nullptr;
  ASSERT_FALSE(datatype::make_resized(false, &datatype::named(MPI_BYTE), 0, 0, &type));
  const Ref<Datatype> kept = Ref<Datatype>::adopt(type);
  char byte = 0;
  constexpr MPI_Count kCount = (MPI_Count{1} << 32) + 5;
  op->apply(&byte, &byte, kCount, *kept);
  EXPECT_EQ(told, kCount);
  EXPECT_EQ(calls, 3);
}

TEST_F(UserOpTest, AFreedHandleIsNoOperationAndPredefinedOnesStay) {
  Op* op = nullptr;
  ASSERT_FALSE(create(small, 0, &op));
  auto handle = reinterpret_cast<MPI_Op>(object::publish(op));
  const MPI_Op copy = handle;
  EXPECT_EQ(from_handle(handle), op);
  ASSERT_FALSE(free(&handle));
  EXPECT_EQ(handle, MPI_OP_NULL);
  EXPECT_EQ(from_handle(copy), nullptr);
  for (MPI_Op wrong : {copy, MPI_SUM, MPI_OP_NULL}) {
    MPI_Op argument = wrong;
    Error e = free(&argument);
    ASSERT_TRUE(e);
    EXPECT_EQ(e.error_class(), MPI_ERR_OP);
    EXPECT_EQ(argument, wrong);
  }
}

}  // namespace
}  // namespace heddle::op
