// combine.h — the element loops of accumulates: target = origin op target, and what was there.
//
//   origin ──► adjacent elements ──┐
//                                  ├─► for each run of elements of the target, for each page of it:
//   result ◄── adjacent elements ◄─┘   lock the stripe, fetch, combine, unlock
//
// All elements are of one named type. Buffers of other layouts than adjacent elements go through a
// copy.
//
// Thread safety: plain functions; elements are combined under stripes.

#pragma once

#include "mpi/datatype/buffer.h"
#include "mpi/op/op.h"
#include "mpi/rma/stripes.h"

namespace heddle::rma {

// The one named type that the type's elements are of; null if they are of several.
const datatype::Datatype* element_of(const datatype::Datatype& type);

// True if elements of the one are combined as those of the other.
bool are_alike(const datatype::Datatype& first, const datatype::Datatype& second) noexcept;

struct Combination {
  const datatype::Datatype& element;
  const op::Op& op;
  op::Kernel kernel;  // of the two; null of MPI_REPLACE: then only the bytes count
  Stripes stripes;
};

// The first `bytes` bytes of data, which all three have. `origin.type` null: nothing is combined
// (MPI_NO_OP). `result.type` null: nothing is fetched.
void combine(const datatype::ConstBuffer& origin, const datatype::Buffer& result,
             const datatype::Buffer& target, MPI_Count bytes, const Combination& what);

// `count` elements of the target, with those of the others in packed form. `origin` or `result`
// null: as above.
void combine_packed(const std::byte* origin, std::byte* result, std::byte* target, MPI_Count count,
                    const Combination& what);

// One element that stands alone: `element` is a named type.
void combine_one(const void* origin, void* result, void* target, const Combination& what) noexcept;

// *result = *target; if it equals *compare, *target = *origin. `bytes` each.
void swap_if_equal(const void* origin, const void* compare, void* result, void* target,
                   std::size_t bytes, Stripes stripes) noexcept;

}  // namespace heddle::rma
