#include "runtime/ways/node_cards.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::runtime {
namespace {

NodeCards::Cards some_cards(int count) {
  NodeCards::Cards cards;
  for (int i = 0; i < count; ++i) {
    cards.emplace_back(static_cast<std::size_t>(i * 37 % 1000), static_cast<std::byte>(i));
  }
  return cards;
}

// True if another process, which has opened the file, gets these; null: an error.
bool gets(int descriptor, const NodeCards::Cards* wanted) {
  NodeCards other;
  NodeCards::Cards got;
  if (other.open(dup(descriptor))) return false;
  const Error failed = other.take(&got);
  return wanted == nullptr ? static_cast<bool>(failed) : !failed && got == *wanted;
}

// They wait, or come when all is there.
void expect_that_all_get(const NodeCards::Cards* cards, bool late) {
  NodeCards first;
  ASSERT_FALSE(first.make());
  if (late) {
    ASSERT_FALSE(first.publish(cards));
  }
  pid_t others[20];
  for (pid_t& each : others) {
    each = fork();
    if (each == 0) _exit(gets(first.descriptor(), cards) ? 0 : 1);
  }
  if (!late) {
    ASSERT_FALSE(first.publish(cards));
  }
  for (const pid_t each : others) {
    int status = -1;
    EXPECT_EQ(waitpid(each, &status, 0), each);
    EXPECT_EQ(status, 0);
  }
}

TEST(NodeCards, AllOfANodeGetThem) {
  for (const int count : {0, 1, 500}) {
    const NodeCards::Cards cards = some_cards(count);
    for (const bool late : {false, true}) expect_that_all_get(&cards, late);
  }
}

TEST(NodeCards, OrHearThatTheyCannotBeHad) {
  for (const bool late : {false, true}) expect_that_all_get(nullptr, late);
}

}  // namespace
}  // namespace heddle::runtime
