// task.h — a collective that its rank has started, as the strands see it that carry it out
// (helper.h).
//
// Thread safety: one strand at a time; it is in one queue at a time.

#pragma once

#include <utility>

#include "base/error.h"
#include "base/intrusive_list.h"
#include "base/standing.h"

namespace heddle::coll {

// It stays until complete() is called.
class Task : public ListNode<> {
 public:
  // Runs in the name of the call that has made it, for reports. May switch.
  void run() noexcept {
    const char* const outer = std::exchange(Standing::mine.call, call_);
    carry_out();
    Standing::mine.call = outer;
  }
  // The caller does not touch the task afterwards.
  virtual void complete() noexcept = 0;
  // What MPI_Finalize says that finds it under way.
  virtual Error refuse_to_end() const = 0;

  const char* call() const noexcept { return call_; }

 protected:
  Task() noexcept : call_(Standing::mine.call) {}
  ~Task() = default;

 private:
  virtual void carry_out() noexcept = 0;

  const char* const call_;  // that made it
};

}  // namespace heddle::coll
