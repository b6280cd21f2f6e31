#include "mpi/coll/combine.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "mpi/p2p/message.h"

namespace heddle::coll {

using datatype::Buffer;
using datatype::ConstBuffer;

namespace {

// A smaller slice is not worth its member's second arrival.
constexpr MPI_Count kLeastSlice = 1024;
constexpr MPI_Count kBlock = 8192;

const void* moved(const void* data, MPI_Count bytes) noexcept {
  // Adds integers, since MPI_BOTTOM is null.
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(data) +
                                       static_cast<std::uintptr_t>(bytes));
}

}  // namespace

ConstBuffer vector_at(const Lent& lent, MPI_Count at, MPI_Count count) noexcept {
  return {moved(lent.data, at * lent.type->extent()), count, lent.type};
}

Buffer result_at(const Lent& lent, MPI_Count at, MPI_Count count) noexcept {
  return {const_cast<void*>(moved(lent.result, at * lent.type->extent())), count, lent.type};
}

void VectorSlots::combine(const op::Op& op, int first, int end) const {
  for (int index = first + 1; index < end; ++index) {
    op.apply((*this)[index - 1].data, (*this)[index].data, shape_.count, *shape_.type);
  }
}

Error combine_in(Turn& turn, const op::Op& op, Buffer result, MPI_Count first) {
  const MPI_Count bytes = result.bytes();
  std::array<ConstBuffer, TurnRing::kMostMembers> given;
  Error unlike;  // then the result stays as it was
  for (int member = 0; member < turn.members(); ++member) {
    if (Error e = turn.take(member, &given[static_cast<std::size_t>(member)]))
      unlike = std::move(e);
  }
  if (unlike) return unlike;
  const bool straight = op.commutative() && result.type->dense();
  StagingBuffer memory, more;
  if (!straight) {
    if (Error e = memory.reserve(result.count, *result.type)) return e;
    if (Error e = more.reserve(result.count, *result.type)) return e;
  }
  Buffer sum = straight ? result : memory.buffer(), next = straight ? result : more.buffer();
  for (int member = 0; member < turn.members(); ++member) {
    const void* const vector = given[static_cast<std::size_t>(member)].data;
    const ConstBuffer part = datatype::bytes_at(moved(vector, first * result.type->size()), bytes);
    if (member == 0) {
      p2p::transfer(part, sum, bytes);
    } else if (straight) {
      op.apply(part.data, sum.data, sum.count, *sum.type);
    } else {
      p2p::transfer(part, next, bytes);
      op.apply(sum.data, next.data, sum.count, *sum.type);
      std::swap(sum, next);
    }
  }
  if (!straight) p2p::transfer(sum, result, bytes);
  return {};
}

Slice::Slice(Buffer shape, int index, int members) noexcept : type_(*shape.type) {
  const MPI_Count most = std::min<MPI_Count>(members, shape.count);
  const MPI_Count slices = std::clamp<MPI_Count>(shape.bytes() / kLeastSlice, 1, most);
  // Slice i is that of member i * members / slices: spread evenly, and so over the workers.
  const MPI_Count mine = (index * slices + members - 1) / members;
  if (mine == slices || mine * members / slices != index) return;
  begin_ = begin_of_part(mine, slices, shape.count);
  end_ = begin_of_part(mine + 1, slices, shape.count);
}

MPI_Count Slice::block() const noexcept {
  const MPI_Count each = std::max<MPI_Count>(std::abs(type_.extent()), 1);
  return std::min(end_ - begin_, std::max<MPI_Count>(kBlock / each, 1));
}

Error Slice::prepare() {
  if (Error e = sum_.reserve(block(), type_)) return e;
  return next_.reserve(block(), type_);
}

void Slice::combine(std::span<const Lent> vectors, std::span<const Lent> results,
                    const op::Op& op) const {
  for (MPI_Count at = begin_; at < end_; at += block()) {
    Buffer sum = sum_.buffer(), next = next_.buffer();
    sum.count = next.count = std::min(block(), end_ - at);
    combine_block(vectors, results, at, sum, next, op);
  }
}

void Slice::combine_block(std::span<const Lent> vectors, std::span<const Lent> results,
                          MPI_Count at, Buffer sum, Buffer next, const op::Op& op) const {
  const MPI_Count bytes = sum.bytes();
  p2p::transfer(vector_at(vectors[0], at, sum.count), sum, bytes);
  for (const Lent& lent : vectors.subspan(1)) {
    const ConstBuffer vector = vector_at(lent, at, sum.count);
    if (op.commutative() && type_.dense() && vector.type->dense()) {  // in this member's layout
      op.apply(vector.data, sum.data, sum.count, type_);
    } else {
      p2p::transfer(vector, next, bytes);
      op.apply(sum.data, next.data, sum.count, type_);
      std::swap(sum, next);
    }
  }
  for (const Lent& lent : results) p2p::transfer(sum, result_at(lent, at, sum.count), bytes);
}

}  // namespace heddle::coll
