// combine.h — the vectors of members of one host combined in rank order, in memory that all can
// read.
//
// Element i of the result is ((v0 op v1) op v2) op … of the elements i, whichever member computes
// it: so it depends on the vectors and their order alone, not on workers or the order of arrival.
// Where the operation commutes the operands of each step may change sides, the same way in every
// run.
//
//   small vectors   lie in the host group's scratch memory; the last member to arrive combines them
//   large vectors   are cut into slices; each slice is one member's, which reads it straight from
//                   the others' buffers and writes it straight to the results
//
// Thread safety: an object is one strand's; the host group orders the strands.

#pragma once

#include <algorithm>
#include <span>

#include "mpi/coll/host_group.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/coll/turn.h"
#include "mpi/op/op.h"

namespace heddle::coll {

// Where a part of `count` elements begins that are shared out evenly; begin_of_part(parts) is the
// end.
inline MPI_Count begin_of_part(MPI_Count part, MPI_Count parts, MPI_Count count) noexcept {
  return count / parts * part + std::min(part, count % parts);
}

// The scratch memory as a row of slots, one for each member's vector.
class VectorSlots {
 public:
  // `shape` is what each vector is like; its address does not count.
  VectorSlots(std::byte* scratch, datatype::Buffer shape, int members) noexcept
      : VectorSlots(scratch, shape, members, Room::of(shape.count, *shape.type)) {}

  // True if there is room for all.
  static bool fit(datatype::Buffer shape, int members, MPI_Count scratch_bytes) noexcept {
    const MPI_Count each = stride(Room::of(shape.count, *shape.type));
    return each <= scratch_bytes && each * members <= scratch_bytes;
  }

  datatype::Buffer operator[](int index) const noexcept {
    return {first_ + index * stride_, shape_.count, shape_.type};
  }

  // Memory for so many, in scratch memory or elsewhere.
  static MPI_Count bytes(datatype::Buffer shape, int members) noexcept {
    return stride(Room::of(shape.count, *shape.type)) * members;
  }

  // Combines those of members [first, end), into the last of them. Spoils the others. A user's
  // operation may switch.
  void combine(const op::Op& op, int first, int end) const;
  void combine(const op::Op& op) const { combine(op, 0, members_); }
  datatype::Buffer result() const noexcept { return (*this)[members_ - 1]; }

 private:
  VectorSlots(std::byte* scratch, datatype::Buffer shape, int members, const Room& each) noexcept
      : first_(scratch + each.first), shape_(shape), stride_(stride(each)), members_(members) {}

  // Such that every element is aligned for its type.
  static MPI_Count stride(const Room& each) noexcept {
    constexpr MPI_Count kUnit = alignof(std::max_align_t);
    return each.bytes <= 8 ? 8 : (each.bytes + kUnit - 1) & -kUnit;
  }

  std::byte* const first_;  // where the first member's vector begins
  const datatype::Buffer shape_;
  const MPI_Count stride_;
  const int members_;
};

// Combines elements [first, first + result.count) of what all members give in a turn, into
// `result`. A user's operation may switch.
Error combine_in(Turn& turn, const op::Op& op, datatype::Buffer result, MPI_Count first = 0);

// A part of a vector that a member lends, or of its result.
datatype::ConstBuffer vector_at(const Lent& lent, MPI_Count at, MPI_Count count) noexcept;
datatype::Buffer result_at(const Lent& lent, MPI_Count at, MPI_Count count) noexcept;

// One member's slice of large vectors.
class Slice {
 public:
  // The slice of the member with this index.
  Slice(datatype::Buffer shape, int index, int members) noexcept;
  // Elements [begin, end).
  Slice(const datatype::Datatype& type, MPI_Count begin, MPI_Count end) noexcept
      : type_(type), begin_(begin), end_(end) {}

  // Memory for intermediate results; before the others count on this member.
  Error prepare();

  // Combines the slice of all vectors and writes it to all results. A user's operation may switch.
  void combine(std::span<const Lent> vectors, std::span<const Lent> results,
               const op::Op& op) const;

 private:
  // Combines the same elements of all vectors, so few that intermediate results stay in the nearest
  // cache.
  void combine_block(std::span<const Lent> vectors, std::span<const Lent> results, MPI_Count at,
                     datatype::Buffer sum, datatype::Buffer next, const op::Op& op) const;
  MPI_Count block() const noexcept;

  const datatype::Datatype& type_;
  MPI_Count begin_ = 0, end_ = 0;  // elements; empty: nothing to do for this member
  StagingBuffer sum_, next_;
};

}  // namespace heddle::coll
