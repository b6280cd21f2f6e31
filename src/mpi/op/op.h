// op.h — a reduction operation, predefined or the user's (MPI 5.0 §6.9). Immutable.
//
// Predefined operations are shared by all ranks of the host; the user's belong to the rank that
// made them.
//
// Thread safety: any strand.

#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "base/error.h"
#include "mpi/datatype/datatype.h"
#include "mpi/lifetime/managed.h"
#include "mpi/object/handle_table.h"
#include "mpi/op/kernels.h"

namespace heddle::op {

class Op : public lifetime::Managed {
 public:
  bool commutative() const noexcept { return commutative_; }

  // An error if the operation is not defined on the type (§6.9.2), naming both.
  virtual Error check(const datatype::Datatype& type) const = 0;

  // inout[i] = in[i] op inout[i] for `count` elements of `type`, in the order of the standard: `in`
  // comes from the lower ranks. Requires that check() succeeds and that the two do not overlap.
  // Addresses need no alignment. A user's function may switch.
  virtual void apply(const void* in, void* inout, MPI_Count count,
                     const datatype::Datatype& type) const = 0;

  // The loop that apply() runs on elements of a type on which a predefined operation is defined;
  // null for another type, for MPI_REPLACE and MPI_NO_OP, and for the program's operations.
  Kernel kernel(const datatype::Datatype& type) const noexcept {
    const bool is_defined = (families_ >> static_cast<unsigned>(type.family()) & 1U) != 0;
    return is_defined ? (*row_)[static_cast<std::size_t>(type.representation())] : nullptr;
  }

  // How error messages name it: "MPI_SUM", or "the operation 0x…".
  virtual std::string describe() const = 0;

 protected:
  Op(bool commutative, Lifetime lifetime) noexcept : Op(commutative, lifetime, 0, nullptr) {}
  // A predefined one; `families`: a bit for each family of types on which it is defined.
  Op(bool commutative, Lifetime lifetime, unsigned families, const Row* row) noexcept
      : Managed(object::Kind::kOp, lifetime),
        commutative_(commutative),
        families_(families),
        row_(row) {}

 private:
  const bool commutative_;
  const unsigned families_;
  const Row* const row_;  // null if there is no family
};

// The ABI's constants of operations lie in [0x20, 0x40); the table has null where there is none.
inline constexpr std::uintptr_t kFirstNamed = 0x20;
inline constexpr std::uintptr_t kNamedSlots = 0x20;
extern Op* named_table[kNamedSlots];  // filled when the library is loaded

// nullptr if the handle is not an operation, MPI_OP_NULL included.
inline Op* from_handle(MPI_Op handle) noexcept {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  if (bits - kFirstNamed < kNamedSlots) [[likely]]
    return named_table[bits - kFirstNamed];
  return static_cast<Op*>(object::find(object::Kind::kOp, bits));
}

}  // namespace heddle::op
