// object.h — what every MPI object is: something with a kind that lives while something refers to
// it.
//
// MPI lets a program free a communicator or datatype while a pending operation still uses it. What
// outlives a call therefore refers to its objects in one of two ways:
//
//   Ref          counts, and keeps the object alive
//   Transient    what a pending operation has (transient.h); whether it counts is the policy's
//                matter (lifetime/policy.h)
//
//   lifetime             is                        ends
//   -------------------  ------------------------  ------------------------------------------------
//   kCounted             most objects              with the last reference
//   kManaged             a Managed (managed.h)     when neither Ref nor Transient refers to it
//   kManagedPredefined   MPI_COMM_WORLD, _SELF     the same
//   kPredefined          named types, named        never; shared by all ranks, and not counted
//                        operations and others
//
// Thread safety: retain and release from any strand.

#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <utility>

namespace heddle::object {

// The classes of handles of the standard. The values stand in handles; see handle_table.h.
enum class Kind : std::uint8_t {
  kComm = 1,
  kDatatype,
  kOp,
  kGroup,
  kRequest,
  kErrhandler,
  kInfo,
  kMessage,
  kWin,
  kFile,
  kSession,
};
constexpr int kKinds = 12;  // kinds are 1 to 11

// A handle as the ABI passes it: a pointer-sized word.
using HandleBits = std::uintptr_t;

class Object {
 public:
  Object(Object&&) = delete;

  Kind kind() const noexcept { return kind_; }
  bool predefined() const noexcept { return lifetime_ >= Lifetime::kManagedPredefined; }

  // The handle that the program knows it by; 0 if it has none. Callbacks are called with it.
  HandleBits handle() const noexcept {
    // relaxed: the caller got the object after it was published, or published it itself.
    return handle_.load(std::memory_order_relaxed);
  }
  // Called by publish(), and by the maker of an object that has one of the ABI's constants.
  void set_handle(HandleBits handle) const noexcept {
    handle_.store(handle, std::memory_order_relaxed);
  }

  // Takes the handle away; the table calls it when the program has freed the object.
  virtual void lose_handle() const noexcept { set_handle(0); }

  void retain() const noexcept {
    // relaxed: the caller already holds a reference.
    if (lifetime_ != Lifetime::kPredefined) references_.fetch_add(1, std::memory_order_relaxed);
  }

  void release() const noexcept {
    if (lifetime_ == Lifetime::kPredefined) return;
    if (collected_) return release_to_collector();
    // acq_rel: the last one sees all that the others did to the object before it ends.
    if (is_last_reference() || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  // Requires a counted object to which the caller refers. If true, no strand is left that could
  // change it.
  bool is_last_reference() const noexcept {
    return references_.load(std::memory_order_acquire) == 1;
  }

 protected:
  enum class Lifetime : std::uint8_t { kCounted, kManaged, kManagedPredefined, kPredefined };

  // Starts with one reference, the creator's; Ref::adopt takes it over.
  explicit Object(Kind kind, Lifetime lifetime = Lifetime::kCounted) noexcept
      : kind_(kind), lifetime_(lifetime) {}
  // For Managed; see there what the second reference is. `collected`: release() asks the collector.
  Object(Kind kind, Lifetime lifetime, int references, bool collected) noexcept
      : references_(references), kind_(kind), lifetime_(lifetime), collected_(collected) {}
  virtual ~Object() = default;

  // The end of the object.
  virtual void destroy() const noexcept { delete this; }
  virtual void release_to_collector() const noexcept {}

  std::atomic<int>& references() const noexcept { return references_; }
  Lifetime lifetime() const noexcept { return lifetime_; }

 private:
  mutable std::atomic<int> references_{1};
  const Kind kind_;
  const Lifetime lifetime_;
  const bool collected_ = false;
  mutable std::atomic<HandleBits> handle_{0};
};

// Keeps an object alive. Null is allowed.
template <class T>
class Ref {
 public:
  Ref() noexcept = default;
  explicit Ref(T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(const Ref& other) noexcept : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }

  // Takes over the creator's reference.
  static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Gives the reference to the caller.
  T* leak() noexcept { return std::exchange(object_, nullptr); }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace heddle::object
