// managed.h — objects to which pending operations refer: communicators, datatypes, operations; and
// those of them that only pending operations can still need.
//
// Under the policy `collector` such an object starts with two references, its creator's and the
// collector's. Refs count, Transients do not, so when the count falls to 1 only pending
// operations can refer to it:
//
//   state      count  eligible  leaves by
//   ---------  -----  --------  ---------------------------------------------------------------
//   live       >= 2   no        the release that makes the count 1, with the list's lock
//   eligible   1      yes       a cycle that finds no Transient: destroyed
//   borrowed   >= 2   yes       a strand made a Ref out of a Transient; back by its release
//
// Under `atomic` and `predefined` it is an ordinary counted object; under `none` the second
// reference has no owner, so that it never ends.
//
// Memory order
//   [R1] release, pairs with [A1] acquire: a cycle scans the Transients that were made before an
//        object lost its handle, or the object knows of the cycle.
//
// Thread safety: any strand. A Managed belongs to the rank that made it, unless it is predefined.
// Cycles exclude each other (collector.h).

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/spin_lock.h"
#include "mpi/lifetime/policy.h"
#include "mpi/object/object.h"

namespace heddle::lifetime {

class Eligible;

class Managed : public object::Object {
 public:
  void lose_handle() const noexcept override {
    object::Object::lose_handle();
    if (eligible_ != nullptr) note_orphaned();
  }

  // The references of Transients, if these count; requires transients_count().
  void count_transient() const noexcept;
  void discount_transient() const noexcept;

 protected:
  // Requires that the maker has a Making (making.h).
  explicit Managed(object::Kind kind, Lifetime lifetime = Lifetime::kManaged) noexcept;
  ~Managed() override = default;

 private:
  friend class Eligible;

  Managed(object::Kind kind, Lifetime lifetime, Eligible* eligible) noexcept;

  // What the object refers to may end with it, and so on. That is done one after the other: a chain
  // of any length must not overflow the stack.
  void destroy() const noexcept override { destroy_in_turn(); }
  void destroy_in_turn() const noexcept;
  void release_to_collector() const noexcept override { release_collected(); }
  void release_collected() const noexcept;
  void note_orphaned() const noexcept;

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  Eligible* const eligible_;  // its rank's; null if it is not collected
  // The last cycle that had begun when the program's handle ended.
  mutable std::atomic<std::uint64_t> orphaned_in_{kNever};

  // These belong to the list, and are guarded as it says; `next_` belongs to destroy(), too.
  mutable const Managed* next_ = nullptr;
  mutable std::uint64_t marked_in_ = 0;
  mutable bool listed_ = false;
};

// A rank's eligible objects, called Ge in collector.h, and the steps of a cycle that concern them.
class Eligible {
 public:
  Eligible() = default;
  Eligible(Eligible&&) = delete;

  // The calling rank's. Requires Rank::current().
  static Eligible& of_rank() noexcept;

  // How many there are, those that a cycle has taken included; how many became eligible since the
  // last cycle began; how many have ended. relaxed: each figure by itself, and perhaps out of date.
  std::size_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
  std::size_t fresh() const noexcept { return fresh_.load(std::memory_order_relaxed); }
  std::uint64_t ended() const noexcept { return ended_.load(std::memory_order_relaxed); }
  std::uint64_t cycles() const noexcept { return cycle_.load(std::memory_order_relaxed); }

  // Step 1 of a cycle: takes what is in the list.
  void begin_cycle() noexcept;
  // Step 2, for each object that a Transient refers to. Those of other ranks are not ours to mark.
  void mark(const Managed& object) noexcept;
  // Steps 3 to 5: destroys what is unmarked, puts back the rest, and returns how many these are.
  std::size_t end_unmarked() noexcept;

  // True if the invariants of the list hold: what is in it is known to be, and belongs to it.
  bool is_valid() const noexcept;

 private:
  friend class Managed;

  // Gives up one reference; the object becomes eligible if it was the last but ours.
  void drop(const Managed& object) noexcept;

  // The last one that has begun. One that begins later sees what the caller has done before [R1]: a
  // read-modify-write, so that either it comes first or we see it.
  std::uint64_t last_cycle() noexcept { return cycle_.fetch_add(0, std::memory_order_acq_rel); }

  const Managed* take() noexcept;
  bool may_end(const Managed& object, bool taken_at_start) const noexcept;
  void put_back(const Managed* first, const Managed* last) noexcept;

  std::atomic<std::uint64_t> cycle_{0};  // written by the cycle
  const Managed* taken_ = nullptr;  // of the cycle, like the marks and the next_ of what it took

  // Lock: guards a rank's list of objects that may end, its next_, and that a count falls to 1.
  mutable SpinLock lock_;
  const Managed* first_ GUARDED_BY(lock_) = nullptr;

  std::atomic<std::size_t> count_{0};
  std::atomic<std::size_t> fresh_{0};
  std::atomic<std::uint64_t> ended_{0};  // written by the cycle
};

}  // namespace heddle::lifetime
