// keyval.h — the keys of attributes (MPI 5.0 §7.7): integers, each rank's own.
//
// Numbers below 1000 are the ABI's constants (MPI_TAG_UB and so on). A rank's own keyvals count up
// from 1000 and are not used again, so a freed one is never mistaken for a newer one. The actual
// free does not happen before the last attribute that uses the keyval is gone: until then a program
// may still get, put, delete and even free under its number.
//
// Thread safety: a Keyval that is in use is immutable; create, find and free lock the rank's table.

#pragma once

#include <mpi.h>

#include <cstddef>

#include "base/error.h"
#include "mpi/object/object.h"

namespace heddle::attribute {

// What an attribute has: a pointer of C's, or an integer of Fortran's in a cell of its own. C gets
// the cell's address, Fortran the integer: its own one, or C's pointer as one (MPI 5.0 §19.3.7).
struct Value {
  void* pointer;
  bool is_integer = false;  // `pointer` is a cell, which ends with the attribute

  MPI_Aint integer() const noexcept {
    return is_integer ? *static_cast<const MPI_Aint*>(pointer)
                      : reinterpret_cast<MPI_Aint>(pointer);
  }
};

// Memory of the library, which the Fortran wrappers fill. Null: none is left.
void* new_cell(std::size_t bytes) noexcept;
void free_cell(void* cell) noexcept;

class Keyval {
 public:
  // One of three triples of callbacks, by the class of objects that the keyval is for.
  struct CommCallbacks {
    MPI_Comm_copy_attr_function* copy;
    MPI_Comm_delete_attr_function* erase;
  };
  struct TypeCallbacks {
    MPI_Type_copy_attr_function* copy;
    MPI_Type_delete_attr_function* erase;
  };
  struct WinCallbacks {
    MPI_Win_copy_attr_function* copy;
    MPI_Win_delete_attr_function* erase;
  };

  Keyval(int number, CommCallbacks callbacks, void* extra) noexcept
      : for_(object::Kind::kComm), number_(number), extra_(extra), comm_(callbacks) {}
  Keyval(int number, TypeCallbacks callbacks, void* extra) noexcept
      : for_(object::Kind::kDatatype), number_(number), extra_(extra), type_(callbacks) {}
  Keyval(int number, WinCallbacks callbacks, void* extra) noexcept
      : for_(object::Kind::kWin), number_(number), extra_(extra), win_(callbacks) {}
  Keyval(Keyval&&) = delete;

  object::Kind for_kind() const noexcept { return for_; }
  int number() const noexcept { return number_; }

  // From now on its callbacks are Fortran's: values are integers, as if each were a pointer. The
  // extra state is a cell, which ends with the keyval. By its maker, before it is used.
  void become_fortrans() noexcept { fortrans_ = true; }

  // Asks the copy callback: *wanted says whether the new object gets *copy. May switch.
  Error copy(object::HandleBits owner, Value value, Value* copy, bool* wanted) const;

  // False: there is no delete callback.
  bool tells_of_ends() const noexcept;
  // Tells the delete callback. May switch.
  Error erase(object::HandleBits owner, Value value) const;

  void retain() const noexcept;
  void release() const noexcept;

  // True if more than the rank's table refers to it: an attribute, or a call in progress.
  bool in_use() const noexcept { return references_.load(std::memory_order_relaxed) > 1; }

 private:
  ~Keyval() {
    if (fortrans_) free_cell(extra_);
  }
  // The value as its callbacks want it.
  void* given(Value value) const noexcept {
    return fortrans_ ? reinterpret_cast<void*>(value.integer()) : value.pointer;
  }
  int call_copy(object::HandleBits owner, void* value, void** copy, int* flag) const;

  const object::Kind for_;
  const int number_;
  void* const extra_;
  bool fortrans_ = false;  // constant once it is in use
  union {
    CommCallbacks comm_;
    TypeCallbacks type_;
    WinCallbacks win_;
  };
  mutable std::atomic<int> references_{1};
};

// Makes a keyval of the calling rank and gives its number.
Error create_keyval(Keyval::CommCallbacks callbacks, void* extra, int* number);
Error create_keyval(Keyval::TypeCallbacks callbacks, void* extra, int* number);
Error create_keyval(Keyval::WinCallbacks callbacks, void* extra, int* number);

// Fails if the number is none of a keyval of the calling rank for this class of objects.
Error use_keyval(object::Kind for_kind, int number, object::Ref<const Keyval>* out);

// Keyval::become_fortrans() of one that the calling rank has just made.
void become_fortrans(int number) noexcept;

// Attributes that are cached under it stay, and so does the keyval while there are any. *number
// becomes MPI_KEYVAL_INVALID.
Error free_keyval(object::Kind for_kind, int* number);

}  // namespace heddle::attribute
