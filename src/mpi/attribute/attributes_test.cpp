#include "mpi/attribute/attributes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "exec/rank/rank.h"
#include "mpi/object/handle_table.h"

namespace heddle::attribute {
namespace {

class Owner final : public object::Object {
 public:
  Owner() noexcept : Object(object::Kind::kComm) { set_handle(0x101); }
  Attributes attributes;
};

// What the callbacks below were called with, in order.
struct Event {
  char what;  // 'c'opy or 'd'elete
  MPI_Comm owner;
  int keyval;
  void* value;
  void* extra;
  bool operator==(const Event&) const = default;
};
std::vector<Event> events;
int delete_answer = MPI_SUCCESS;
int copy_answer = MPI_SUCCESS;

void* number(std::uintptr_t n) {
  return reinterpret_cast<void*>(n);
}

// Copies twice the value, unless it is odd.
int copy_even(MPI_Comm owner, int keyval, void* extra, void* value, void* copy, int* flag) {
  events.push_back({'c', owner, keyval, value, extra});
  const auto n = reinterpret_cast<std::uintptr_t>(value);
  *flag = n % 2 == 0;
  if (*flag) *static_cast<void**>(copy) = number(2 * n);
  return copy_answer;
}

int note_delete(MPI_Comm owner, int keyval, void* value, void* extra) {
  events.push_back({'d', owner, keyval, value, extra});
  return delete_answer;
}

class AttributesTest : public ::testing::Test {
 protected:
  AttributesTest() {
    Rank::enter(&rank_);
    events.clear();
    delete_answer = copy_answer = MPI_SUCCESS;
  }
  ~AttributesTest() override { Rank::enter(nullptr); }

  static int create(Keyval::CommCallbacks callbacks, void* extra = nullptr) {
    int keyval = MPI_KEYVAL_INVALID;
    EXPECT_FALSE(create_keyval(callbacks, extra, &keyval));
    return keyval;
  }
  static bool is_known(int keyval) {
    object::Ref<const Keyval> known;
    return !use_keyval(object::Kind::kComm, keyval, &known);
  }
  bool get(const Attributes& attributes, int keyval, void** value) const {
    int found = 0;
    EXPECT_FALSE(attributes.get(keyval, *owner_, value, &found));
    return found != 0;
  }

  Rank rank_{0};
  object::Ref<Owner> owner_ = object::Ref<Owner>::adopt(new Owner());
  Attributes& attributes_ = owner_->attributes;
};

TEST_F(AttributesTest, BehaveLikeAMap) {
  std::vector<int> keyvals;
  for (int i = 0; i < 20; ++i) keyvals.push_back(create({nullptr, nullptr}));
  std::map<int, void*> expected;
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    const int keyval = keyvals[random() % keyvals.size()];
    if (random() % 2 == 0) {
      void* value = number(random());
      EXPECT_FALSE(attributes_.put(keyval, value, *owner_));
      expected[keyval] = value;
    } else {
      EXPECT_FALSE(attributes_.erase(keyval, *owner_));
      expected.erase(keyval);
    }
    for (const int any : keyvals) {
      void* value = nullptr;
      const bool found = get(attributes_, any, &value);
      ASSERT_EQ(found, expected.contains(any));
      if (found) {
        ASSERT_EQ(value, expected[any]);
      }
    }
  }
}

TEST_F(AttributesTest, ReplacingAValueDeletesTheOldOneFirst) {
  const int keyval = create({nullptr, note_delete}, number(9));
  EXPECT_FALSE(attributes_.put(keyval, number(1), *owner_));
  EXPECT_TRUE(events.empty());
  EXPECT_FALSE(attributes_.put(keyval, number(2), *owner_));
  const std::vector<Event> expected = {{'d', MPI_COMM_WORLD, keyval, number(1), number(9)}};
  EXPECT_EQ(events, expected);
}

TEST_F(AttributesTest, AFailingDeleteCallbackKeepsTheValueAndGivesItsCode) {
  const int keyval = create({nullptr, note_delete});
  EXPECT_FALSE(attributes_.put(keyval, number(1), *owner_));
  delete_answer = 4711;
  for (const Error& e : {attributes_.put(keyval, number(2), *owner_),
                         attributes_.erase(keyval, *owner_), attributes_.clear(*owner_)}) {
    ASSERT_TRUE(e);
    EXPECT_EQ(e.error_class(), 4711);
  }
  void* value = nullptr;
  EXPECT_TRUE(get(attributes_, keyval, &value));
  EXPECT_EQ(value, number(1));
}

TEST_F(AttributesTest, ClearDeletesTheYoungestFirst) {
  std::vector<int> keyvals;
  std::vector<Event> expected;
  for (std::uintptr_t i = 0; i < 5; ++i) {
    keyvals.push_back(create({nullptr, note_delete}));
    EXPECT_FALSE(attributes_.put(keyvals.back(), number(i), *owner_));
    expected.insert(expected.begin(), {'d', MPI_COMM_WORLD, keyvals.back(), number(i), nullptr});
  }
  EXPECT_FALSE(attributes_.clear(*owner_));
  EXPECT_EQ(events, expected);
  EXPECT_EQ(attributes_.size(), 0);
}

TEST_F(AttributesTest, AReplacedValueIsTheYoungest) {
  const int old = create({nullptr, note_delete}), young = create({nullptr, note_delete});
  for (const int keyval : {old, young, old}) {
    EXPECT_FALSE(attributes_.put(keyval, number(1), *owner_));
  }
  events.clear();
  EXPECT_FALSE(attributes_.clear(*owner_));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].keyval, old);
  EXPECT_EQ(events[1].keyval, young);
}

// What the callback below is to do with the value that it is called for.
int (*use_again)(Owner& owner, int keyval) = nullptr;

int use_in_delete(MPI_Comm, int keyval, void*, void* owner) {
  return use_again(*static_cast<Owner*>(owner), keyval);
}

TEST_F(AttributesTest, AValueThatIsBeingDeletedCannotBeDeletedByItsOwnCallback) {
  const int keyval = create({nullptr, use_in_delete}, owner_.get());
  EXPECT_FALSE(attributes_.put(keyval, number(1), *owner_));
  use_again = [](Owner& owner, int again) {
    void* value = nullptr;
    int found = 0;
    EXPECT_FALSE(owner.attributes.get(again, owner, &value, &found));
    EXPECT_TRUE(found);
    EXPECT_TRUE(owner.attributes.put(again, number(2), owner));
    return owner.attributes.erase(again, owner).error_class();
  };
  const Error e = attributes_.erase(keyval, *owner_);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), MPI_ERR_OTHER);
  use_again = [](Owner&, int) { return MPI_SUCCESS; };
  EXPECT_FALSE(attributes_.erase(keyval, *owner_));
  EXPECT_EQ(attributes_.size(), 0);
}

// Counts its copies in the value itself.
int count_copies(MPI_Comm, int keyval, void* owner, void* value, void*, int* flag) {
  *flag = 0;
  void* const more = number(reinterpret_cast<std::uintptr_t>(value) + 1);
  auto& mine = *static_cast<Owner*>(owner);
  return mine.attributes.put(keyval, more, mine) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

TEST_F(AttributesTest, ACopyCallbackMayReplaceTheValue) {
  const int keyval = create({count_copies, nullptr}, owner_.get());
  EXPECT_FALSE(attributes_.put(keyval, number(1), *owner_));
  Attributes copy;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(attributes_.copy_to(copy, *owner_));
  void* value = nullptr;
  EXPECT_TRUE(get(attributes_, keyval, &value));
  EXPECT_EQ(value, number(4));
}

TEST_F(AttributesTest, CopyAsksTheCallbacksInOrderAndTakesWhatTheyGive) {
  const int constant_null = create({MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN});
  const int constant_dup = create({MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN});
  const int even = create({copy_even, nullptr}, number(9));
  const int odd = create({copy_even, nullptr});
  std::uintptr_t n = 10;
  for (const int keyval : {constant_null, constant_dup, even, odd}) {
    EXPECT_FALSE(attributes_.put(keyval, number(n++), *owner_));
  }
  Attributes copy;
  EXPECT_FALSE(attributes_.copy_to(copy, *owner_));
  const std::vector<Event> expected = {{'c', MPI_COMM_WORLD, even, number(12), number(9)},
                                       {'c', MPI_COMM_WORLD, odd, number(13), nullptr}};
  EXPECT_EQ(events, expected);
  EXPECT_EQ(copy.size(), 2);
  void* value = nullptr;
  EXPECT_TRUE(get(copy, constant_dup, &value));
  EXPECT_EQ(value, number(11));
  EXPECT_TRUE(get(copy, even, &value));
  EXPECT_EQ(value, number(24));
}

TEST_F(AttributesTest, AFailingCopyCallbackGivesItsCode) {
  const int keyval = create({copy_even, nullptr});
  EXPECT_FALSE(attributes_.put(keyval, number(2), *owner_));
  copy_answer = 99;
  Attributes copy;
  const Error e = attributes_.copy_to(copy, *owner_);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), 99);
  EXPECT_EQ(copy.size(), 0);
}

TEST_F(AttributesTest, AFreedKeyvalIsKnownAsLongAsAnAttributeUsesIt) {
  const int keyval = create({nullptr, note_delete}, number(5));
  EXPECT_FALSE(attributes_.put(keyval, number(1), *owner_));
  for (int times = 0; times < 2; ++times) {
    int freed = keyval;
    EXPECT_FALSE(free_keyval(object::Kind::kComm, &freed));
    EXPECT_EQ(freed, MPI_KEYVAL_INVALID);
  }
  EXPECT_NE(create({nullptr, nullptr}), keyval);
  ASSERT_TRUE(is_known(keyval));
  EXPECT_FALSE(attributes_.erase(keyval, *owner_));
  const std::vector<Event> expected = {{'d', MPI_COMM_WORLD, keyval, number(1), number(5)}};
  EXPECT_EQ(events, expected);
  EXPECT_FALSE(is_known(keyval));
  int freed = keyval;
  EXPECT_TRUE(free_keyval(object::Kind::kComm, &freed));
}

TEST_F(AttributesTest, AKeyvalThatNobodyUsesIsUnknownOnceItIsFreed) {
  const int keyval = create({nullptr, note_delete}, number(5));
  int freed = keyval;
  EXPECT_FALSE(free_keyval(object::Kind::kComm, &freed));
  EXPECT_FALSE(is_known(keyval));
}

TEST_F(AttributesTest, KeyvalsOfOtherClassesAndNumbersThatAreNoneAreErrors) {
  int type_keyval = 0;
  EXPECT_FALSE(create_keyval(Keyval::TypeCallbacks{nullptr, nullptr}, nullptr, &type_keyval));
  for (int keyval : {type_keyval, type_keyval + 1, MPI_KEYVAL_INVALID, int{MPI_TAG_UB}, -5}) {
    object::Ref<const Keyval> found;
    const Error e = use_keyval(object::Kind::kComm, keyval, &found);
    ASSERT_TRUE(e);
    EXPECT_EQ(e.error_class(), MPI_ERR_KEYVAL);
    const Error f = free_keyval(object::Kind::kComm, &keyval);
    ASSERT_TRUE(f);
    EXPECT_EQ(f.error_class(), MPI_ERR_KEYVAL);
  }
  EXPECT_FALSE(free_keyval(object::Kind::kDatatype, &type_keyval));
}

}  // namespace
}  // namespace heddle::attribute
