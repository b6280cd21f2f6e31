// object.h — what every MPI object is: something with a kind that lives while somebody refers to
// it.
//
// MPI lets a program free a communicator or datatype while a pending request still uses it, so
// whoever needs an object beyond a call holds a Ref. Today every reference counts ("atomic" in
// docs/decisions); predefined objects are never freed and do not count.
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
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Kind kind() const noexcept { return kind_; }
  bool predefined() const noexcept { return predefined_; }

  // The handle that the program knows it by; 0 if it has none. Callbacks are called with it.
  HandleBits handle() const noexcept {
    // relaxed: whoever asks got the object after it was published, or published it himself.
    return handle_.load(std::memory_order_relaxed);
  }
  // Called by publish(), and by whoever makes an object that has one of the ABI's constants.
  void set_handle(HandleBits handle) const noexcept {
    handle_.store(handle, std::memory_order_relaxed);
  }

  void retain() const noexcept {
    // relaxed: whoever retains already holds a reference.
    if (!predefined_) references_.fetch_add(1, std::memory_order_relaxed);
  }

  void release() const noexcept {
    // acq_rel: the last one sees all that the others did to the object before it deletes it.
    if (!predefined_ && references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  enum class Lifetime : bool { kCounted, kPredefined };

  // Starts with one reference, the creator's; Ref::adopt takes it over.
  explicit Object(Kind kind, Lifetime lifetime = Lifetime::kCounted) noexcept
      : kind_(kind), predefined_(lifetime == Lifetime::kPredefined) {}
  virtual ~Object() = default;

 private:
  mutable std::atomic<int> references_{1};
  const Kind kind_;
  const bool predefined_;
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
