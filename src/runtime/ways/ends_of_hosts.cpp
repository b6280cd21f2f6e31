#include "runtime/ways/ends_of_hosts.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/platform/foreign.h"
#include "base/platform/own_thread.h"
#include "base/settings.h"
#include "runtime/job_board/abort.h"
#include "runtime/job_board/job_board.h"
#include "runtime/ways/start_bound.h"

namespace heddle::runtime {

namespace {

// Returns when the launcher has read what was printed to this descriptor, or soon: launchers that
// are told to end a job throw away what waits in pipes.
void let_pipe_be_read(int descriptor) noexcept {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr int kMostPauses = 500;
  struct stat file = {};
  if (fstat(descriptor, &file) != 0 || !S_ISFIFO(file.st_mode)) return;
  int waiting = 0;
  for (int i = 0; i < kMostPauses; ++i) {
    if (ioctl(descriptor, FIONREAD, &waiting) != 0 || waiting == 0) return;
    nanosleep(&kPause, nullptr);
  }
}

// This process's own; never destroyed, since the end of the process may still tell them.
std::atomic<launcher::Launcher*> the_launcher{nullptr};
std::atomic<watch::Watch*> the_watch{nullptr};
pid_t its_process = 0;
// Slurm: when a process ends with a status other than 0, srun -K ends the others a tenth of a
// second later, by a signal, and srun's status is the greatest of all: so processes that have been
// told to end do so at once, with the same status.
bool is_slurms = false;

// The watch of such a job only carries words for the listener.
void leave_to_mpiexec(int, const std::string&) {}

// The function that a watch calls at the end of a host; null: there need be none.
watch::Ender ender(const Listener* listener) noexcept {
  if (!job_board().is_shared()) return abort_for_others;
  return listener != nullptr ? leave_to_mpiexec : nullptr;
}

// The job ends, and why was said. The caller then ends its own process.
void tell_of_abort_elsewhere(int status) noexcept {
  if (its_process != getpid()) return;
  // Once: the launcher may keep the first call waiting (crash/patience.h).
  launcher::Launcher* const launcher =
      the_launcher.exchange(nullptr, std::memory_order_acq_rel);  // [L1]
  if (launcher == nullptr) return;
  watch::Watch* const watch = the_watch.load(std::memory_order_acquire);  // [L2]
  if (watch != nullptr) watch->abort(status);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) let_pipe_be_read(descriptor);
  // Slurm would kill the others, which the watch has told to end with this status.
  if (watch == nullptr || !is_slurms) launcher->abort(status);
}

// How sentences name each host: by its ranks.
std::vector<std::string>& names() {
  static auto& of_hosts = *new std::vector<std::string>;
  return of_hosts;
}

std::string name_of(int host) {
  return names()[static_cast<std::size_t>(host)];
}

void name_hosts(const Layout& layout) {
  names().assign(static_cast<std::size_t>(layout.hosts()), "");
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    std::string& name = names()[static_cast<std::size_t>(layout.host(rank))];
    const bool last = rank + 1 == layout.ranks() || layout.host(rank + 1) != layout.host(rank);
    if (name.empty()) {
      name = (last ? "rank " : "ranks ") + std::to_string(rank);
    } else if (last) {
      name += " to " + std::to_string(rank);
    }
  }
}

// Until the process ends.
void* watch_this_host(void*) noexcept {
  JobPage& page = job_board().page();
  Rest rest(page.processor_time_ns());
  do {
    const timespec pause = {.tv_sec = rest.pause_ns() / 1'000'000'000,
                            .tv_nsec = rest.pause_ns() % 1'000'000'000};
    nanosleep(&pause, nullptr);
  } while (!page.wait_in_vain(rest));
  abort_without("another rank", 0, kUnfinalized);
}

// A word for all other hosts, by way of host 0.
void tell_of_left(watch::Watch& watch, int host, int hosts) noexcept {
  const watch::Word word{.kind = watch::WordKind::kLeftEarly, .host = host};
  if (host != 0) {
    static_cast<void>(watch.tell(0, word));
    return;
  }
  for (int other = 1; other < hosts; ++other) static_cast<void>(watch.tell(other, word));
}

// A rank of another host has left.
void hear_of_left_elsewhere() noexcept {
  const MeaningOfEnd meaning = job_board().page().note_end(ProcessPhase::kRunning, 0);
  if (meaning.then == MeaningOfEnd::Then::kEndJob) abort_without("another rank", 0, meaning.where);
  static const bool watched = [] {
    const platform::OwnThread thread{"heddle-left", watch_this_host, nullptr};
    if (platform::start_detached_own_thread(thread) != 0) return false;
    platform::count_own_thread(1);
    return true;
  }();
  static_cast<void>(watched);
}

// What the watch hears and does not understand.
void hear(void* listener, const watch::Word& word, std::string_view text) {
  if (word.kind != watch::WordKind::kLeftEarly) {
    if (listener != nullptr) static_cast<Listener*>(listener)->heard(word, text);
    return;
  }
  hear_of_left_elsewhere();
  watch::Watch* const watch = the_watch.load(std::memory_order_acquire);              // [L2]
  launcher::Launcher* const launcher = the_launcher.load(std::memory_order_acquire);  // [L1]
  if (launcher == nullptr || watch == nullptr || launcher->process() != 0) return;
  tell_of_left(*watch, 0, launcher->processes());
}

}  // namespace

void abort_for_others(int status, const std::string& sentence) noexcept {
  if (!sentence.empty()) abort_job(status, sentence + "; the job cannot go on");
  constexpr timespec kPatience = {.tv_sec = 0, .tv_nsec = 500'000'000};
  if (!is_slurms) nanosleep(&kPatience, nullptr);
  end_silently(status);
}

void tell_ends_to(launcher::Launcher& launcher) noexcept {
  its_process = getpid();
  is_slurms = std::getenv("SLURM_STEP_ID") != nullptr;
  set_teller_of_aborts(tell_of_abort_elsewhere);
  the_launcher.store(&launcher, std::memory_order_release);  // [L1]
}

bool are_ends_watched(const Listener* listener) noexcept {
  return ender(listener) != nullptr;
}

watch::Watch& watch_ends(watch::Options options, const Layout& layout, Listener* listener) {
  name_hosts(layout);
  options.node = name_of_node();
  options.longest_silence_s = static_cast<int>(settings::value(settings::Id::kLongestSilence));
  options.end = ender(listener);
  options.name_of = name_of;
  options.heard = hear;
  options.context = listener;
  auto* const made = new watch::Watch(std::move(options));
  if (listener != nullptr) listener->speak_by(*made);
  the_watch.store(made, std::memory_order_release);  // [L2]
  return *made;
}

void tell_others_of_left(int host, int hosts) noexcept {
  watch::Watch* const watch = the_watch.load(std::memory_order_acquire);  // [L2]
  if (watch != nullptr) tell_of_left(*watch, host, hosts);
}

void leave_watch() noexcept {
  watch::Watch* const watch = the_watch.load(std::memory_order_acquire);  // [L2]
  if (watch != nullptr) watch->leave();
}

}  // namespace heddle::runtime
