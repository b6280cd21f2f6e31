// managed.h — objects to which pending operations refer: communicators, datatypes, operations.
//
// Under the policy `collector` such an object starts with two references, its creator's and the
// collector's. Refs count, Transients do not, so when the count falls to 1 only pending
// operations can refer to it:
//
//   state      count  in Ge   leaves by
//   ---------  -----  ------  ---------------------------------------------------------------
//   live       >= 2   no      the release that makes the count 1, with the collector's lock
//   eligible   1      yes     a cycle that finds no Transient: destroyed
//   borrowed   >= 2   yes     a strand made a Ref out of a Transient; back by its release
//
// Under `atomic` and `predefined` it is an ordinary counted object; under `none` the second
// reference has no owner, so that it never ends.
//
// Thread safety: any strand. A Managed belongs to the rank that made it, unless it is predefined.

#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/object/lifetime.h"
#include "mpi/object/object.h"

namespace heddle::object {

class Collector;

class Managed : public Object {
 public:
  void lose_handle() const noexcept override {
    Object::lose_handle();
    if (collector_ != nullptr) note_orphaned();
  }

  // References that a Transient counts; requires transients_count().
  void count_transient() const noexcept;
  void discount_transient() const noexcept;

 protected:
  // May run a cycle: makers of objects pay for the end of others.
  explicit Managed(Kind kind, Lifetime lifetime = Lifetime::kManaged) noexcept;
  ~Managed() override = default;

 private:
  friend class Collector;

  Managed(Kind kind, Lifetime lifetime, Collector* collector) noexcept;

  // What the object refers to may end with it, and so on. That is done one after the other: a chain
  // of any length must not overflow the stack.
  void destroy() const noexcept override { destroy_in_turn(); }
  void destroy_in_turn() const noexcept;
  void release_to_collector() const noexcept override { release_collected(); }
  void release_collected() const noexcept;
  void note_orphaned() const noexcept;

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  Collector* const collector_;  // its rank's; null if it is not collected
  // The last cycle that had begun when the program's handle ended.
  mutable std::atomic<std::uint64_t> orphaned_in_{kNever};

  // Of the collector, guarded as it says; `next_` also of destroy().
  mutable const Managed* next_ = nullptr;
  mutable std::uint64_t marked_in_ = 0;
  mutable bool eligible_ = false;
};

}  // namespace heddle::object
