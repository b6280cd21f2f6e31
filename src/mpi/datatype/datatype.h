// datatype.h — the layout of data in memory (MPI 5.0 §5). Immutable once made.
//
// Named types are shared by all ranks of the host; derived ones belong to the rank that made them.
// A datatype knows
//   its bounds   size, extent ...                 bounds.h
//   its layout   where its bytes lie              layout.h, walked by pack(), unpack() and copy()
//   its parts    which basic elements they are    elements.h
//   its recipe   how it was made                  recipe.h
//   its labels   name and attributes              labels.h
//
// Thread safety: immutable, except for the committed flag (atomic) and the labels, which lock.

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "mpi/datatype/bounds.h"
#include "mpi/datatype/labels.h"
#include "mpi/datatype/layout.h"
#include "mpi/datatype/named.h"
#include "mpi/datatype/recipe.h"
#include "mpi/lifetime/managed.h"
#include "mpi/object/handle_table.h"

namespace heddle::datatype {

// `repeat` elements of `type`; a type's parts, one after the other, are its packed form. The type
// is kept alive by the recipe.
struct Part {
  const Datatype* type;
  MPI_Count repeat;
};

class Datatype final : public lifetime::Managed {
 public:
  // They return a new type with one reference, the caller's.
  static Datatype* make_named(const NamedType& description);
  // A predefined type without a name, which is equal to a named one (f90.h).
  static Datatype* make_equal(const Datatype& equal, const Recipe& recipe);
  // Requires bounds.fits. Not committed.
  static Datatype* make(const Bounds& bounds, Piece layout, std::span<const Part> parts,
                        const Recipe& recipe, Lifetime lifetime = Lifetime::kManaged);

  // In bytes (§5.1.5 to §5.1.9).
  MPI_Count size() const noexcept { return bounds_.size; }
  MPI_Count lower_bound() const noexcept { return bounds_.lower; }
  MPI_Count extent() const noexcept { return bounds_.extent(); }
  MPI_Count true_lower_bound() const noexcept { return bounds_.true_lower; }
  MPI_Count true_extent() const noexcept { return bounds_.true_extent(); }

  // True if `count` elements are count * size() adjacent bytes from the buffer's address on.
  bool dense() const noexcept { return dense_; }

  // True if the data of INT_MAX elements exceed what a process has addresses for.
  bool is_vast() const noexcept { return vast_; }
  static constexpr MPI_Count kAddresses = MPI_Count{1} << 56;  // with page tables of five levels

  // relaxed: a program that commits in one thread and sends in another orders them itself.
  bool committed() const noexcept { return committed_.load(std::memory_order_relaxed); }
  void commit() const noexcept { committed_.store(true, std::memory_order_relaxed); }

  // The ABI's constant of a named type, MPI_DATATYPE_NULL of a derived one.
  MPI_Datatype named() const noexcept { return named_; }

  // What operations need to know of a named type. A derived type has kNone and kOther.
  Representation representation() const noexcept { return representation_; }
  Family family() const noexcept { return family_; }

  const Bounds& bounds() const noexcept { return bounds_; }
  const Piece& layout() const noexcept { return layout_; }
  std::span<const Part> parts() const noexcept { return parts_; }
  const Recipe& recipe() const noexcept { return recipe_; }
  // Basic elements in one element of the type; `second_size` is that of a pair's index.
  MPI_Count elements() const noexcept { return bounds_.elements; }
  MPI_Count second_size() const noexcept { return second_size_; }

  // A new object that differs from this one only in its labels.
  object::Ref<Datatype> clone() const;

  // This type's labels; those of a named type are the calling rank's own.
  Labels& labels() const noexcept;
  // The name from MPI_Type_set_name, "MPI_INT" or "".
  std::string name() const;
  // "MPI_INT", "" for a derived type.
  const char* constant_name() const noexcept { return constant_name_; }

 private:
  Datatype(const Bounds& bounds, Piece layout, std::span<const Part> parts, const Recipe& recipe,
           Lifetime lifetime);
  ~Datatype() override;

  // What its parts and recipe list lies behind the object, in the same piece of memory.
  static void* operator new(std::size_t size, std::size_t lists) {
    return ::operator new(size + lists);
  }
  static void operator delete(void* memory) { ::operator delete(memory); }

  // Constant; first what a message looks at.
  Bounds bounds_;
  bool dense_ = false, vast_ = false;
  mutable std::atomic<bool> committed_{false};
  Representation representation_ = Representation::kNone;
  Family family_ = Family::kOther;
  MPI_Datatype named_ = MPI_DATATYPE_NULL;
  const char* constant_name_ = "";
  MPI_Count second_size_ = 0;
  Piece layout_;
  std::span<const Part> parts_;
  Recipe recipe_;

  mutable Labels labels_;  // of a derived type
};

// How error messages name it: "MPI_INT", its name in quotes, or "the datatype 0x…".
std::string describe(const Datatype& type);

// The ABI's constants of datatypes lie in [0x200, 0x300); the table has null where there is none.
inline constexpr std::uintptr_t kFirstNamed = 0x200;
inline constexpr std::uintptr_t kNamedSlots = 0x100;
extern Datatype* named_table[kNamedSlots];  // filled when the library is loaded

// from_handle() of a derived type.
Datatype* from_handle_slow(MPI_Datatype handle) noexcept;

// nullptr if the handle is not a datatype, MPI_DATATYPE_NULL included.
[[gnu::always_inline]] inline Datatype* from_handle(MPI_Datatype handle) noexcept {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  if (bits - kFirstNamed < kNamedSlots) return named_table[bits - kFirstNamed];
  if (Datatype* own = object::find_at_once<Datatype>(object::Kind::kDatatype, handle)) return own;
  return from_handle_slow(handle);
}

// A named type by its ABI constant; requires that it is one.
inline Datatype& named(MPI_Datatype handle) noexcept {
  return *named_table[reinterpret_cast<std::uintptr_t>(handle) - kFirstNamed];
}

}  // namespace heddle::datatype
