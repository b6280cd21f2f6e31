// heddle_host_main: the programs of one mpiexec as ranks of this process (include/heddle/host.h).
//
//   programs ── inspect each once ── run_job ─┬─ rank: begin_rank, Image::open, run_main,
//                                             │        retire the image, end_rank
//                                             └─ …

#include "heddle/host.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/platform/child_processes.h"
#include "base/settings.h"
#include "exec/crash/crash.h"
#include "exec/image/image.h"
#include "exec/image/plugins.h"
#include "exec/libc/directory.h"
#include "exec/libc/host_hooks.h"
#include "exec/libc/open_files.h"
#include "exec/libc/output.h"
#include "exec/libc/rank_over.h"
#include "exec/libc/run_main.h"
#include "exec/libc/streams.h"
#include "exec/libc/string_code.h"
#include "exec/libc/zone.h"
#include "exec/posix/allocator_code.h"
#include "exec/posix/identity.h"
#include "exec/posix/threads.h"
#include "exec/rank/rank.h"
#include "exec/signals/dispatch.h"
#include "exec/signals/signals.h"
#include "exec/ult/strand.h"
#include "runtime/abort.h"
#include "runtime/job.h"
#include "runtime/run_on_hosts.h"
#include "runtime/start_progress.h"
#include "runtime/started_as.h"

namespace heddle::runtime {
namespace {

// A program of the job with what its ranks share.
struct HostedProgram {
  const heddle_program* face = nullptr;
  image::Program file;
  int first_rank = 0;
  StartedAs start;
};

StartedAs start_of(const heddle_program& face, int number) {
  StartedAs start{number, face.ranks, face.argv[0], {}, face.working_directory};
  for (int i = 1; i < face.argc; ++i) {
    if (i > 1) start.arguments += ' ';
    start.arguments += face.argv[i];
  }
  return start;
}

struct HostedJob {
  std::vector<HostedProgram> programs;
  int ranks = 0;
  StartProgress* progress = nullptr;
};

Error inspect_programs(const heddle_job& job, HostedJob* out) {
  for (int i = 0; i < job.program_count; ++i) {
    const heddle_program& face = job.programs[i];
    HostedProgram& program = out->programs.emplace_back();
    program.face = &face;
    program.first_rank = out->ranks;
    program.start = start_of(face, i);
    if (Error e = image::Program::inspect(face.path, &program.file)) return e;
    out->ranks += face.ranks;
  }
  return {};
}

const HostedProgram& program_of(const HostedJob& job, int rank) {
  const auto after = std::upper_bound(
      job.programs.begin(), job.programs.end(), rank,
      [](int number, const HostedProgram& program) { return number < program.first_rank; });
  return *std::prev(after);
}

// argv is the program's own to change, so each rank gets copies of the strings.
class Arguments {
 public:
  explicit Arguments(const heddle_program& program) {
    for (int i = 0; i < program.argc; ++i) {
      strings_.emplace_back(program.argv[i], program.argv[i] + std::strlen(program.argv[i]) + 1);
    }
    for (std::vector<char>& string : strings_) pointers_.push_back(string.data());
    pointers_.push_back(nullptr);
  }

  int count() const noexcept { return static_cast<int>(strings_.size()); }
  char** pointers() noexcept { return pointers_.data(); }

 private:
  std::vector<std::vector<char>> strings_;
  std::vector<char*> pointers_;
};

Error run_program(const HostedJob& job, int rank, int* status) {
  const HostedProgram& program = program_of(job, rank);
  libc::RankSetup setup;
  setup.environment = program.face->environment;
  setup.working_directory = program.face->working_directory;
  setup.has_input = rank == 0;
  setup.ranks = job.ranks;
  setup.program = program.file.path().c_str();
  setup.argc = program.face->argc;
  setup.argv = program.face->argv;
  if (Error e = libc::begin_rank(setup)) return e;
  signals::begin_rank();
  describe_start(program.start);

  std::unique_ptr<image::Image> image;
  if (Error e = image::Image::open(program.file, &image)) return e;
  if (Error e = libc::check_library()) return e;
  job.progress->rank_started();
  Arguments arguments(*program.face);
  const libc::Result result =
      libc::run_main({image->main(), arguments.count(), arguments.pointers()});
  *status = result.status;
  const bool goes_on =
      !libc::runs_destructors(result.ending) || posix::live_threads(*Rank::current()) != 0;
  if (goes_on) {
    [[maybe_unused]] const image::Image* kept = image.release();
  } else {
    image::Image::retire(std::move(image));
  }
  signals::end_rank();
  libc::end_rank(goes_on);
  return {};
}

int run_rank(int rank, void* context) {
  int status = 0;
  const Error e = run_program(*static_cast<HostedJob*>(context), rank, &status);
  if (e) abort_job(1, e.text());
  return status;
}

// A rank's stack is as large as a process's would be; only touched pages cost memory. One that grows
// without limit cannot be had: the most that any rank gets is address space, of which thousands of
// ranks find enough.
std::size_t stack_bytes_of_a_process() noexcept {
  constexpr std::size_t kLeast = 256 << 10;
  constexpr std::size_t kMost = 1 << 30;
  constexpr std::size_t kUsual = 8 << 20;
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return kUsual;
  return std::clamp<rlim_t>(limit.rlim_cur, kLeast, kMost);  // RLIM_INFINITY is the largest
}

// True if the calling strand is in its program, or in libc for the program.
bool is_in_program() {
  return Rank::current() != nullptr && Rank::current_call == nullptr && !libc::is_loading();
}

bool is_program_code(std::uintptr_t program_counter) {
  if (!is_in_program()) return false;
  const image::Image* image = image::current();
  return image != nullptr && image->has_code_at(program_counter);
}

// True if no other strand can wait for a lock that the calling one holds: it computes, or spins, or compares
// memory until it has changed. A handler of the program may have interrupted any code, so the answer there is no.
bool may_interrupt(std::uintptr_t program_counter, std::uintptr_t top_of_stack) {
  if (signals::in_handler()) return false;
  return is_program_code(program_counter) ||
         (libc::has_string_code_at(program_counter) && is_program_code(top_of_stack));
}

void start_worker(int worker) {
  libc::separate_worker_directory(worker);
  crash::prepare_thread();
}

void stop_worker(int) {
  crash::release_thread();
}

// Sanitizers hold signals back until it is too late to switch.
std::int64_t slice_ns() noexcept {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return 0;
#else
  return 1000 * settings::value(settings::Id::kTimeSlice);
#endif
}

void configure_images(const heddle_job& face) {
  image::Options images;
  images.wait = ult::yield;
  for (auto name = face.shared_libraries; name != nullptr && *name != nullptr; ++name) {
    images.shared_libraries.emplace_back(*name);
  }
  image::configure(images);
  const image::CodeRange code = image::allocator_code();
  posix::allocator_code = {reinterpret_cast<const void*>(code.begin),
                           reinterpret_cast<const void*>(code.end)};
}

// The allocator of the first program that brings one. A program that cannot be loaded is reported when ranks load it.
std::string find_allocator(const heddle_job& job) {
  std::string found;
  const int here = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < job.program_count && found.empty(); ++i) {
    image::Program file;
    // Where libraries are looked for may be relative to its working directory.
    if (::chdir(job.programs[i].working_directory) != 0) continue;
    if (Error e = image::Program::inspect(job.programs[i].path, &file)) continue;
    if (Error e = image::find_allocator(file, &found)) found.clear();
  }
  if (here >= 0 && ::fchdir(here) == 0) ::close(here);
  return found;
}

Error run_hosted(const heddle_job& face, const Pretence& pretence, int* status) {
  platform::note_inherited_children();
  libc::raise_open_files();
  configure_images(face);
  libc::configure_output({face.label_lines != 0});
  libc::set_rank_ender(
      {end_rank_from_thread, end_rank_outside_main, [] { posix::exit(PTHREAD_CANCELED); }});
  libc::set_plugin_loader({image::open_for_current, image::close_for_current});
  crash::install();
  signals::set_program_code_test(is_program_code);
  ult::set_worker_hooks({start_worker, stop_worker});

  HostedJob job;
  if (Error e = inspect_programs(face, &job)) return e;
  if (Error e = libc::capture_libc_streams()) return e;

  StartProgress progress(job.ranks);
  job.progress = &progress;
  JobOptions options;
  options.ranks = job.ranks;
  options.scheduler.workers = face.workers;
  options.scheduler.binding =
      face.binding == HEDDLE_BIND_NONE ? ult::Binding::kNone : ult::Binding::kCore;
  options.scheduler.stack_bytes = stack_bytes_of_a_process();
  options.scheduler.slice_ns = slice_ns();
  options.scheduler.may_interrupt = may_interrupt;
  libc::find_string_code();
  options.scheduler.may_leave = [] {
    return is_in_program() && !posix::is_changing_identity() && !libc::holds_zone();
  };
  options.pretence = pretence;
  options.process_ends = true;
  options.main = run_rank;
  options.context = &job;
  Error failed = run_job(options, status);
  libc::release_libc_streams();
  return failed;
}

int run_and_tell(const heddle_job& job, const Pretence& pretence) {
  int status = 0;
  const Error e = run_hosted(job, pretence, &status);
  if (!e) return status;
  std::fprintf(stderr, "mpiexec: %.*s\n", static_cast<int>(e.text().size()), e.text().data());
  return 1;
}

}  // namespace
}  // namespace heddle::runtime

extern "C" const char* heddle_host_allocator(const struct heddle_job* job) {
  static std::string found;
  heddle::runtime::configure_images(*job);
  found = heddle::runtime::find_allocator(*job);
  return found.empty() ? nullptr : found.c_str();
}

extern "C" int heddle_host_main(const struct heddle_job* job) {
  return heddle::runtime::run_and_tell(*job, {});
}

int heddle_host_on_hosts(const heddle_job* job, const heddle::runtime::Pretence* pretence) {
  return heddle::runtime::run_and_tell(*job, *pretence);
}
