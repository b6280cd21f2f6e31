// Pieces of arrays: subarray and darray (MPI 5.0 §5.1.3, §5.1.4).

#include <utility>
#include <vector>

#include "mpi/datatype/make.h"
#include "mpi/datatype/shape.h"

namespace heddle::datatype {

namespace {

Error check_order(int order) {
  if (order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN) return {};
  return Error::make(MPI_ERR_ARG, "argument order is %d, not MPI_ORDER_C or MPI_ORDER_FORTRAN",
                     order);
}

Error check_ndims(int ndims) {
  if (ndims > 0) return {};
  return Error::make(MPI_ERR_ARG, "argument ndims is %d, not positive", ndims);
}

// An element of an array argument lies outside of [low, high].
Error outside(const char* name, int dimension, MPI_Count value, MPI_Count low, MPI_Count high) {
  return Error::make(MPI_ERR_ARG, "argument %s[%d] is %lld, but must be from %lld to %lld", name,
                     dimension, static_cast<long long>(value), static_cast<long long>(low),
                     static_cast<long long>(high));
}

// Goes through the dimensions from the one whose elements are neighbours to the slowest one.
// `step(dimension, stride)` is called with the bytes between neighbours.
template <class Step>
Wide for_each_dimension(int ndims, int order, CountArray sizes, Wide extent, Step step) {
  Wide stride = extent;
  for (int i = 0; i < ndims; ++i) {
    const int dimension = order == MPI_ORDER_C ? ndims - 1 - i : i;
    step(dimension, stride);
    // An array this large has no fitting shape, so the product's exact value no longer matters.
    constexpr Wide kHuge = Wide{1} << 64;
    stride *= sizes[dimension];
    if (stride > kHuge) stride = kHuge;
    if (stride < -kHuge) stride = -kHuge;
  }
  return stride;
}

Error check_subarray(int ndims, CountArray sizes, CountArray subsizes, CountArray starts) {
  for (int i = 0; i < ndims; ++i) {
    if (sizes[i] < 1) return outside("array_of_sizes", i, sizes[i], 1, INT64_MAX);
    if (subsizes[i] < 1 || subsizes[i] > sizes[i]) {
      return outside("array_of_subsizes", i, subsizes[i], 1, sizes[i]);
    }
    if (starts[i] < 0 || starts[i] > sizes[i] - subsizes[i]) {
      return outside("array_of_starts", i, starts[i], 0, sizes[i] - subsizes[i]);
    }
  }
  return {};
}

}  // namespace

Error make_subarray(bool large, int ndims, CountArray sizes, CountArray subsizes, CountArray starts,
                    int order, Datatype* old, Datatype** out) {
  if (Error e = check_ndims(ndims)) return e;
  if (Error e = check_order(order)) return e;
  if (Error e = check_subarray(ndims, sizes, subsizes, starts)) return e;

  std::vector<MPI_Count> integers = {ndims}, large_counts;
  std::vector<MPI_Count>& counts = large ? large_counts : integers;
  for (CountArray array : {sizes, subsizes, starts}) {
    for (int i = 0; i < ndims; ++i) counts.push_back(array[i]);
  }
  integers.push_back(order);
  const Recipe recipe{
      .combiner = MPI_COMBINER_SUBARRAY, .integers = integers, .counts = large_counts};

  Shape shape = shape_of(*old);
  const Wide extent =
      for_each_dimension(ndims, order, sizes, old->extent(), [&](int i, Wide stride) {
        shape = shift(repeat(shape, subsizes[i], stride), starts[i] * stride);
      });
  return finish(resize(std::move(shape), 0, extent), *old, recipe, out);
}

namespace {

// The part of one dimension that one process has: blocks of `block` elements, dealt out in turn.
struct Deal {
  MPI_Count elements;
  MPI_Count block;
  MPI_Count processes;
  MPI_Count place;  // of this process among them
};

Error deal_of(int dimension, MPI_Count elements, int distrib, int darg, int processes, int place,
              Deal* deal) {
  const bool by_default = darg == MPI_DISTRIBUTE_DFLT_DARG;
  if (elements < 1) return outside("array_of_gsizes", dimension, elements, 1, INT64_MAX);
  if (distrib != MPI_DISTRIBUTE_NONE && !by_default && darg < 1) {
    return outside("array_of_dargs", dimension, darg, 1, INT32_MAX);
  }
  *deal = {elements, darg, processes, place};
  switch (distrib) {
    case MPI_DISTRIBUTE_NONE:
      if (processes != 1) return outside("array_of_psizes", dimension, processes, 1, 1);
      deal->block = elements;
      return {};
    case MPI_DISTRIBUTE_BLOCK:
      if (by_default) deal->block = elements / processes + (elements % processes != 0);
      if (Wide{deal->block} * processes < elements) {
        const MPI_Count least = elements / processes + (elements % processes != 0);
        return outside("array_of_dargs", dimension, darg, least, INT32_MAX);
      }
      return {};
    case MPI_DISTRIBUTE_CYCLIC:
      if (by_default) deal->block = 1;
      return {};
    default:
      return Error::make(MPI_ERR_ARG, "argument array_of_distribs[%d] is %d, not a distribution",
                         dimension, distrib);
  }
}

Shape dealt(const Shape& element, const Deal& deal, Wide stride) {
  const MPI_Count blocks = deal.elements / deal.block + (deal.elements % deal.block != 0);
  const MPI_Count mine = blocks / deal.processes + (deal.place < blocks % deal.processes ? 1 : 0);
  if (mine == 0) return {};
  const bool has_last = (blocks - 1) % deal.processes == deal.place;
  const MPI_Count last = deal.elements - (blocks - 1) * deal.block;
  const bool short_last = has_last && last != deal.block;

  const Shape block = repeat(element, deal.block, stride);
  const Wide turn = Wide{deal.processes} * deal.block * stride;
  const Wide first = Wide{deal.place} * deal.block * stride;
  if (!short_last) return shift(repeat(block, mine, turn), first);
  Sequence all(2);
  all.add(repeat(block, mine - 1, turn), first);
  all.add(repeat(element, last, stride), Wide{blocks - 1} * deal.block * stride);
  return std::move(all).shape();
}

Error check_grid(int size, int rank, int ndims, const int* psizes) {
  if (size < 1) return Error::make(MPI_ERR_ARG, "argument size is %d, not positive", size);
  if (rank < 0 || rank >= size) {
    return Error::make(MPI_ERR_RANK, "argument rank is %d, but must be from 0 to %d", rank,
                       size - 1);
  }
  Wide product = 1;
  for (int i = 0; i < ndims; ++i) {
    if (psizes[i] < 1) return outside("array_of_psizes", i, psizes[i], 1, size);
    product = std::min(product * psizes[i], Wide{INT64_MAX});
  }
  if (product == size) return {};
  return Error::make(MPI_ERR_ARG,
                     "the product of argument array_of_psizes is %lld, but argument size is %d",
                     static_cast<long long>(product), size);
}

}  // namespace

Error make_darray(bool large, int size, int rank, int ndims, CountArray gsizes, const int* distribs,
                  const int* dargs, const int* psizes, int order, Datatype* old, Datatype** out) {
  if (Error e = check_ndims(ndims)) return e;
  if (Error e = check_order(order)) return e;
  if (Error e = check_grid(size, rank, ndims, psizes)) return e;

  // Places in the grid of processes are counted in C's order, whatever `order` is.
  std::vector<Deal> deals(static_cast<std::size_t>(ndims));
  for (int i = 0, rest = rank, below = size; i < ndims; ++i) {
    below /= psizes[i];
    if (Error e = deal_of(i, gsizes[i], distribs[i], dargs[i], psizes[i], rest / below,
                          &deals[static_cast<std::size_t>(i)])) {
      return e;
    }
    rest %= below;
  }

  std::vector<MPI_Count> integers = {size, rank, ndims}, large_counts;
  std::vector<MPI_Count>& counts = large ? large_counts : integers;
  for (int i = 0; i < ndims; ++i) counts.push_back(gsizes[i]);
  for (const int* array : {distribs, dargs, psizes}) {
    integers.insert(integers.end(), array, array + ndims);
  }
  integers.push_back(order);
  const Recipe recipe{
      .combiner = MPI_COMBINER_DARRAY, .integers = integers, .counts = large_counts};

  Shape shape = shape_of(*old);
  const Wide extent =
      for_each_dimension(ndims, order, gsizes, old->extent(), [&](int i, Wide stride) {
        shape = dealt(shape, deals[static_cast<std::size_t>(i)], stride);
      });
  return finish(resize(std::move(shape), 0, extent), *old, recipe, out);
}

}  // namespace heddle::datatype
