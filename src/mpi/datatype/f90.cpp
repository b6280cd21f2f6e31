#include "mpi/datatype/f90.h"

#include <map>
#include <utility>
#include <vector>

#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "mpi/lifetime/making.h"

namespace heddle::datatype {

namespace {

struct RealKind {
  int precision, range;  // as Fortran's PRECISION() and RANGE() tell them
  MPI_Datatype real, complex;
};

// Kind 10 is C's long double.
constexpr int kRealKinds = 4;
const RealKind kReals[kRealKinds] = {
    {6, 37, MPI_REAL4, MPI_COMPLEX8},
    {15, 307, MPI_REAL8, MPI_COMPLEX16},
    {18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
    {33, 4931, MPI_REAL16, MPI_COMPLEX32},
};

// The types that the rank has asked for, by combiner and arguments.
struct F90Types {
  // Lock: guards the Fortran types that a rank has asked for.
  SpinLock lock;
  std::map<std::pair<int, std::vector<MPI_Count>>, object::Ref<Datatype>> types GUARDED_BY(lock);
};
RankLocal<F90Types> types_of_rank;

Datatype* predefined(MPI_Datatype equal, int combiner, const std::vector<MPI_Count>& arguments) {
  const lifetime::Making making;  // before the lock: it may end objects
  F90Types& mine = types_of_rank.get();
  const SpinGuard guard(mine.lock);
  object::Ref<Datatype>& type = mine.types[{combiner, arguments}];
  if (!type) {
    const Recipe recipe{.combiner = combiner, .integers = arguments};
    type = object::Ref<Datatype>::adopt(Datatype::make_equal(named(equal), recipe));
  }
  return object::Ref<Datatype>(type).leak();
}

Error find_kind(int precision, int range, const RealKind** out) {
  if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED) {
    return Error::make(MPI_ERR_ARG, "arguments p and r are both MPI_UNDEFINED");
  }
  for (const RealKind& kind : kReals) {  // MPI_UNDEFINED is less than any of theirs
    *out = &kind;
    if (precision <= kind.precision && range <= kind.range) return {};
  }
  return Error::make(MPI_ERR_ARG,
                     "argument p is %d and r is %d, but no kind has more than %d digits and "
                     "exponents beyond %d",
                     precision, range, (*out)->precision, (*out)->range);
}

}  // namespace

Error make_f90_real(int precision, int range, Datatype** out) {
  const RealKind* kind = nullptr;
  if (Error e = find_kind(precision, range, &kind)) return e;
  *out = predefined(kind->real, MPI_COMBINER_F90_REAL, {precision, range});
  return {};
}

Error make_f90_complex(int precision, int range, Datatype** out) {
  const RealKind* kind = nullptr;
  if (Error e = find_kind(precision, range, &kind)) return e;
  *out = predefined(kind->complex, MPI_COMBINER_F90_COMPLEX, {precision, range});
  return {};
}

Error make_f90_integer(int range, Datatype** out) {
  const std::pair<int, MPI_Datatype> kinds[] = {
      {2, MPI_INTEGER1},  {4, MPI_INTEGER2},   {9, MPI_INTEGER4},
      {18, MPI_INTEGER8}, {38, MPI_INTEGER16},
  };
  for (const auto& [digits, type] : kinds) {
    if (range > digits || range == MPI_UNDEFINED) continue;
    *out = predefined(type, MPI_COMBINER_F90_INTEGER, {range});
    return {};
  }
  return Error::make(MPI_ERR_ARG, "argument r is %d, but the kinds have up to 38 digits", range);
}

}  // namespace heddle::datatype
