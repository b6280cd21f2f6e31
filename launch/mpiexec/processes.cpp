#include "launch/mpiexec/processes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <optional>
#include <vector>

#include "base/platform/child_processes.h"
#include "base/platform/clock.h"
#include "base/platform/openmp_segment.h"
#include "base/platform/shared_file.h"
#include "launch/mpiexec/child_process.h"
#include "launch/mpiexec/cpus_of_processes.h"
#include "launch/mpiexec/environment.h"
#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/host_command.h"
#include "launch/mpiexec/labels.h"
#include "launch/mpiexec/program_file.h"
#include "launch/mpiexec/reports.h"
#include "launch/mpiexec/signals.h"
#include "launch/mpiexec/supervisor.h"
#include "launch/mpiexec/time_limit.h"
#include "net/transport/shm/segment.h"
#include "runtime/job_board/job_page.h"
#include "runtime/job_board/rest.h"
#include "runtime/judge/time_limit.h"
#include "runtime/ways/layout.h"

namespace heddle::launch {

namespace {

using runtime::JobPage;
using runtime::ProcessPhase;

// Where inherited descriptors are out of the way of a shell's redirections.
constexpr int kFirstDescriptor = 100;

int shared_file(std::size_t bytes) {
  const int made = platform::make_shared_file();
  const int high = made >= 0 ? fcntl(made, F_DUPFD, kFirstDescriptor) : -1;
  if (high < 0 && errno == EINVAL) errno = EMFILE;  // such numbers are beyond the limit
  if (high < 0 || (bytes != 0 && ftruncate(high, static_cast<off_t>(bytes)) != 0)) {
    throw Failure{1, std::string("no memory can be shared with the ranks: ") + cause_of(errno)};
  }
  close(made);
  return high;
}

// Allows as many open files as mpiexec may have: labels need two for each rank.
rlimit raise_file_limit() {
  rlimit usual{};
  getrlimit(RLIMIT_NOFILE, &usual);
  const rlimit most = {.rlim_cur = usual.rlim_max, .rlim_max = usual.rlim_max};
  setrlimit(RLIMIT_NOFILE, &most);
  return usual;
}

int ranks_of(const CommandLine& line) {
  int ranks = 0;
  for (const Section& section : line.sections) ranks += section.ranks;
  return ranks;
}

// Consecutive processes of one kind.
struct Group {
  ChildProcess process;
  int processes;
};

class Job {
 public:
  Job(const CommandLine& line, const Signals& signals);

  void start();
  int wait_for_all();

 private:
  std::vector<Group> groups() const;
  std::string variable(int process) const;
  std::string name_of(int process) const;
  Streams streams_of(int process);
  void await_news();
  void hear_signals();
  void reap();
  void account(int process, int status);
  void exited(int process, int status);
  void tell_end(int process);
  void watch_others(int process, const char* without);
  void look_whether_others_rest();
  void look_at_clock();
  void end_for(int process, int status, const char* where, const char* why = "");
  void end(int status);

  const CommandLine& line_;
  const Signals& signals_;
  const UsualState usual_;
  const int ranks_;
  const int count_;  // of processes
  int page_file_ = -1;
  int memory_ = -1;
  JobPage* page_ = nullptr;
  std::optional<TimeLimit> limit_;
  std::vector<pid_t> processes_;  // by number; 0: it has ended
  int left_ = 0;
  bool ended_ = false;  // by us
  int status_ = 0;
  int last_signal_ = 0;  // that was passed on, or that the terminal has sent to all
  Labels labels_;        // used where ranks are processes and line_ asks for labels

  // Once a process has ended with status 0 and MPI running: the first one, and what it left out.
  int left_early_ = 0;
  const char* without_ = nullptr;
  std::optional<runtime::Rest> rest_;  // of the others
  std::int64_t next_look_ns_ = 0;
};

JobPage* new_page(int file, std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) throw Failure{1, "no memory can be shared with the ranks"};
  auto* const page = new (memory) JobPage{};
  page->kind = JobPage::kKind;
  return page;
}

Job::Job(const CommandLine& line, const Signals& signals)
    : line_(line),
      signals_(signals),
      usual_{signals.usual_mask(), raise_file_limit()},
      ranks_(ranks_of(line)),
      count_(line.processes == 0 ? ranks_ : std::min(line.processes, ranks_)),
      memory_(shared_file(0)) {
  const runtime::FiguresInPage figures = figures_of(line, ranks_);
  const std::size_t bytes = JobPage::bytes(count_, figures);
  page_file_ = shared_file(bytes);
  page_ = new_page(page_file_, bytes);
  page_->processes = count_;
  page_->figures = figures;
  page_->checks_deadlock = line.checks_deadlock;
  limit_.emplace(line, *page_);
}

std::vector<Group> Job::groups() const {
  if (line_.processes != 0) return {{ChildProcess(host_command(line_), usual_), count_}};
  std::vector<Group> groups;
  for (const Section& section : line_.sections) {
    groups.push_back({ChildProcess(line_, section, usual_), section.ranks});
  }
  return groups;
}

std::string Job::variable(int process) const {
  return std::string(runtime::kProcessVariable) + "=" + std::to_string(process) + ":" +
         std::to_string(page_file_) + ":" + std::to_string(memory_);
}

// The processes share out the ranks as runtime/ways/layout.h says.
std::string Job::name_of(int process) const {
  int first = ranks_;
  int last = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (runtime::host_in_blocks(rank, ranks_, count_) != process) continue;
    first = std::min(first, rank);
    last = rank;
  }
  if (first == last) return "rank " + std::to_string(first);
  return "the process of ranks " + std::to_string(first) + " to " + std::to_string(last);
}

Streams Job::streams_of(int process) {
  Streams streams{.has_input = process == 0};
  if (!line_.label_lines || line_.processes != 0) return streams;
  const auto ends = labels_.add();
  streams.output = ends[0];
  streams.errors = ends[1];
  return streams;
}

void Job::start() {
  const std::vector<std::vector<int>> cpus = cpus_of_processes(line_, count_);
  for (Group& group : groups()) {
    for (int i = 0; i < group.processes; ++i) {
      const int number = static_cast<int>(processes_.size());
      const Streams streams = streams_of(number);
      Failure failure{0, ""};
      const pid_t made = group.process.start(variable(number), streams,
                                             cpus[static_cast<std::size_t>(number)], &failure);
      if (streams.output >= 0) labels_.started();
      if (made <= 0) {
        platform::end_children();
        throw failure;
      }
      processes_.push_back(made);
      ++left_;
    }
  }
}

int Job::wait_for_all() {
  while (left_ > 0) {
    await_news();
    hear_signals();
    look_whether_others_rest();
    look_at_clock();
    labels_.serve();
  }
  for (labels_.finish(); labels_.has_waiting(); labels_.serve()) {
    await_news();
    hear_signals();
    if (last_signal_ != 0) break;
  }
  print_figures(*page_);
  join_traces(count_);
  if (ended_ && last_signal_ != 0 && status_ == 128 + last_signal_) die_of(last_signal_);
  return status_;
}

void Job::await_news() {
  std::vector<pollfd> descriptors{{.fd = signals_.descriptor(), .events = POLLIN, .revents = 0}};
  labels_.await(descriptors);
  constexpr std::int64_t kMillisecond = 1'000'000;
  int pause = limit_->pause_ms();
  if (rest_) {
    const int rest = static_cast<int>(rest_->pause_ns() / kMillisecond);
    pause = pause < 0 ? rest : std::min(pause, rest);
  }
  poll(descriptors.data(), descriptors.size(), pause);
}

void Job::hear_signals() {
  signalfd_siginfo signal;
  while (signals_.next(&signal)) {
    const int number = static_cast<int>(signal.ssi_signo);
    if (number == SIGCHLD) {
      reap();
    } else if (number == Signals::parent_has_ended()) {
      end(128 + SIGKILL);
    } else {
      if (number != SIGTSTP && number != SIGCONT) last_signal_ = number;
      pass_on(signal, processes_, SIGSTOP);
    }
  }
}

void Job::reap() {
  int status = 0;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto found = std::find(processes_.begin(), processes_.end(), ended);
    if (found == processes_.end()) continue;  // a rank has left it behind
    *found = 0;
    --left_;
    platform::remove_openmp_segment(ended);
    if (!ended_) account(static_cast<int>(found - processes_.begin()), status);
  }
}

void Job::account(int process, int status) {
  if (!WIFSIGNALED(status)) return exited(process, WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal != last_signal_ && page_->may_say()) {
    std::cerr << "mpiexec: " << name_of(process) << " was killed by signal " << signal << " ("
              << strsignal(signal) << ")\n";
  }
  end(128 + signal);
}

// Processes that wait in sessions look whether all do (runtime/judge/deadlock_between.h).
void Job::tell_end(int process) {
  page_->card(process).still.store(runtime::Card::kEnded, std::memory_order_seq_cst);
  if (page_->checks_deadlock && page_->any_stays()) transport::Segment::ring_all(memory_, count_);
}

void Job::exited(int process, int status) {
  using Then = runtime::MeaningOfEnd::Then;
  runtime::Card& card = page_->card(process);
  const ProcessPhase phase = card.phase.load(std::memory_order_seq_cst);
  card.left.store(card.inside, std::memory_order_seq_cst);  // all of its ranks
  const auto [then, where] = page_->note_end(phase, status);
  const bool outside = phase == ProcessPhase::kOutside;
  switch (then) {
    case Then::kWasSaid:
      return end(status);
    case Then::kEndJob:
      return end_for(process, status, where, outside ? "; the other ranks cannot go on" : "");
    case Then::kWatchOthers:
      return watch_others(process, where);
    case Then::kNothing:
      break;
  }
  if (status_ == 0) status_ = status;
  tell_end(process);
}

void Job::watch_others(int process, const char* without) {
  if (rest_) return;
  left_early_ = process;
  without_ = without;
  rest_.emplace(page_->processor_time_ns());
  next_look_ns_ = platform::now_ns() + rest_->pause_ns();
}

void Job::look_whether_others_rest() {
  const std::int64_t now = platform::now_ns();
  if (!rest_ || left_ == 0 || now < next_look_ns_) return;
  if (page_->wait_in_vain(*rest_)) return end_for(left_early_, 0, without_);
  next_look_ns_ = now + rest_->pause_ns();
}

void Job::look_at_clock() {
  if (ended_ || left_ == 0 || !limit_->is_over(processes_)) return;
  if (page_->may_say()) {
    std::cerr << "mpiexec: " << limit_->report(processes_, [this](int process) {
      return name_of(process);
    }) << '\n';
  }
  end(runtime::kTimeOutStatus);
}

void Job::end_for(int process, int status, const char* where, const char* why) {
  if (page_->may_say()) {
    std::cerr << "mpiexec: " << name_of(process) << " ended with status " << status << ' ' << where
              << why << '\n';
  }
  end(status != 0 ? status : 1);
}

void Job::end(int status) {
  ended_ = true;
  status_ = status;
  platform::end_children();
  reap();
}

}  // namespace

Words processes_command(const CommandLine& line) {
  if (line.processes != 0) return host_command(line);
  Words words{"processes"};
  for (const Section& section : line.sections) add_program(line, section, words);
  return words;
}

int run_processes(const CommandLine& line) {
  set_tunables();
  if (line.processes != 0) apply_environment(line);
  const Signals signals;
  int status = 0;
  if (!become_supervisor(signals, &status)) return status;
  Job job(line, signals);
  job.start();
  return job.wait_for_all();
}

}  // namespace heddle::launch
