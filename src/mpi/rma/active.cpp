// Active targets: fences, and post-start-complete-wait (MPI 5.0 §12.5.1, §12.5.2).

#include <string>

#include "base/standing.h"
#include "exec/ult/stillness.h"
#include "exec/ult/strand.h"
#include "mpi/coll/coll.h"
#include "mpi/rma/checks.h"
#include "mpi/rma/mapped.h"
#include "mpi/rma/remote.h"
#include "mpi/rma/sync.h"

namespace heddle::rma {

namespace {

// The ranks that a group's members have in the window.
Error ranks_of(const group::Group& group, const Window& window, std::vector<int>* ranks) {
  const group::Group& members = window.comm().group();
  ranks->clear();
  for (const world::Process* process : group.members()) {
    const int rank = members.rank_of(*process);
    if (rank == MPI_UNDEFINED) {
      return Error::make(MPI_ERR_GROUP, "argument group has %s, which is no member of %s",
                         world::describe(process->name()).c_str(), describe(window).c_str());
    }
    ranks->push_back(rank);
  }
  return {};
}

// For reports.
Window& window_of(const void* subject) noexcept {
  return *const_cast<Window*>(static_cast<const Window*>(subject));
}

std::string text_of_start(const void* subject) {
  Window& window = window_of(subject);
  const Window::Exposure& exposure = window.exposure();
  std::string ranks;
  for (const int target : exposure.started) {
    const auto index = static_cast<std::size_t>(target);
    const bool has_come =
        window.part().words().posted(window.rank(), target).load(std::memory_order_relaxed) !=
        exposure.taken[index];
    if (!has_come) ranks += (ranks.empty() ? "rank " : ", rank ") + std::to_string(target);
  }
  return "MPI_Win_post of " + ranks + " on " + describe(window);
}

std::string text_of_wait(const void* subject) {
  Window& window = window_of(subject);
  const std::uint32_t missing =
      window.exposure().completes - window.words().completed.load(std::memory_order_relaxed);
  return "MPI_Win_complete of " + std::to_string(missing) + " ranks on " + describe(window);
}

Error need_exposed(const Window& window, const char* call) {
  return Error::make(MPI_ERR_RMA_SYNC,
                     "the rank has not posted %s, so there is nothing that %s ends",
                     describe(window).c_str(), call);
}

bool all_have_completed(Window& window) noexcept {
  // seq_cst: with Awaited.
  return window.words().completed.load(std::memory_order_seq_cst) == window.exposure().completes;
}

// After a change of what `rank` may wait for.
void notify(Awaited& awaited, int rank, Window& window) noexcept {
  if (window.member(rank).here) {
    awaited.notify();
  } else if (awaited.has_waiter()) {
    mapped::look(rank, window);
  }
}

}  // namespace

Error fence(int assertion, Window& window) {
  constexpr int kAllowed =
      MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  if (Error e = check_assertion(assertion, kAllowed,
                                "MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE, "
                                "MPI_MODE_NOSUCCEED")) {
    return e;
  }
  Epochs& epochs = window.epochs();
  if (!epochs.may_fence()) return wrong_epoch(window, "end it before MPI_Win_fence");
  Error failed = remote::flush_all(window);
  if (Error e = coll::run(coll::Barrier{window.comm()})) return e;
  epochs.fence((assertion & MPI_MODE_NOSUCCEED) == 0);
  return failed;
}

Error start(const group::Group& targets, int assertion, Window& window) {
  if (Error e = check_assertion(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK")) return e;
  std::vector<int> ranks;
  if (Error e = ranks_of(targets, window, &ranks)) return e;
  if (!window.epochs().begin_start()) return wrong_epoch(window, "end it before MPI_Win_start");
  Window::Exposure& exposure = window.exposure();
  exposure.started = std::move(ranks);
  exposure.taken.resize(static_cast<std::size_t>(window.size()));
  const auto all_have_posted = [&window, &exposure] {
    for (const int target : exposure.started) {
      // seq_cst: with Awaited.
      const std::uint32_t posts =
          window.part().words().posted(window.rank(), target).load(std::memory_order_seq_cst);
      if (posts == exposure.taken[static_cast<std::size_t>(target)]) return false;
    }
    return true;
  };
  window.words().posts.wait_until(all_have_posted, window.part().looks(),
                                  {Standing::mine.call, text_of_start, &window});
  for (const int target : exposure.started) {
    ++exposure.taken[static_cast<std::size_t>(target)];
    window.epochs().set_started(target);
  }
  return {};
}

Error complete(Window& window) {
  Epochs& epochs = window.epochs();
  if (!epochs.end_start())
    return wrong_epoch(window, "MPI_Win_complete ends that of MPI_Win_start");
  Error failed = remote::flush_all(window);
  for (const int target : window.exposure().started) {
    epochs.clear(target);
    if (!window.part().reaches(target)) {
      remote::complete(target, window);
      continue;
    }
    MemberWords& words = window.part().words().member(target);
    words.completed.fetch_add(1, std::memory_order_seq_cst);  // with Awaited
    notify(words.completes, target, window);
  }
  return failed;
}

Error post(const group::Group& origins, int assertion, Window& window) {
  constexpr int kAllowed = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
  if (Error e = check_assertion(assertion, kAllowed,
                                "MPI_MODE_NOCHECK, MPI_MODE_NOSTORE, MPI_MODE_NOPUT")) {
    return e;
  }
  std::vector<int> ranks;
  if (Error e = ranks_of(origins, window, &ranks)) return e;
  if (!window.epochs().set_exposed(true)) {
    return Error::make(MPI_ERR_RMA_SYNC, "the rank has posted %s already; MPI_Win_wait ends that",
                       describe(window).c_str());
  }
  window.exposure().completes += static_cast<std::uint32_t>(ranks.size());
  for (const int origin : ranks) {
    if (!window.part().reaches(origin)) {
      remote::post(origin, window);
      continue;
    }
    const Words& words = window.part().words();
    // seq_cst: with Awaited.
    words.posted(origin, window.rank()).fetch_add(1, std::memory_order_seq_cst);
    notify(words.member(origin).posts, origin, window);
  }
  return {};
}

Error wait(Window& window) {
  if (!window.epochs().is_exposed()) return need_exposed(window, "MPI_Win_wait");
  window.words().completes.wait_until([&window] { return all_have_completed(window); },
                                      window.part().looks(),
                                      {Standing::mine.call, text_of_wait, &window});
  window.epochs().set_exposed(false);
  return {};
}

Error test(Window& window, int* flag) {
  if (!window.epochs().is_exposed()) return need_exposed(window, "MPI_Win_test");
  if (!all_have_completed(window)) ult::relax();  // a program calls this in a loop
  *flag = all_have_completed(window);
  if (*flag != 0) window.epochs().set_exposed(false);
  return {};
}

}  // namespace heddle::rma
