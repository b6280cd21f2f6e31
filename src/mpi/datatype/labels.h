// labels.h — what a program may attach to a datatype: a name and attributes (MPI 5.0 §7.7.4, §7.8).
//
// A derived type holds its Labels; named types are shared by all ranks of the host, so their Labels
// are each rank's own (Datatype::labels()).
//
// Thread safety: any strand; locks by itself.

#pragma once

#include <string>

#include "base/spin_lock.h"
#include "mpi/attribute/attributes.h"

namespace heddle::datatype {

class Labels {
 public:
  // The name from set_name(), or "" if it was never called.
  std::string name() const;
  void set_name(std::string name);
  bool was_named() const noexcept;

  attribute::Attributes& attributes() noexcept { return attributes_; }

 private:
  // Lock: guards the name of one datatype.
  mutable SpinLock lock_;
  std::string name_ GUARDED_BY(lock_);
  bool was_named_ GUARDED_BY(lock_) = false;
  attribute::Attributes attributes_;  // locks by itself
};

}  // namespace heddle::datatype
