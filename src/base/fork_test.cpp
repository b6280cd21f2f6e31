#include "base/fork.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>

namespace heddle {
namespace {

// What the stages did in this process and, up to the fork, in its parent: one letter and the part each, in order.
std::string trace;

template <std::size_t part>
void add_stages() {
  const auto note = [](char stage) { trace += {stage, static_cast<char>('a' + part)}; };
  static constexpr auto kNote = note;
  at_fork(static_cast<ForkPart>(part), {[] { kNote('h'); }, [] { kNote('r'); },
                                        [](bool of_host) { kNote(of_host ? 'c' : 'C'); }});
}

template <std::size_t... parts>
void add_all_stages(std::index_sequence<parts...>) {
  (add_stages<parts>(), ...);
}

constexpr auto kParts = static_cast<std::size_t>(ForkPart::kCount);

std::string in_order(char stage) {
  std::string steps;
  for (std::size_t i = 0; i < kParts; ++i) steps += {stage, static_cast<char>('a' + i)};
  return steps;
}

std::string in_other_order(char stage) {
  std::string steps;
  for (std::size_t i = kParts; i-- > 0;) steps += {stage, static_cast<char>('a' + i)};
  return steps;
}

// What `tell` says in the child that `make` makes.
template <class Make, class Tell>
std::string of_child(Make make, Tell tell) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = make();
  if (child == 0) {
    const std::string told = tell();
    _exit(write(ends[1], told.data(), told.size()) == static_cast<ssize_t>(told.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string told(4096, '\0');
  told.resize(static_cast<std::size_t>(read(ends[0], told.data(), told.size())));
  close(ends[0]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return told;
}

pid_t raw_fork() {
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
}

std::string answer() {
  return is_child() ? "child" : "host";
}

class Fork : public testing::Test {
 protected:
  void SetUp() override {
    add_all_stages(std::make_index_sequence<kParts>());
    ASSERT_FALSE(become_host());
    trace.clear();
  }
};

TEST_F(Fork, HoldsInOrderAndReleasesInTheOtherOne) {
  of_child(fork, answer);
  EXPECT_EQ(trace, in_order('h') + in_other_order('r'));
}

TEST_F(Fork, TheChildReleasesAllBeforeAnyPartBecomesAChildFromBelow) {
  EXPECT_EQ(of_child(fork, [] { return trace; }),
            in_order('h') + in_other_order('r') + in_other_order('c'));
}

TEST_F(Fork, AChildOfAChildIsToldSo) {
  const auto fork_again = [] {
    trace.clear();
    return of_child(fork, [] { return answer() + " " + trace; });
  };
  EXPECT_EQ(of_child(fork, fork_again),
            "child " + in_order('h') + in_other_order('r') + in_other_order('C'));
}

TEST_F(Fork, WithoutHandlersTheStagesOfAChildCanBeRunByHand) {
  const auto become = [] {
    const std::string before = trace;
    become_child();
    return before + "|" + trace;
  };
  EXPECT_EQ(of_child(raw_fork, become), "|" + in_other_order('c'));
}

TEST_F(Fork, EachKindOfForkMakesAChildAndTheParentIsNone) {
  EXPECT_EQ(of_child(fork, answer), "child");
  EXPECT_EQ(of_child(_Fork, answer), "child");
  EXPECT_EQ(of_child(raw_fork, answer), "child");
  EXPECT_FALSE(is_child());
  EXPECT_EQ(*host_process(), getpid());
}

TEST_F(Fork, AChildThatHostsRanksIsNone) {
  const auto host = [] {
    if (become_host() || *host_process() != getpid()) return std::string("failed");
    return answer() + " " + of_child(fork, answer);
  };
  EXPECT_EQ(of_child(fork, host), "host child");
  EXPECT_FALSE(is_child());
}

// It has its parent's memory until it ends. ThreadSanitizer makes a fork of it.
#if !defined(__SANITIZE_THREAD__)
TEST_F(Fork, AChildOfVforkLeavesItsParentAsItWas) {
  const pid_t child = vfork();
  if (child == 0) _exit(is_child() ? 1 : 0);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(is_child());
  EXPECT_EQ(trace, "");
}
#endif

}  // namespace
}  // namespace heddle
