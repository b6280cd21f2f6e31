#include "exec/process/state/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

namespace heddle::process {
namespace {

// A pipe whose reader collects everything on a thread of its own.
class Collector {
 public:
  explicit Collector(int flags = 0) {
    EXPECT_EQ(pipe2(ends_, flags), 0);
    reader_ = std::thread([this] {
      char bytes[777];
      for (;;) {
        const ssize_t size = read(ends_[0], bytes, sizeof bytes);
        if (size == 0) return;
        if (size > 0) text_.append(bytes, static_cast<std::size_t>(size));
      }
    });
  }
  int writer() const noexcept { return ends_[1]; }
  std::string finish() {
    close(ends_[1]);
    reader_.join();
    close(ends_[0]);
    return text_;
  }

 private:
  int ends_[2] = {-1, -1};
  std::string text_;
  std::thread reader_;
};

ssize_t write_text(LineWriter& writer, const std::string& text) {
  return writer.write(text.data(), text.size());
}

TEST(LineWriter, KeepsTheBeginningOfALineUntilItsEndComes) {
  Collector collector;
  Sink sink(collector.writer());
  LineWriter one(sink, 1), two(sink, 2);
  EXPECT_EQ(write_text(one, "first "), 6);
  EXPECT_EQ(write_text(two, "other\nrest "), 11);
  EXPECT_EQ(write_text(one, "line\nsecond\nthi"), 15);
  two.flush();
  one.flush();
  EXPECT_EQ(collector.finish(), "other\nfirst line\nsecond\nrest \nthi");
}

TEST(LineWriter, EmitsALineThatGrowsTooLong) {
  Collector collector;
  Sink sink(collector.writer());
  LineWriter writer(sink, 0);
  const std::string piece(10'000, 'x');
  for (int i = 0; i < 20; ++i) EXPECT_EQ(write_text(writer, piece), 10'000);
  writer.flush();
  EXPECT_EQ(collector.finish(), std::string(200'000, 'x'));
}

TEST(LineWriter, SaysWhatWriteSaysWhenNobodyReads) {
  signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  Sink sink(ends[1]);
  LineWriter writer(sink, 0);
  EXPECT_EQ(write_text(writer, "line\n"), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
}

// Lines of random lengths, written in random pieces by several ranks at once.
void write_many(LineWriter& writer, int rank, int lines, unsigned seed) {
  std::mt19937 random(seed + static_cast<unsigned>(rank));
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += std::to_string(rank) + " " + std::to_string(i) + " ";
    text.append(random() % (i % 100 == 0 ? 20'000 : 60), static_cast<char>('a' + rank));
    text += '\n';
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min<std::size_t>(1 + random() % 5000, text.size() - at);
    ASSERT_EQ(writer.write(text.data() + at, size), static_cast<ssize_t>(size));
    at += size;
  }
}

void expect_whole_lines(const std::string& text, int ranks, int lines) {
  std::map<int, int> next;
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line)) {
    int rank = -1, number = -1, length = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%d %d %n", &rank, &number, &length), 2) << line;
    ASSERT_EQ(number, next[rank]++) << "lines of a rank keep their order";
    ASSERT_EQ(line.find_first_not_of(static_cast<char>('a' + rank), static_cast<size_t>(length)),
              std::string::npos)
        << "another rank's text in the line";
  }
  for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(next[rank], lines);
}

TEST(LineWriter, NeverMixesLinesOfRanksThatPrintAtTheSameTime) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const int flags : {0, O_NONBLOCK}) {  // nonblocking: EAGAIN when the pipe is full
    Collector collector(flags);
    Sink sink(collector.writer());
    std::vector<std::unique_ptr<LineWriter>> writers;
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < 4; ++rank) {
      writers.push_back(std::make_unique<LineWriter>(sink, rank));
    }
    for (int rank = 0; rank < 4; ++rank) {
      ranks.emplace_back(
          [&, rank] { write_many(*writers[static_cast<std::size_t>(rank)], rank, 1000, seed); });
    }
    for (std::thread& rank : ranks) rank.join();
    expect_whole_lines(collector.finish(), 4, 1000);
  }
}

}  // namespace
}  // namespace heddle::process
