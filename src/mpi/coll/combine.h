// combine.h — the members' vectors combined in rank order, in memory that all can read.
//
// Element i of the result is ((v0 op v1) op v2) op … of the elements i, whoever computes it: so it
// depends on the vectors and their order alone, not on workers or on who came last. Where the
// operation commutes the operands of each step may change sides, the same way in every run.
//
//   small vectors   lie on the meeting's board; the last member to arrive combines them
//   large vectors   are cut into slices; each slice is one member's, who reads it straight from the
//                   others' buffers and writes it straight to the results
//
// Thread safety: an object is one strand's; the meeting orders the strands.

#pragma once

#include "mpi/coll/meeting.h"
#include "mpi/coll/scratch.h"
#include "mpi/op/op.h"

namespace heddle::coll {

// The board as a row of slots, one for each member's vector.
class Slots {
 public:
  // `shape` is what each vector is like; its address does not count.
  Slots(std::byte* board, datatype::Buffer shape, int members) noexcept
      : Slots(board, shape, members, Room::of(shape.count, *shape.type)) {}

  // True if there is room for all.
  static bool fit(datatype::Buffer shape, int members, MPI_Count board_bytes) noexcept {
    const MPI_Count each = stride(Room::of(shape.count, *shape.type));
    return each <= board_bytes && each * members <= board_bytes;
  }

  datatype::Buffer operator[](int rank) const noexcept {
    return {first_ + rank * stride_, shape_.count, shape_.type};
  }

  // Combines them all, into result(). Spoils the others. A user's operation may switch.
  void combine(const op::Op& op) const;
  datatype::Buffer result() const noexcept { return (*this)[members_ - 1]; }

 private:
  Slots(std::byte* board, datatype::Buffer shape, int members, const Room& each) noexcept
      : first_(board + each.first), shape_(shape), stride_(stride(each)), members_(members) {}

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

// One member's slice of large vectors.
class Slice {
 public:
  Slice(datatype::Buffer shape, int rank, int members) noexcept;

  // Memory for intermediate results; before the others count on this member.
  Error prepare();

  // Combines the slice of all `lent` vectors and writes it to the results of members
  // [first_result, last_result]. A user's operation may switch.
  void combine(const Lent* lent, int first_result, int last_result, const op::Op& op) const;

 private:
  // The same elements of all vectors, so few that intermediate results stay in the nearest cache.
  void combine_block(const Lent* lent, MPI_Count at, datatype::Buffer sum, datatype::Buffer next,
                     int first_result, int last_result, const op::Op& op) const;
  MPI_Count block() const noexcept;

  const datatype::Datatype& type_;
  const int members_;
  MPI_Count begin_ = 0, end_ = 0;  // elements; empty: nothing to do for this member
  Scratch sum_, next_;
};

}  // namespace heddle::coll
