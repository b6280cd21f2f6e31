// neighbors.h — the Neighbor Message Rate without MPI: processes, threads and the clock.
//
//   process 0: thread 0 <-> process 1, thread 1 <-> process 2, …        each round: 12 messages sent, 12 awaited
//
// A message is 4 bytes, what says which round is the last. Not for more than one measurement a process.

#pragma once

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace heddle::bench {

constexpr int kMostThreads = 32, kBatch = 12, kWarmup = 10;

struct Options {
  int threads = 1;
  int channels = 1;
  std::string_view network = "shm";
  double seconds = 0.3;
};

[[noreturn]] inline void fail(const char* what, const char* why = "") {
  std::fprintf(stderr, "%s: %s %s\n", program_invocation_short_name, what, why);
  std::exit(2);
}

inline Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--threads") {
      options.threads = std::atoi(value);
    } else if (name == "--channels") {
      options.channels = std::atoi(value);
    } else if (name == "--network") {
      options.network = value;
    } else if (name == "--seconds") {
      options.seconds = std::atof(value);
    } else {
      fail("options are --threads N, --channels N, --network NAME and --seconds S");
    }
  }
  if (options.threads < 1 || options.threads > kMostThreads) fail("--threads must be 1 to 32");
  return options;
}

// Process `number` runs follow(number). They are ended by end_followers().
template <class Follow>
void start_followers(int count, Follow follow) {
  for (int number = 1; number <= count; ++number) {
    if (fork() == 0) {
      follow(number);
      _exit(0);
    }
  }
}
inline void end_followers() {
  while (wait(nullptr) > 0) continue;
}

// Messages that all threads have sent, in a second of the slowest. make(thread) gives round(last), for that thread to call.
template <class Make>
double measure(const Options& options, Make make) {
  using Clock = std::chrono::steady_clock;
  const auto count = static_cast<std::size_t>(options.threads);
  std::atomic<std::size_t> ready{0};
  std::vector<double> seconds(count);
  std::vector<std::uint64_t> rounds(count);
  const auto run = [&](std::size_t thread) {
    auto round = make(static_cast<int>(thread));
    for (int i = 0; i < kWarmup; ++i) round(false);
    ++ready;
    while (ready < count) sched_yield();
    const auto start = Clock::now();
    do {
      for (int i = 0; i < 16; ++i) round(false);
      rounds[thread] += 16;
      seconds[thread] = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds[thread] < options.seconds);
    round(true);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sent = 0;
  for (const std::uint64_t of_thread : rounds) sent += of_thread * kBatch;
  return static_cast<double>(sent) / *std::max_element(seconds.begin(), seconds.end());
}

}  // namespace heddle::bench
