#include "runtime/carrier/wiring.h"

#include <pthread.h>

#include "base/platform/child_processes.h"
#include "exec/crash/crash.h"
#include "exec/heap/heap.h"
#include "exec/image/image.h"
#include "exec/image/plugins.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/exports/allocator_code.h"
#include "exec/process/locks/robust_mutexes.h"
#include "exec/process/main/wiring.h"
#include "exec/process/signals/dispatch.h"
#include "exec/process/signals/jumps.h"
#include "exec/process/threads/notices.h"
#include "exec/process/threads/threads.h"
#include "exec/ult/executable_stacks.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/strand.h"
#include "runtime/carrier/interruption.h"
#include "runtime/crew/crew.h"
#include "runtime/job_board/job_board.h"

namespace heddle::runtime {

void wire_images(const heddle_job& job) {
  image::Options images;
  images.wait = ult::yield;
  images.reads_float_flags = ult::give_each_its_x87_flags;
  images.wants_executable_stacks = ult::make_stacks_executable;
  for (auto name = job.shared_libraries; name != nullptr && *name != nullptr; ++name) {
    images.shared_libraries.emplace_back(*name);
  }
  image::configure(images);
  const image::CodeRange code = image::allocator_code();
  process::allocator_code = {reinterpret_cast<const void*>(code.begin),
                             reinterpret_cast<const void*>(code.end)};
}

bool has_allocator() noexcept {
  return process::allocator_code.begin != nullptr;
}

Error wire_modules(const heddle_job& job, int ranks_here) {
  platform::note_inherited_children();
  wire_images(job);
  if (Error e = heap::wire(ranks_here, has_allocator())) return e;
  process::Wiring libc;
  libc.output.label_lines = job.label_lines != 0;
  libc.plugins = {image::open_for_current, image::close_for_current, process::notify_in_rank};
  libc.ender = {end_rank_from_thread, end_rank_outside_main, end_rank_inside_mpi,
                [] { process::exit_thread(PTHREAD_CANCELED); }};
  if (Error e = process::wire(libc)) return e;
  process::set_last_act(process::give_up_robust_mutexes);
  crash::install([]() noexcept { return job_board().may_say_why(); });
  process::signals::set_program_code_test(is_program_code);
  process::signals::set_ender_of_left_calls(end_job_for_left_call);
  return {};
}

void unwire_modules() noexcept {
  process::unwire();
}

}  // namespace heddle::runtime
