#include "launch/mpiexec/processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <vector>

#include "base/platform/child_processes.h"
#include "base/platform/shared_file.h"
#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/host_command.h"
#include "launch/mpiexec/program_file.h"
#include "launch/mpiexec/rank_process.h"
#include "runtime/job_page.h"

namespace heddle::launch {

namespace {

using runtime::JobPage;
using runtime::ProcessPhase;

// Where inherited descriptors are out of the way of a shell's redirections.
constexpr int kFirstDescriptor = 100;

int shared_file(std::size_t bytes) {
  const int made = platform::make_shared_file();
  const int high = made >= 0 ? fcntl(made, F_DUPFD, kFirstDescriptor) : -1;
  if (high < 0 || (bytes != 0 && ftruncate(high, static_cast<off_t>(bytes)) != 0)) {
    throw Failure{1,
                  std::string("no memory can be shared with the ranks: ") + std::strerror(errno)};
  }
  close(made);
  return high;
}

sigset_t signals_to_pass_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    sigaddset(&set, signal);
  }
  return set;
}

class Job {
 public:
  explicit Job(const CommandLine& line);

  void start();
  int wait_for_all();

 private:
  std::string variable(int rank) const;
  void pass_on(const siginfo_t& signal);
  void reap();
  void account(int rank, int status);
  void exited(int rank, int status);
  void look_for_outside_failure();
  void end(int status);
  [[noreturn]] static void die_of(int signal);

  const CommandLine& line_;
  int ranks_ = 0;
  int page_file_ = -1;
  int memory_ = -1;
  JobPage* page_ = nullptr;
  std::vector<pid_t> processes_;  // by rank; 0: it has ended
  int left_ = 0;
  bool ended_ = false;  // by us
  int status_ = 0;
  int last_signal_ = 0;  // that was passed on, or that the terminal has sent to all
  sigset_t waited_for_;
  sigset_t usual_;
};

Job::Job(const CommandLine& line) : line_(line) {
  for (const Section& section : line.sections) ranks_ += section.ranks;
  page_file_ = shared_file(JobPage::bytes(ranks_));
  memory_ = shared_file(0);
  void* const memory =
      mmap(nullptr, JobPage::bytes(ranks_), PROT_READ | PROT_WRITE, MAP_SHARED, page_file_, 0);
  if (memory == MAP_FAILED) throw Failure{1, "no memory can be shared with the ranks"};
  page_ = new (memory) JobPage{};
  page_->kind = JobPage::kKind;
  page_->ranks = ranks_;
  waited_for_ = signals_to_pass_on();
  sigaddset(&waited_for_, SIGCHLD);
  sigprocmask(SIG_BLOCK, &waited_for_, &usual_);
}

std::string Job::variable(int rank) const {
  return std::string(runtime::kProcessVariable) + "=" + std::to_string(rank) + ":" +
         std::to_string(page_file_) + ":" + std::to_string(memory_);
}

void Job::start() {
  platform::note_inherited_children();
  for (const Section& section : line_.sections) {
    RankProcess process(line_, section, usual_);
    for (int i = 0; i < section.ranks; ++i) {
      const int rank = static_cast<int>(processes_.size());
      Failure failure{0, ""};
      const pid_t made = process.start(variable(rank), rank == 0, &failure);
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
    siginfo_t signal = {};
    if (sigwaitinfo(&waited_for_, &signal) < 0) continue;
    if (signal.si_signo == SIGCHLD) {
      reap();
    } else {
      pass_on(signal);
    }
  }
  if (ended_ && last_signal_ != 0 && status_ == 128 + last_signal_) die_of(last_signal_);
  return status_;
}

void Job::pass_on(const siginfo_t& signal) {
  last_signal_ = signal.si_signo;
  if (signal.si_code == SI_KERNEL) return;  // the terminal has sent it to the ranks, too
  for (const pid_t process : processes_) {
    if (process != 0) kill(process, signal.si_signo);
  }
}

void Job::reap() {
  int status = 0;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto found = std::find(processes_.begin(), processes_.end(), ended);
    if (found == processes_.end()) continue;  // a rank has left it behind
    *found = 0;
    --left_;
    if (!ended_) account(static_cast<int>(found - processes_.begin()), status);
  }
}

void Job::account(int rank, int status) {
  if (!WIFSIGNALED(status)) return exited(rank, WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal != last_signal_) {
    std::cerr << "mpiexec: rank " << rank << " was killed by signal " << signal << " ("
              << strsignal(signal) << ")\n";
  }
  end(128 + signal);
}

void Job::exited(int rank, int status) {
  switch (page_->card(rank).phase.load(std::memory_order_seq_cst)) {
    case ProcessPhase::kAborted:
      return end(status);
    case ProcessPhase::kRunning:
      std::cerr << "mpiexec: rank " << rank << " ended with status " << status
                << " without calling MPI_Finalize\n";
      return end(status != 0 ? status : 1);
    case ProcessPhase::kOutside:
      if (status != 0) page_->failed_outside.store(status, std::memory_order_seq_cst);
      break;
    case ProcessPhase::kFinal:
      break;
  }
  if (status_ == 0) status_ = status;
  if (page_->failed_outside.load(std::memory_order_relaxed) != 0) look_for_outside_failure();
}

// See job_page.h.
void Job::look_for_outside_failure() {
  for (int other = 0; other < ranks_; ++other) {
    if (page_->card(other).phase.load(std::memory_order_seq_cst) != ProcessPhase::kRunning)
      continue;
    const int status = page_->failed_outside.load(std::memory_order_relaxed);
    std::cerr << "mpiexec: a rank ended with status " << status
              << " before it called MPI_Init; the other ranks cannot go on\n";
    return end(status);
  }
}

void Job::end(int status) {
  ended_ = true;
  status_ = status;
  platform::end_children();
  reap();
}

void Job::die_of(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  _exit(128 + signal);
}

}  // namespace

void check_for_processes(const CommandLine& line) {
  if (line.label_lines) {
    fail_usage("argument -l is possible only where ranks are threads; see --ranks-as");
  }
}

Words processes_command(const CommandLine& line) {
  Words words{"processes"};
  for (const Section& section : line.sections) add_program(line, section, words);
  return words;
}

int run_processes(const CommandLine& line) {
  set_tunables();
  Job job(line);
  job.start();
  return job.wait_for_all();
}

}  // namespace heddle::launch
