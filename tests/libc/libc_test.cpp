// Every private piece of libc against its oracle: the same program as a plain process.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/libc/hosted_ranks.h"

namespace heddle::testing {
namespace {

using process::Ending;

constexpr int kRanks = 6;

std::vector<Arguments> for_each_rank(const std::string& what) {
  std::vector<Arguments> arguments;
  for (int i = 0; i < kRanks; ++i) arguments.push_back({what, std::to_string(i)});
  return arguments;
}

// A rank's last line gets its end where a label follows.
std::string with_end(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

class State : public ::testing::TestWithParam<const char*> {};

TEST_P(State, IsARanksOwnAndBehavesAsInAProcess) {
  const std::vector<Arguments> arguments = for_each_rank(GetParam());
  const std::vector<Ended> ranks = run_as_ranks(STATE_IMAGE, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Ended oracle = run_as_process(STATE_PROCESS, arguments[i]);
    EXPECT_FALSE(oracle.output.empty());
    EXPECT_EQ(with_end(ranks[i].output), with_end(oracle.output)) << "rank " << i;
    EXPECT_EQ(ranks[i].errors, oracle.errors) << "rank " << i;
    EXPECT_EQ(ranks[i].status, oracle.status) << "rank " << i;
  }
}

TEST_P(State, BehavesAsInAProcessWhereNobodyHostsTheProgram) {
  const Arguments arguments = {GetParam(), "3"};
  const Ended alone = run_as_process(STATE_IMAGE, arguments);
  const Ended oracle = run_as_process(STATE_PROCESS, arguments);
  EXPECT_EQ(alone.output, oracle.output);
  EXPECT_EQ(alone.errors, oracle.errors);
  EXPECT_EQ(alone.status, oracle.status);
}

INSTANTIATE_TEST_SUITE_P(Libc, State,
                         ::testing::Values("rand", "strtok", "time", "locale", "environment",
                                           "lookups", "directory", "options", "streams", "names",
                                           "complaints"),
                         [](const auto& tested) { return std::string(tested.param); });

void expect_as_in_processes(const char* image, const char* process, const char* what) {
  const std::vector<Arguments> arguments = for_each_rank(what);
  const std::vector<Ended> ranks = run_as_ranks(image, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Ended oracle = run_as_process(process, arguments[i]);
    EXPECT_EQ(ranks[i].output, oracle.output) << "rank " << i;
    EXPECT_EQ(ranks[i].errors, oracle.errors) << "rank " << i;
    EXPECT_EQ(ranks[i].status, oracle.status) << "rank " << i;
  }
}

TEST(Wide, CharactersOnTheStandardStreamsAreAsInAProcess) {
  expect_as_in_processes(WIDE_IMAGE, WIDE_PROCESS, "wide");
}

TEST(Records, AndShiftStatesOfLibcAreARanksOwn) {
  expect_as_in_processes(RECORDS_IMAGE, RECORDS_PROCESS, "multibyte");
  expect_as_in_processes(RECORDS_IMAGE, RECORDS_PROCESS, "records");
  expect_as_in_processes(RECORDS_IMAGE, RECORDS_PROCESS, "rare");
}

class Zones : public ::testing::TestWithParam<const char*> {};

// Ranks of a later round begin with the process's zone, although others have had theirs in between.
TEST_P(Zones, AreARanksOwnAndTheProcessKeepsItsOwn) {
  GetParam() != nullptr ? setenv("TZ", GetParam(), 1) : unsetenv("TZ");
  const std::vector<Arguments> arguments = for_each_rank("");
  std::vector<Ended> oracles;
  for (const Arguments& words : arguments) oracles.push_back(run_as_process(ZONE_PROCESS, words));
  for (const int workers : {1, 2, 1, 2}) {
    const std::vector<Ended> ranks = run_as_ranks(ZONE_IMAGE, arguments, workers);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      EXPECT_EQ(ranks[i].output, oracles[i].output) << "rank " << i << " of " << workers;
      EXPECT_EQ(ranks[i].status, oracles[i].status);
    }
  }
  unsetenv("TZ");
}

INSTANTIATE_TEST_SUITE_P(Libc, Zones, ::testing::Values(nullptr, "Asia/Tokyo", "ABC-4"),
                         [](const auto& tested) {
                           return "of_number_" + std::to_string(tested.index);
                         });

TEST(Zone, IsAsInAProcessWhereNobodyHostsTheProgram) {
  const Ended alone = run_as_process(ZONE_IMAGE, {"", "3"});
  const Ended oracle = run_as_process(ZONE_PROCESS, {"", "3"});
  EXPECT_EQ(alone.output, oracle.output);
  EXPECT_EQ(alone.status, oracle.status);
}

struct Way {
  const char* how;
  Ending ending;
};

class Endings : public ::testing::TestWithParam<Way> {};

TEST_P(Endings, RunWhatTheyRunInAProcess) {
  const std::vector<Arguments> arguments = for_each_rank(GetParam().how);
  const std::vector<Ended> ranks = run_as_ranks(ENDINGS_IMAGE, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Ended oracle = run_as_process(ENDINGS_PROCESS, arguments[i]);
    std::string output = with_end(oracle.output);
    // A rank's last words appear, as those of a process do on a terminal.
    if (!runs_destructors(GetParam().ending))
      output += "left in the buffer " + arguments[i][1] + "\n";
    EXPECT_EQ(with_end(ranks[i].output), output) << "rank " << i;
    EXPECT_EQ(ranks[i].errors, oracle.errors) << "rank " << i;
    EXPECT_EQ(ranks[i].status, oracle.status) << "rank " << i;
    EXPECT_EQ(ranks[i].ending, GetParam().ending) << "rank " << i;
  }
}

TEST_P(Endings, RunTheSameWhereNobodyHostsTheProgram) {
  const Ended alone = run_as_process(ENDINGS_IMAGE, {GetParam().how, "5"});
  const Ended oracle = run_as_process(ENDINGS_PROCESS, {GetParam().how, "5"});
  EXPECT_EQ(alone.output, oracle.output);
  EXPECT_EQ(alone.status, oracle.status);
}

TEST(Complaints, OfAnAssertionNameTheProgramAndTheRanksOthersDoNotMatter) {
  for (const char* what : {"assert", "assert_perror"}) {
    const Ended oracle = run_as_process(STATE_PROCESS, {what, "3"});
    const Ended alone = run_as_process(STATE_IMAGE, {what, "3"});
    EXPECT_NE(oracle.errors.find("program: "), std::string::npos);
    EXPECT_EQ(alone.errors, oracle.errors);
    EXPECT_EQ(alone.status, oracle.status);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Libc, Endings,
    ::testing::Values(Way{"return", Ending::kReturned}, Way{"exit", Ending::kExit},
                      Way{"_exit", Ending::kImmediate}, Way{"_Exit", Ending::kImmediate},
                      Way{"quick_exit", Ending::kQuickExit}, Way{"exit twice", Ending::kExit}),
    [](const auto& tested) {
      std::string name = tested.param.how;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Files, ThatARankLeftOpenAreFlushedAtItsEnd) {
  char folder[] = "/tmp/heddle-libc-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  std::vector<Arguments> arguments;
  for (int i = 0; i < kRanks; ++i) arguments.push_back({folder, std::to_string(i)});
  const std::vector<Ended> ranks = run_as_ranks(FILES_IMAGE, arguments);
  for (int i = 0; i < kRanks; ++i) {
    const std::string number = std::to_string(i);
    const std::string file = std::string(folder) + "/file." + number;
    const std::string output = std::string(folder) + "/stdout." + number;
    EXPECT_EQ(ranks[static_cast<std::size_t>(i)].status, 0);
    EXPECT_EQ(ranks[static_cast<std::size_t>(i)].output, "before freopen\n");
    EXPECT_EQ(text_of(file), "kept for exit by " + number + "\nchild 41\n");
    EXPECT_EQ(text_of(output), "printed to a file by " + number + "\n");
    unlink(file.c_str());
    unlink(output.c_str());
  }
  rmdir(folder);
}

struct Crash {
  const char* how;
  int signal;
  const char* says;  // extended regular expression
};

class Crashes : public ::testing::TestWithParam<Crash> {};

// The dots cover line ends, too: one expression for the whole report.
TEST_P(Crashes, AreReportedWithRankSignalAndPlaceAndEndTheProcessBySignal) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // Under mpiexec it does: tests/launch/jobs.py.
  GTEST_SKIP() << "here is no exec/process/threads, of which a sanitizer learns where the stack is";
#endif
  const Crash& crash = GetParam();
  // One rank, so that it is this one that crashes.
  EXPECT_EXIT(run_as_ranks_here(CRASH_IMAGE, {{crash.how}}),
              ::testing::KilledBySignal(crash.signal),
              std::string("rank 0 crashed: ") + crash.says);
}

INSTANTIATE_TEST_SUITE_P(
    Libc, Crashes,
    ::testing::Values(
        Crash{"pointer", SIGSEGV,
              "segmentation fault .SIGSEGV. at address 0x0(.|\n)*crash_here +crash.c:29"
              "(.|\n)*work +crash.c:45(.|\n)*main +crash.c:54"},
        Crash{"division", SIGFPE, "arithmetic error .SIGFPE.(.|\n)*crash_here +crash.c:30"},
        Crash{"abort", SIGABRT, "abort.. was called .SIGABRT.(.|\n)*crash_here +crash.c:31"},
        Crash{"instruction", SIGILL, "illegal instruction .SIGILL.(.|\n)*crash_here"},
        Crash{"call", SIGSEGV, "segmentation fault(.|\n)*crash_here +crash.c:33"},
        Crash{"wild", SIGSEGV,
              "segmentation fault .SIGSEGV. at address 0x123456789abc\n(.|\n)*0000123456789abc  "
              "[?] *\n.*crash_here +crash.c:35\n.*work +crash.c:45\n.*main +crash.c:54\n"},
        Crash{
            "smashed", SIGSEGV,
            "segmentation fault(.|\n)*smash +crash.c:20\n  The stack is damaged. Return addresses "
            "on it, some may be old:\n(.*\n)*.*main +crash.c:54\n"},
        Crash{"trap", SIGTRAP, "trap .SIGTRAP.\n(.|\n)*crash_here +crash.c:37"},
        Crash{"forbidden", SIGSYS, "forbidden system call .SIGSYS.\n(.|\n)*crash_here +crash.c:38"},
        Crash{"pipe", SIGPIPE,
              "wrote to a pipe or socket that has no reader .SIGPIPE.\n(.|\n)*crash_here "
              "+crash.c:39"},
        Crash{"stack", SIGSEGV,
              "segmentation fault.*its stack of [0-9]+ KiB overflowed(.|\n)*overflow +crash.c:25 "
              ".[0-9]+ "
              "times.(.|\n)*main +crash.c:54"}),
    [](const auto& tested) { return std::string(tested.param.how); });

TEST(Requests, EndTheProcessByTheirSignalWithASentence) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own handlers report crashes";
#endif
  EXPECT_EXIT(run_as_ranks_here(CRASH_IMAGE, {{"quit"}}), ::testing::KilledBySignal(SIGQUIT),
              "mpiexec: asked to quit .SIGQUIT., the job ends");
  EXPECT_EXIT(run_as_ranks_here(CRASH_IMAGE, {{"time"}}), ::testing::KilledBySignal(SIGXCPU),
              "mpiexec: the processor time that ulimit -t allows is used up .SIGXCPU.");
}

}  // namespace
}  // namespace heddle::testing
