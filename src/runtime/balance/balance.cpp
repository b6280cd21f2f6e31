#include "runtime/balance/balance.h"

#include <memory>
#include <vector>

#include "exec/process/time/load.h"
#include "exec/rank/rank.h"
#include "exec/ult/processor_time.h"
#include "runtime/balance/even_loads.h"
#include "runtime/balance/load_window.h"
#include "runtime/balance/migrate.h"
#include "runtime/crew/crew.h"

namespace heddle::runtime {

namespace {

// What is kept for a rank that asks policies.
struct Watched {
  std::unique_ptr<LoadWindow> window;
};
RankLocal<Watched> watched_by_rank;

LoadWindow& window_of_rank() {
  Watched& watched = watched_by_rank.get();
  process::measure_loads();
  ult::charge_now();
  if (watched.window == nullptr) watched.window = std::make_unique<LoadWindow>(residents());
  watched.window->look();
  return *watched.window;
}

// What a policy is asked about the peers in a communicator.
struct Question {
  std::vector<double> loads, by_worker;
  std::vector<int> before, places;
};

Question question_of(const comm::Comm& comm, const LoadWindow& window) {
  Question question;
  const int size = comm.peers().size();
  for (int rank = 0; rank < size; ++rank) {
    Resident* const resident = find_here(comm, rank);
    const auto index = static_cast<std::size_t>(resident - residents().data());
    question.loads.push_back(resident == nullptr ? 0 : window.ranks()[index]);
    question.before.push_back(resident == nullptr ? -1 : window.places()[index]);
    for (std::size_t w = 0; w < window.workers().size(); ++w) {
      const std::size_t at = index * window.workers().size() + w;
      question.by_worker.push_back(resident == nullptr ? 0 : window.ranks_by_worker()[at]);
    }
  }
  question.places = question.before;
  return question;
}

Error check_answer(const Question& question, int workers) {
  for (std::size_t rank = 0; rank < question.places.size(); ++rank) {
    const int before = question.before[rank], place = question.places[rank];
    if (place == before) continue;
    if (before < 0) {
      return Error::make(
          MPI_ERR_ARG,
          "the policy sends rank %zu to worker %d, but the rank is in another process, "
          "or has not begun or has ended",
          rank, place);
    }
    if (place < 0 || place >= workers) {
      return Error::make(MPI_ERR_ARG,
                         "the policy sends rank %zu to worker %d, but there are workers 0 to %d",
                         rank, place, workers - 1);
    }
  }
  return {};
}

}  // namespace

Error balance(const comm::Comm& comm, MPIX_Balance_function* policy, void* extra_state,
              int* moved) {
  if (Error e = check_workers()) return e;
  const LoadWindow& window = window_of_rank();
  Question question = question_of(comm, window);
  // A copy: the policy may wait, and another strand of the rank ask meanwhile.
  const std::vector<double> of_workers = window.workers();
  MPIX_Loads loads{};
  loads.seconds = window.seconds();
  loads.ranks = static_cast<int>(question.loads.size());
  loads.rank_loads = question.loads.data();
  loads.places = question.places.data();
  loads.workers = static_cast<int>(of_workers.size());
  loads.worker_loads = of_workers.data();
  loads.rank_loads_by_worker = question.by_worker.data();
  (policy != nullptr ? policy : even_loads)(&loads, extra_state);
  if (Error e = check_answer(question, loads.workers)) return e;
  int count = 0;
  for (int rank = 0; rank < loads.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (question.places[at] == question.before[at]) continue;
    move_with_pages(*find_here(comm, rank), question.places[at]);
    ++count;
  }
  if (moved != nullptr) *moved = count;
  return {};
}

}  // namespace heddle::runtime
