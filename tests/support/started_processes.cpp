#include "tests/support/started_processes.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "base/platform/shared_file.h"
#include "runtime/job_board/job_page.h"

namespace heddle::testing {

namespace {

using runtime::JobPage;

// Never unmapped: the processes have it.
int make_page(int processes) {
  const int file = platform::make_shared_file();
  const std::size_t bytes = JobPage::bytes(processes, {});
  void* const memory = file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0
                           ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                           : MAP_FAILED;
  if (memory == MAP_FAILED) std::abort();
  auto* const page = new (memory) JobPage{};
  page->kind = JobPage::kKind;
  page->processes = processes;
  munmap(memory, bytes);
  return file;
}

[[noreturn]] void become(int process, int page, int memory,
                         const std::function<bool(int process)>& run) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string words =
      std::to_string(process) + ":" + std::to_string(page) + ":" + std::to_string(memory);
  setenv(runtime::kProcessVariable, words.c_str(), 1);
  const bool well = run(process);
  std::fflush(nullptr);
  _exit(well ? 0 : 1);
}

}  // namespace

int processes_wanted(int ranks) {
  const char* const text = std::getenv("HEDDLE_TEST_PROCESSES");
  if (text == nullptr) return 0;
  if (std::string(text) == "each") return ranks;
  return std::clamp(std::atoi(text), 1, ranks);
}

bool run_in_processes(int processes, const std::function<bool(int process)>& run) {
  const int page = make_page(processes);
  const int memory = platform::make_shared_file();
  std::fflush(nullptr);
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child == 0) become(i, page, memory, run);
    children.push_back(child);
  }
  close(page);
  close(memory);
  bool well = true;
  int status = 0;
  for (pid_t ended; (ended = wait(&status)) > 0;) {
    std::erase(children, ended);
    if (status == 0) continue;
    if (well) std::fprintf(stderr, "a process of the test has ended with wait status %d\n", status);
    well = false;
    for (const pid_t other : children) kill(other, SIGKILL);
  }
  return well;
}

}  // namespace heddle::testing
