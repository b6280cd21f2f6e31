// lent_handle.h — the handle by which a callback of the program knows an object.
//
// A program may free an object while operations still use it. When one of them then calls a
// function of the program (an operation's, an error handler), the object gets a handle for the time
// of the call. One that has a handle keeps it as long, even if another thread frees it or has
// borrowed it.
//
// Thread safety: the strand's own, of the object's rank.

#pragma once

#include "mpi/object/handle_table.h"

namespace heddle::object {

class LentHandle {
 public:
  explicit LentHandle(const Object& object) noexcept
      : kind_(object.kind()), bits_(object.handle()) {
    if (bits_ != 0 && is_constant(bits_)) return;
    object.retain();
    bits_ = publish(const_cast<Object*>(&object));
  }
  ~LentHandle() {
    // The callback may have freed the handle: then there is nothing to take back.
    if (!is_constant(bits_)) Ref<Object>::adopt(retire(kind_, bits_));
  }
  LentHandle(LentHandle&&) = delete;

  HandleBits bits() const noexcept { return bits_; }

 private:
  const Kind kind_;
  HandleBits bits_;
};

}  // namespace heddle::object
