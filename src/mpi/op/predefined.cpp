// The operations that the standard names: which is defined on what (MPI 5.0 §6.9.2), and beyond
// that.

#include <span>

#include "mpi/datatype/buffer.h"
#include "mpi/op/kernels.h"
#include "mpi/op/op.h"

namespace heddle::op {

constinit Op* named_table[kNamedSlots] = {};

namespace {

using datatype::Family;

constexpr unsigned families(std::initializer_list<Family> list) {
  unsigned set = 0;
  for (Family family : list) set |= 1U << static_cast<unsigned>(family);
  return set;
}

// MPI_CHAR is no integer to the standard, but is one to other MPIs, and programs rely on that.
constexpr unsigned kCIntegers = families({Family::kCInteger, Family::kCharacter});
constexpr unsigned kIntegers =
    kCIntegers | families({Family::kFortranInteger, Family::kMultiLanguage});
constexpr unsigned kOrdered = kIntegers | families({Family::kFloating});
constexpr unsigned kNumbers = kOrdered | families({Family::kComplex});
constexpr unsigned kBits = kIntegers | families({Family::kByte});
// To the standard MPI_AINT, MPI_COUNT and MPI_OFFSET have no logical operations; other MPIs have
// them.
constexpr unsigned kTruth = kCIntegers | families({Family::kMultiLanguage, Family::kLogical});
constexpr unsigned kPairs = families({Family::kPair});

struct NamedOp {
  MPI_Op handle;
  const char* name;
  Predefined operation;
  unsigned allowed;  // families of types
};

std::span<const NamedOp> named_ops() {
  static const NamedOp kTable[] = {
      {MPI_SUM, "MPI_SUM", Predefined::kSum, kNumbers},
      {MPI_PROD, "MPI_PROD", Predefined::kProd, kNumbers},
      {MPI_MIN, "MPI_MIN", Predefined::kMin, kOrdered},
      {MPI_MAX, "MPI_MAX", Predefined::kMax, kOrdered},
      {MPI_BAND, "MPI_BAND", Predefined::kBitAnd, kBits},
      {MPI_BOR, "MPI_BOR", Predefined::kBitOr, kBits},
      {MPI_BXOR, "MPI_BXOR", Predefined::kBitXor, kBits},
      {MPI_LAND, "MPI_LAND", Predefined::kLogicalAnd, kTruth},
      {MPI_LOR, "MPI_LOR", Predefined::kLogicalOr, kTruth},
      {MPI_LXOR, "MPI_LXOR", Predefined::kLogicalXor, kTruth},
      {MPI_MINLOC, "MPI_MINLOC", Predefined::kMinLocation, kPairs},
      {MPI_MAXLOC, "MPI_MAXLOC", Predefined::kMaxLocation, kPairs},
      {MPI_REPLACE, "MPI_REPLACE", Predefined::kReplace, 0},
      {MPI_NO_OP, "MPI_NO_OP", Predefined::kNone, 0},
  };
  return kTable;
}

class NamedOperation final : public Op {
 public:
  explicit NamedOperation(const NamedOp& description) noexcept
      : Op(description.operation != Predefined::kReplace &&
               description.operation != Predefined::kNone,
           Lifetime::kPredefined, description.allowed, &best_row(description.operation)),
        description_(description) {
    set_handle(reinterpret_cast<object::HandleBits>(description.handle));
  }

  Error check(const datatype::Datatype& type) const override {
    if ((description_.allowed >> static_cast<unsigned>(type.family()) & 1U) != 0) return {};
    if (description_.allowed == 0) {
      return Error::make(MPI_ERR_OP, "%s is for one-sided communication, not for reductions",
                         description_.name);
    }
    return Error::make(MPI_ERR_OP, "%s is not defined on %s", description_.name,
                       datatype::describe(type).c_str());
  }

  void apply(const void* in, void* inout, MPI_Count count,
             const datatype::Datatype& type) const override {
    if (description_.operation == Predefined::kNone) return;
    if (description_.operation == Predefined::kReplace) {
      datatype::copy({in, count, &type}, {inout, count, &type}, 0, count * type.size());
      return;
    }
    kernel(type)(in, inout, static_cast<std::size_t>(count));
  }

  std::string describe() const override { return description_.name; }

 private:
  const NamedOp description_;
};

// Operations live as long as the process, as datatypes do.
[[gnu::constructor(101)]] void make_named_ops() {
  for (const NamedOp& description : named_ops()) {
    const auto bits = reinterpret_cast<std::uintptr_t>(description.handle);
    named_table[bits - kFirstNamed] = new NamedOperation(description);
  }
}

}  // namespace

}  // namespace heddle::op
