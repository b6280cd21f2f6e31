#include "runtime/ways/launcher/pmi1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <thread>
#include <vector>

namespace heddle::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A launcher of the test: hydra's answers, in pieces of a few bytes.
class FakeLauncher {
 public:
  explicit FakeLauncher(int processes, std::string map = "(vector,(0,2,2))") {
    store_["PMI_process_mapping"] = std::move(map);
    for (int i = 0; i < processes; ++i) {
      int pair[2];
      EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
      ours_.push_back(pair[0]);
      theirs_.push_back(pair[1]);
    }
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeLauncher() {
    thread_.join();  // when all processes have closed
    for (const int end : ours_) close(end);
  }
  int descriptor_of(int process) const { return theirs_[static_cast<std::size_t>(process)]; }
  const std::vector<std::string>& aborts() const { return aborts_; }

 private:
  void serve() {
    std::vector<std::string> unread(ours_.size());
    std::vector<pollfd> polled;
    for (const int end : ours_) polled.push_back({end, POLLIN, 0});
    for (std::size_t open = ours_.size(); open > 0;) {
      ASSERT_GT(poll(polled.data(), polled.size(), -1), 0);
      for (std::size_t i = 0; i < polled.size(); ++i) {
        if (polled[i].revents == 0) continue;
        char some[512];
        const ssize_t came = read(ours_[i], some, sizeof some);
        if (came <= 0) {
          polled[i].fd = -1;
          --open;
          continue;
        }
        unread[i].append(some, static_cast<std::size_t>(came));
        for (std::size_t end; (end = unread[i].find('\n')) != std::string::npos;) {
          answer(i, unread[i].substr(0, end));
          unread[i].erase(0, end + 1);
        }
      }
    }
  }

  void answer(std::size_t process, const std::string& line) {
    const std::string_view command = word_of(line, "cmd");
    if (command == "init") {
      say(process, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
    } else if (command == "get_my_kvsname") {
      say(process, "cmd=my_kvsname kvsname=kvs_7_0");
    } else if (command == "put") {
      EXPECT_LE(word_of(line, "value").size(), 1024u);
      EXPECT_LE(word_of(line, "key").size(), 64u);
      pending_[std::string(word_of(line, "key"))] = word_of(line, "value");
      say(process, "cmd=put_result rc=0 msg=success");
    } else if (command == "get") {
      const auto found = store_.find(std::string(word_of(line, "key")));
      say(process, found == store_.end()
                       ? "cmd=get_result rc=-1 msg=key_not_found value=unknown"
                       : "cmd=get_result rc=0 msg=success value=" + found->second);
    } else if (command == "barrier_in") {
      waiting_.push_back(process);
      if (waiting_.size() < ours_.size()) return;
      store_.insert(pending_.begin(), pending_.end());
      for (const std::size_t each : waiting_) say(each, "cmd=barrier_out");
      waiting_.clear();
    } else if (command == "finalize") {
      say(process, "cmd=finalize_ack");
    } else if (command == "abort") {
      aborts_.push_back(line);
    } else {
      ADD_FAILURE() << line;
    }
  }

  void say(std::size_t process, const std::string& line) const {
    const std::string whole = line + "\n";
    for (std::size_t at = 0; at < whole.size(); at += 7) {
      const std::string piece = whole.substr(at, 7);
      EXPECT_EQ(send(ours_[process], piece.data(), piece.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(piece.size()));
    }
  }

  std::vector<int> ours_, theirs_;  // ends, by process
  std::map<std::string, std::string> store_, pending_;
  std::vector<std::size_t> waiting_;
  std::vector<std::string> aborts_;
  std::thread thread_;
};

Card card_of(std::size_t bytes, int seed) {
  Card card;
  for (std::size_t i = 0; i < bytes; ++i)
    card.push_back(static_cast<std::byte>(i * 31 + static_cast<std::size_t>(seed)));
  return card;
}

TEST(Pmi1, FindsTheWordsOfALine) {
  EXPECT_EQ(word_of("cmd=get_result rc=0 msg=success value=abc", "value"), "abc");
  EXPECT_EQ(word_of("cmd=get_result rc=0", "cmd"), "get_result");
  EXPECT_EQ(word_of("kvsname_max=256 kvsname=k", "kvsname"), "k");
  EXPECT_EQ(word_of("xrc=1 rc=", "rc"), "");
  EXPECT_EQ(word_of("a=b=c", "a"), "b=c");
  EXPECT_EQ(word_of("", "a"), "");
  EXPECT_EQ(word_of("  a=1", "a"), "1");
}

TEST(Pmi1, CarriesCardsOfAnyLengthToAllProcesses) {
  constexpr int kProcesses = 4;
  FakeLauncher launcher(kProcesses);
  std::vector<std::thread> processes;
  for (int i = 0; i < kProcesses; ++i) {
    processes.emplace_back([&launcher, i] {
      std::unique_ptr<Launcher> job;
      ASSERT_FALSE(Pmi1::open(launcher.descriptor_of(i), i, kProcesses, "", &job));
      EXPECT_EQ(job->process(), i);
      EXPECT_THAT(job->nodes(), ElementsAre(0, 0, 1, 1));
      const std::size_t lengths[] = {0, 1, 498, 500, 1000, 5000};
      for (const std::size_t bytes : lengths) {
        EXPECT_FALSE(job->put("card" + std::to_string(bytes), card_of(bytes, i)));
      }
      EXPECT_FALSE(job->fence());
      for (int other = 0; other < kProcesses; ++other) {
        for (const std::size_t bytes : lengths) {
          Card card;
          EXPECT_FALSE(job->get(other, "card" + std::to_string(bytes), &card));
          EXPECT_EQ(card, card_of(bytes, other)) << bytes;
        }
      }
      Card none;
      EXPECT_TRUE(job->get(0, "other", &none));
      EXPECT_FALSE(job->fence());
      job->leave();
    });
  }
  for (std::thread& process : processes) process.join();
}

// Processes on these nodes, which each knows of its own, find them whatever the map says.
void expect_nodes(const char* map, const std::vector<int>& nodes) {
  const auto count = static_cast<int>(nodes.size());
  FakeLauncher launcher(count, map);
  std::vector<std::thread> processes;
  for (int i = 0; i < count; ++i) {
    processes.emplace_back([&launcher, &nodes, count, i] {
      const std::string own = "node-" + std::to_string(nodes[static_cast<std::size_t>(i)]) + ".x";
      std::unique_ptr<Launcher> job;
      ASSERT_FALSE(Pmi1::open(launcher.descriptor_of(i), i, count, own, &job));
      ASSERT_EQ(job->nodes().size(), nodes.size());
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        for (std::size_t b = 0; b < nodes.size(); ++b) {
          EXPECT_EQ(job->nodes()[a] == job->nodes()[b], nodes[a] == nodes[b]) << a << ' ' << b;
        }
      }
    });
  }
  for (std::thread& process : processes) process.join();
}

// By what hydra 5.0.2 says of 0 1 0 1 1 and of 0 2 0 2 1 1 0, and by maps that are none.
TEST(Pmi1, AsksTheProcessesWhereTheMapDoesNotTellTheirNodes) {
  expect_nodes("(vector,[(0,2,1)]x2)", {0, 1, 0, 1, 1});
  expect_nodes("(vector,[0,2]x3,0)", {0, 2, 0, 2, 1, 1, 0});
  expect_nodes("", {2, 2, 0});
}

// By what Slurm 22.05 says of srun --distribution=arbitrary --nodelist=n1,n1,n2.
TEST(Pmi1, AsksTheProcessesWhereSlurmsMapIsWrong) {
  setenv("SLURM_DISTRIBUTION", "arbitrary", 1);
  expect_nodes("(vector,(0,3,1))", {0, 0, 1});
  unsetenv("SLURM_DISTRIBUTION");
}

TEST(Pmi1, TellsTheLauncherToEndTheJob) {
  FakeLauncher launcher(1);
  {
    std::unique_ptr<Launcher> job;
    ASSERT_FALSE(Pmi1::open(launcher.descriptor_of(0), 0, 1, "", &job));
    job->abort(3);
    EXPECT_FALSE(job->fence());  // so that the line before has been read
    EXPECT_THAT(launcher.aborts(), ElementsAre("cmd=abort exitcode=3"));
  }
}

// What comes in place of an answer, and a part of the sentence.
TEST(Pmi1, RefusesAnswersThatMakeNoSense) {
  const std::pair<const char*, const char*> kAnswers[] = {
      {"", "does not answer any more"},
      {"cmd=response_to_init pmi_version=1", "does not answer any more"},
      {"hello\n", "another kind"},
      {"cmd=finalize_ack\n", "another kind"},
      {"cmd=response_to_init pmi_version=2 rc=-1\n", "refuses this version"},
      {"cmd=response_to_init rc=0\ncmd=my_kvsname kvsname=k\ncmd=get_result rc=-1\n",
       "does not answer any more"},
      {"cmd=response_to_init rc=0\ncmd=my_kvsname kvsname=k\ncmd=get_result rc=0 value=(vector\n",
       "cannot be read"},
  };
  for (const auto& [answer, sentence] : kAnswers) {
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    const std::string text = answer;
    ASSERT_EQ(write(pair[0], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ASSERT_EQ(shutdown(pair[0], SHUT_WR), 0);
    std::unique_ptr<Launcher> job;
    const Error refused = Pmi1::open(pair[1], 0, 2, "", &job);
    ASSERT_TRUE(refused) << answer;
    EXPECT_THAT(std::string(refused.text()), HasSubstr(sentence));
    close(pair[0]);
  }
}

TEST(Pmi1, RefusesALineWithoutEnd) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  std::thread talker([&] {
    const std::string words(4096, 'x');
    while (send(pair[0], words.data(), words.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  std::unique_ptr<Launcher> job;
  const Error refused = Pmi1::open(pair[1], 0, 2, "", &job);
  EXPECT_TRUE(refused);
  talker.join();
  close(pair[0]);
}

}  // namespace
}  // namespace heddle::launcher
