#include "base/intrusive_list.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace heddle {
namespace {

struct Number : ListNode<> {
  explicit Number(int v) : value(v) {}
  int value;
};

std::vector<int> values(IntrusiveList<Number>& list) {
  std::vector<int> result;
  for (Number& number : list) result.push_back(number.value);
  return result;
}

TEST(IntrusiveList, KeepsTheOrderOfInsertion) {
  IntrusiveList<Number> list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.front(), nullptr);
  Number one(1), two(2), three(3);
  list.push_back(two);
  list.push_back(three);
  list.push_front(one);
  EXPECT_EQ(values(list), (std::vector<int>{1, 2, 3}));
}

TEST(IntrusiveList, ErasesFromTheMiddleAndBothEnds) {
  IntrusiveList<Number> list;
  std::array<Number, 4> numbers{Number(1), Number(2), Number(3), Number(4)};
  for (Number& number : numbers) list.push_back(number);
  IntrusiveList<Number>::erase(numbers[1]);
  EXPECT_FALSE(numbers[1].linked());
  EXPECT_EQ(list.pop_front(), &numbers[0]);
  IntrusiveList<Number>::erase(numbers[3]);
  EXPECT_EQ(values(list), std::vector<int>{3});
  EXPECT_EQ(list.pop_front(), &numbers[2]);
  EXPECT_EQ(list.pop_front(), nullptr);
}

}  // namespace
}  // namespace heddle
