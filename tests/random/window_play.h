// window_play.h — a thread of a rank that performs its accesses of a WindowPlan, and looks at what they fetch.
//
// Thread safety: of its strand.

#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <vector>

#include "tests/random/random_window.h"

namespace heddle::testing {

class WindowPlay {
 public:
  WindowPlay(RandomWindow& window, const WindowPlan& plan, int thread, unsigned long number,
             const std::function<void()>& between_calls);

  // Its accesses at the target, or all (-1). Inside an epoch.
  void perform(int target);
  // The epoch has ended.
  void finish() { finish(-1); }

 private:
  // Data at the origin, in a layout of its own.
  struct Data {
    Data(const Access& access, Dice& dice);

    int count;
    Layout layout;
    Room room;
  };
  struct Pending {
    const Access* access;
    std::unique_ptr<Data> given, result;
    std::vector<char> compared,
        words;  // basic elements: of swaps, and of what is fetched where that is not exact
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void start(const Access& access);
  void issue(Pending& pending);
  void add(Pending& pending);
  void await(Pending& pending);
  void finish(int target);
  // The result is there.
  void look_at(const Pending& pending) const;

  RandomWindow& window_;
  const WindowPlan& plan_;
  const int thread_;
  Dice dice_;
  const std::function<void()>& between_calls_;
  std::vector<std::unique_ptr<Pending>> pending_;
};

}  // namespace heddle::testing
