// task.h — a collective that its rank has started, as the strands see it that carry it out (helper.h).
//
// Thread safety: one strand at a time; it is in one queue at a time.

#pragma once

#include "base/error.h"
#include "base/intrusive_list.h"

namespace heddle::coll {

// It stays until complete() is called.
class Task : public ListNode<> {
 public:
  virtual void run() noexcept = 0;  // may switch
  // The caller does not touch the task afterwards.
  virtual void complete() noexcept = 0;
  // What MPI_Finalize says that finds it under way.
  virtual Error refuse_to_end() const = 0;

 protected:
  ~Task() = default;
};

}  // namespace heddle::coll
