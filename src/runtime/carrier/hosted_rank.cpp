#include <sys/utsname.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/settings.h"
#include "exec/heap/heap.h"
#include "exec/image/image.h"
#include "exec/process/locks/robust_mutexes.h"
#include "exec/process/main/run_main.h"
#include "exec/process/program/plugins.h"
#include "exec/process/signals/signals.h"
#include "exec/process/threads/threads.h"
#include "exec/rank/rank.h"
#include "mpi/comm/comm_attributes.h"
#include "mpi/info/info.h"
#include "runtime/carrier/hosted_job.h"
#include "runtime/carrier/start_progress.h"
#include "runtime/job_board/abort.h"

namespace heddle::runtime {

namespace {

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

// The data of the program goes where its rank goes.
void add_pages(const image::Image& image) {
  if (!heap::has_following_pages()) return;
  for (const image::CodeRange& pages : image.data_pages())
    heap::add_pages(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin);
}

// Stores it for the calling rank. Before its program runs.
void describe_start(const StartedAs& start) {
  comm::environment().application = start.application;
  info::Info& info = info::environment();
  info.set("command", start.command);
  info.set("argv", start.arguments);
  info.set("maxprocs", std::to_string(start.ranks));
  info.set("wdir", start.directory);
  const settings::Setting& handler = settings::setting_of(settings::Id::kInitialErrhandler);
  const auto chosen = static_cast<std::size_t>(settings::value(settings::Id::kInitialErrhandler));
  info.set("mpi_initial_errhandler", handler.choices[chosen]);
  utsname machine = {};
  if (uname(&machine) != 0) return;
  info.set("host", machine.nodename);
  info.set("arch", machine.machine);
}

Error run_program(const HostedJob& job, int rank, int* status) {
  const HostedProgram& program = program_of(job, rank);
  process::RankSetup setup;
  setup.environment = program.face->environment;
  setup.working_directory = program.face->working_directory;
  setup.has_input = rank == 0;
  setup.ranks = job.ranks;
  setup.ranks_here = job.ranks_here;
  setup.program = program.file.path().c_str();
  setup.argc = program.face->argc;
  setup.argv = program.face->argv;
  if (Error e = process::begin_rank(setup)) return e;
  process::signals::begin_rank();
  describe_start(program.start);

  std::unique_ptr<image::Image> image;
  if (Error e = image::Image::open(program.file, &image)) return e;
  if (Error e = process::check_library()) return e;
  add_pages(*image);
  job.progress->rank_started();
  Arguments arguments(*program.face);
  const process::Result result =
      process::run_main({image->main(), arguments.count(), arguments.pointers()});
  *status = result.status;
  const bool goes_on =
      !process::runs_destructors(result.ending) || process::live_threads(*Rank::current()) != 0;
  if (goes_on) {
    if (process::runs_destructors(result.ending)) image->close_units();
    [[maybe_unused]] const image::Image* kept = image.release();
  } else {
    // Destructors may start and end a libomp (exec/process/program/of_rank/openmp.cpp).
    const process::Alone alone;
    image::Image::retire(std::move(image));
  }
  process::give_up_robust_mutexes();
  process::signals::end_rank();
  process::end_rank(goes_on);
  return {};
}

}  // namespace

int run_hosted_rank(int rank, void* job) {
  int status = 0;
  const Error e = run_program(*static_cast<HostedJob*>(job), rank, &status);
  if (e) abort_job(1, e.text());
  return status;
}

}  // namespace heddle::runtime
