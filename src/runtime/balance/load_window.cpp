#include "runtime/balance/load_window.h"

#include <utility>

#include "base/platform/clock.h"
#include "exec/ult/processor_time.h"
#include "exec/ult/scheduler.h"

namespace heddle::runtime {

namespace {

double seconds_between(std::int64_t& before, std::int64_t now) noexcept {
  return static_cast<double>(now - std::exchange(before, now)) * 1e-9;
}

}  // namespace

LoadWindow::LoadWindow(std::span<Resident> residents)
    : residents_(residents),
      rank_before_(residents.size()),
      worker_before_(static_cast<std::size_t>(ult::worker_count())),
      rank_by_worker_before_(residents.size() * worker_before_.size()),
      ranks_(residents.size()),
      workers_(worker_before_.size()),
      ranks_by_worker_(rank_by_worker_before_.size()),
      of_rank_(worker_before_.size()),
      places_(residents.size()) {
  look();
}

void LoadWindow::look() noexcept {
  seconds_ = seconds_between(since_ns_, platform::now_ns());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Resident::Weight weight = residents_[i].weight();
    ranks_[i] = seconds_between(rank_before_[i], weight.spent_ns);
    places_[i] = weight.worker;
    residents_[i].weight_by_worker(of_rank_);
    for (std::size_t w = 0; w < of_rank_.size(); ++w) {
      const std::size_t at = i * of_rank_.size() + w;
      const double spent = seconds_between(rank_by_worker_before_[at], of_rank_[w]);
      ranks_by_worker_[at] = weight.worker < 0 ? 0 : spent;
    }
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i] = seconds_between(worker_before_[i], ult::charged_by_worker(static_cast<int>(i)));
  }
}

}  // namespace heddle::runtime
