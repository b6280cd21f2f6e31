#include "mpi/info/info.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "exec/rank/rank.h"
#include "mpi/object/handle_table.h"

namespace heddle::info {
namespace {

class InfoTest : public ::testing::Test {
 protected:
  InfoTest() { Rank::enter(&rank_); }
  ~InfoTest() override { Rank::enter(nullptr); }

  Rank rank_{0};
  object::Ref<Info> info_ = object::Ref<Info>::adopt(new Info());
};

#define EXPECT_CLASS(expression, expected)                        \
  do {                                                            \
    const Error failure = (expression);                           \
    ASSERT_TRUE(failure);                                         \
    EXPECT_EQ(failure.error_class(), expected) << failure.text(); \
  } while (false)
#define EXPECT_FINE(expression)              \
  do {                                       \
    const Error failure = (expression);      \
    EXPECT_FALSE(failure) << failure.text(); \
  } while (false)

TEST_F(InfoTest, BehavesLikeAMapThatKeepsTheOrderOfItsKeys) {
  std::map<std::string, std::string> expected;
  std::vector<std::string> order;
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::string key = "key" + std::to_string(random() % 40);
    if (random() % 3 == 0) {
      const bool was_there = expected.erase(key) > 0;
      std::erase(order, key);
      const Error e = delete_info_key(info_.get(), key.c_str());
      ASSERT_EQ(bool(e), !was_there);
      if (e) {
        ASSERT_EQ(e.error_class(), MPI_ERR_INFO_NOKEY);
      }
    } else {
      const std::string value = std::to_string(random());
      if (expected.insert_or_assign(key, value).second) order.push_back(key);
      EXPECT_FINE(set_info(info_.get(), key.c_str(), value.c_str()));
    }
    int count = -1;
    EXPECT_FINE(count_info_keys(info_.get(), &count));
    ASSERT_EQ(count, static_cast<int>(expected.size()));
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    char key[MPI_MAX_INFO_KEY];
    EXPECT_FINE(get_info_key(info_.get(), static_cast<int>(i), key));
    EXPECT_EQ(key, order[i]);
    char value[MPI_MAX_INFO_VAL];
    int flag = 0;
    EXPECT_FINE(get_info(info_.get(), key, MPI_MAX_INFO_VAL - 1, value, &flag));
    EXPECT_TRUE(flag);
    EXPECT_EQ(value, expected[order[i]]);
  }
}

TEST_F(InfoTest, GetCutsTheValueToTheLengthThatExcludesTheTerminator) {
  info_->set("k", "abcdef");
  char value[8] = "zzzzzzz";
  int flag = 0;
  EXPECT_FINE(get_info(info_.get(), "k", 3, value, &flag));
  EXPECT_STREQ(value, "abc");
  EXPECT_EQ(value[4], 'z');
  int length = 0;
  EXPECT_FINE(get_info_value_length(info_.get(), "k", &length, &flag));
  EXPECT_EQ(length, 6);
}

TEST_F(InfoTest, GetStringCountsTheTerminatorInBothDirections) {
  info_->set("k", "abcdef");
  char value[8] = "zzzzzzz";
  int flag = 0;
  int length = 4;
  EXPECT_FINE(get_info_string(info_.get(), "k", &length, value, &flag));
  EXPECT_STREQ(value, "abc");
  EXPECT_EQ(length, 7);
  length = 0;  // only asks for the length
  EXPECT_FINE(get_info_string(info_.get(), "k", &length, nullptr, &flag));
  EXPECT_EQ(length, 7);
}

TEST_F(InfoTest, AKeyThatIsMissingLeavesTheOutputsAlone) {
  char value[4] = "old";
  int flag = 7;
  int length = 4;
  EXPECT_FINE(get_info_string(info_.get(), "nothing", &length, value, &flag));
  EXPECT_FALSE(flag);
  EXPECT_EQ(length, 4);
  EXPECT_STREQ(value, "old");
  flag = 7;
  EXPECT_FINE(get_info(info_.get(), "nothing", 3, value, &flag));
  EXPECT_FALSE(flag);
  EXPECT_STREQ(value, "old");
}

TEST_F(InfoTest, RefusesKeysAndValuesThatAreTooLongOrEmpty) {
  const std::string long_key(MPI_MAX_INFO_KEY, 'k');
  const std::string long_value(MPI_MAX_INFO_VAL, 'v');
  EXPECT_CLASS(set_info(info_.get(), long_key.c_str(), "v"), MPI_ERR_INFO_KEY);
  EXPECT_CLASS(set_info(info_.get(), "", "v"), MPI_ERR_INFO_KEY);
  EXPECT_CLASS(set_info(info_.get(), "k", long_value.c_str()), MPI_ERR_INFO_VALUE);
  EXPECT_FINE(set_info(info_.get(), long_key.substr(1).c_str(), long_value.substr(1).c_str()));
  EXPECT_FINE(set_info(info_.get(), "k", ""));
}

TEST_F(InfoTest, RefusesTheNullObjectAndEntriesThatAreNotThere) {
  char key[MPI_MAX_INFO_KEY];
  int n = 0;
  EXPECT_CLASS(set_info(nullptr, "k", "v"), MPI_ERR_INFO);
  EXPECT_CLASS(count_info_keys(nullptr, &n), MPI_ERR_INFO);
  EXPECT_CLASS(get_info_key(info_.get(), 0, key), MPI_ERR_ARG);
  EXPECT_CLASS(get_info_key(info_.get(), -1, key), MPI_ERR_ARG);
}

TEST_F(InfoTest, ADuplicateHasTheSameOrderAndALifeOfItsOwn) {
  info_->set("b", "1");
  info_->set("a", "2");
  Info* copy = nullptr;
  EXPECT_FINE(dup_info(info_.get(), &copy));
  const object::Ref<Info> owned = object::Ref<Info>::adopt(copy);
  info_->set("b", "changed");
  const std::vector<Info::KeyValue> expected = {{"b", "1"}, {"a", "2"}};
  EXPECT_EQ(owned->entries(), expected);
}

TEST_F(InfoTest, TheEnvironmentMayBeReadAndDuplicatedButNotChanged) {
  environment().set("command", "./app");
  EXPECT_EQ(from_handle(MPI_INFO_ENV), &environment());
  EXPECT_CLASS(set_info(&environment(), "k", "v"), MPI_ERR_INFO);
  EXPECT_CLASS(delete_info_key(&environment(), "command"), MPI_ERR_INFO);
  MPI_Info handle = MPI_INFO_ENV;
  EXPECT_CLASS(free_info(&handle), MPI_ERR_INFO);
  Info* copy = nullptr;
  EXPECT_FINE(create_environment_info(&copy));
  EXPECT_EQ(copy->get("command"), "./app");
  EXPECT_FINE(set_info(copy, "command", "other"));
  EXPECT_EQ(environment().get("command"), "./app");
  copy->release();
}

TEST_F(InfoTest, FreeMakesTheHandleNullAndWorksOnce) {
  auto handle = reinterpret_cast<MPI_Info>(publish(new Info()));
  MPI_Info again = handle;
  EXPECT_FINE(free_info(&handle));
  EXPECT_EQ(handle, MPI_INFO_NULL);
  EXPECT_CLASS(free_info(&again), MPI_ERR_INFO);
  EXPECT_CLASS(free_info(&handle), MPI_ERR_INFO);
}

}  // namespace
}  // namespace heddle::info
