// attributes.h — values that a program caches on communicators, datatypes and windows, under keys
// of its own (MPI 5.0 §7.7).
//
//   Keyval       a key: class of objects, copy and delete callbacks, extra state. Freed keyvals
//                live on as long as attributes use them, callbacks included. So a number under
//                which an object has an attribute is a keyval for its class.
//   Attributes   what one object holds: (Keyval, value), in the order in which they were put; one
//                that is replaced counts as put anew
//
// A value is claimed before its callback is called, so that no other strand copies or deletes it
// meanwhile: each value is deleted once, and not copied afterwards.
//
//   user   deleting  meaning                        for other strands      for the user's callback
//   -----  --------  -----------------------------  ---------------------  -----------------------
//   null   -         no callback runs               free                   -
//   set    no        its copy callback runs         wait                   free
//   set    yes       its delete callback runs       wait                   an error
//
// The ABI's constants for callbacks are small: 0 means "do not copy" or "nothing to delete", 1
// means "copy the value".
//
// Thread safety: Attributes lock by themselves; callbacks run with no lock held and may switch.

#pragma once

#include <mpi.h>

#include <vector>

#include "base/error.h"
#include "base/spin_lock.h"
#include "exec/ult/strand.h"
#include "mpi/attribute/keyval.h"
#include "mpi/object/object.h"

namespace heddle::attribute {

class Attributes {
 public:
  Attributes() = default;
  ~Attributes() {
    for (const Attribute& entry : entries_) entry.end();
  }
  Attributes(Attributes&&) = delete;

  // The value that was put, unchanged; of an integer, the address of its cell. *flag is 0 and
  // *value unchanged if there is none. Like put() and erase(), fails for a number that is no keyval
  // of the calling rank for the owner's class.
  Error get(int keyval, const object::Object& owner, void** value, int* flag) const;
  // False if there is none, or if it is no integer: then it is a pointer.
  bool is_integer(int keyval) const noexcept;
  // The value that was put is a cell with an integer, which ends with the attribute. False if there
  // is another value.
  bool become_integer(int keyval, const void* cell) noexcept;

  // A value that is replaced is deleted first; if its callback fails nothing changes. Like all that
  // follow, may switch.
  Error put(int keyval, void* value, const object::Object& owner);

  // Deletes the value if there is one. If the callback fails it stays.
  Error erase(int keyval, const object::Object& owner);

  // Deletes all, the youngest first. Stops at the first callback that fails.
  Error clear(const object::Object& owner);

  // Asks each copy callback whether `to` gets a value too, the oldest first. After a failure `to`
  // holds those copied so far.
  Error copy_to(Attributes& to, const object::Object& owner) const;

  int size() const noexcept;

 private:
  struct Attribute {
    object::Ref<const Keyval> keyval;
    Value value;
    const ult::Strand* user = nullptr;
    bool deleting = false;

    void end() const noexcept {
      if (value.is_integer) free_cell(value.pointer);
    }
    bool free_for(const ult::Strand& strand) const noexcept {
      return user == nullptr || (user == &strand && !deleting);
    }
  };

  // end() where there is none.
  std::vector<Attribute>::iterator position(int keyval) const noexcept REQUIRES(lock_);
  // Replaces the value in its place, if there is one and no callback is to be told of its end.
  bool exchange(int keyval, void* value) noexcept;
  // Deletes the value if there is one, and puts *fresh unless `fresh` is null.
  Error replace(const Keyval& keyval, void* const* fresh, const object::Object& owner);

  enum class Claim { kMine, kAbsent, kRecursive };
  // Makes the calling strand the user of the value, for its copy or its delete callback; *before is
  // what unclaim() restores. A value that is absent is put if `fresh` is not null.
  Claim claim(const Keyval& keyval, bool deleting, void* const* fresh, Attribute* before) const;
  void unclaim(const Attribute& before) const noexcept;

  // Lock: guards one object's attributes; callbacks of the program run without it.
  mutable SpinLock lock_;
  mutable std::vector<Attribute> entries_ GUARDED_BY(lock_);
};

}  // namespace heddle::attribute
