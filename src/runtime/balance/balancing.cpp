#include "runtime/balance/balancing.h"

#include <atomic>
#include <cstdint>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/futex.h"
#include "base/platform/own_thread.h"
#include "exec/ult/periods.h"
#include "runtime/balance/even_loads.h"

namespace heddle::runtime {

namespace {

// The state of the balancing. There is one at a time; the hook may be called a moment after its
// end.
constinit std::atomic<std::uint32_t> word{0};
constexpr std::uint32_t kWaits = 0, kTold = 1, kEnds = 2;

// A window shorter than some time slices says little: in it each rank of a worker has computed
// once.
constexpr std::int64_t kWindow = 50'000'000;

// Called by the call monitor: tells the thread at the end of each window.
void tell_thread() noexcept {
  static constinit std::int64_t told_ns = 0;  // the call monitor's
  const std::int64_t now = platform::now_ns();
  if (now - told_ns < kWindow) return;
  told_ns = now;
  std::uint32_t seen = kWaits;
  if (word.compare_exchange_strong(seen, kTold, std::memory_order_relaxed)) {
    platform::futex_wake_one(word);
  }
}

}  // namespace

Balancing::Balancing(std::span<Resident> residents)
    : residents_(residents), window_(residents), places_(residents.size()) {}

Balancing::~Balancing() {
  if (!runs_) return;
  ult::set_period_hook(nullptr);
  word.store(kEnds, std::memory_order_relaxed);
  platform::futex_wake_one(word);
  pthread_join(thread_, nullptr);
  platform::count_own_thread(-1);
}

int Balancing::start() noexcept {
  word.store(kWaits, std::memory_order_relaxed);
  if (int error = platform::start_own_thread({"heddle-balance", thread_main, this}, &thread_)) {
    return error;
  }
  platform::count_own_thread(1);
  runs_ = true;
  ult::set_period_hook(tell_thread);
  return 0;
}

void* Balancing::thread_main(void* self) {
  // relaxed: the reader learns nothing else.
  for (;;) {
    std::uint32_t seen = kTold;
    if (word.compare_exchange_strong(seen, kWaits, std::memory_order_relaxed)) {
      static_cast<Balancing*>(self)->step();
    } else if (seen == kEnds) {
      return nullptr;
    } else {
      platform::futex_wait(word, kWaits);
    }
  }
}

void Balancing::step() noexcept {
  window_.look();
  places_ = window_.places();
  MPIX_Loads loads{};
  loads.seconds = window_.seconds();
  loads.ranks = static_cast<int>(places_.size());
  loads.rank_loads = window_.ranks().data();
  loads.places = places_.data();
  loads.workers = static_cast<int>(window_.workers().size());
  loads.worker_loads = window_.workers().data();
  loads.rank_loads_by_worker = window_.ranks_by_worker().data();
  even_loads(&loads, nullptr);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i] != window_.places()[i]) move_with_pages(residents_[i], places_[i]);
  }
}

}  // namespace heddle::runtime
