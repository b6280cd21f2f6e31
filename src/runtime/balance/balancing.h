// balancing.h — mpiexec --balance: evens out the loads of ranks (even_loads.h), again and again as
// long as a worker has something to run.
//
//   the call monitor ── a window has passed ──► a thread of this file ──► policy ──► ranks move
//
// Thread safety: the main thread, one at a time.

#pragma once

#include <pthread.h>

#include <span>
#include <vector>

#include "runtime/balance/load_window.h"

namespace heddle::runtime {

// The loads of these ranks are evened out as long as it lives. Requires time slices, and that loads
// are measured.
class Balancing {
 public:
  explicit Balancing(std::span<Resident> residents);
  ~Balancing();
  Balancing(Balancing&&) = delete;

  // Errno, 0 on success.
  int start() noexcept;

 private:
  static void* thread_main(void* self);
  void step() noexcept;

  const std::span<Resident> residents_;
  LoadWindow window_;
  std::vector<int> places_;
  pthread_t thread_{};
  bool runs_ = false;
};

}  // namespace heddle::runtime
