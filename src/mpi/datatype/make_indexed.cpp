// The constructors with a displacement for each block, struct among them.

#include <initializer_list>
#include <utility>
#include <vector>

#include "mpi/datatype/make.h"
#include "mpi/datatype/shape.h"
#include "mpi/lifetime/making.h"

namespace heddle::datatype {

namespace {

// Blocks of one type; makes the shape of a block anew only when its length changes, so that
// equal blocks share their layout.
class Blocks {
 public:
  Blocks(const Datatype& old, MPI_Count count) : old_(old), sequence_(count) {}

  void add(MPI_Count length, Wide displacement) {
    if (length == 0) return;
    if (length != length_) {
      alike_ = offsets_.empty();
      block_ = repeat(shape_of(old_), length, old_.extent());
    }
    length_ = length;
    sequence_.add(block_, displacement);
    if (alike_) offsets_.push_back(static_cast<MPI_Count>(displacement));
  }

  // Blocks that meet become one run. Where few do, short blocks stay as they are: a loop over runs
  // of one length is faster than one over fewer runs whose lengths cannot be foreseen.
  Shape shape() && {
    Shape all = std::move(sequence_).shape();
    const bool short_blocks = alike_ && block_.layout.is_run() && block_.layout.bytes <= 24;
    const bool ragged = !all.layout.is_run() && all.layout.node->kind == NodeKind::kRuns;
    if (short_blocks && ragged &&
        all.layout.node->count * 4 > static_cast<MPI_Count>(offsets_.size())) {
      all.layout = blocks(block_.layout, std::move(offsets_));
    }
    return all;
  }

 private:
  const Datatype& old_;
  MPI_Count length_ = 0;
  Shape block_;
  Sequence sequence_;
  bool alike_ = false;  // all so far have one length
  std::vector<MPI_Count> offsets_;
};

// `unit`: bytes of one step of a displacement.
Shape indexed(const Datatype& old, MPI_Count count, CountArray blocklengths,
              CountArray displacements, MPI_Count unit) {
  Blocks all(old, count);
  for (MPI_Count i = 0; i < count; ++i) {
    all.add(blocklengths[i], Wide{displacements[i]} * unit);
  }
  return std::move(all).shape();
}

Shape indexed_block(const Datatype& old, MPI_Count count, MPI_Count blocklength,
                    CountArray displacements, MPI_Count unit) {
  Blocks all(old, count);
  for (MPI_Count i = 0; i < count; ++i) all.add(blocklength, Wide{displacements[i]} * unit);
  return std::move(all).shape();
}

// Arguments for a recipe: `values`, then `count` elements of each array.
std::vector<MPI_Count> listed(std::vector<MPI_Count> values, MPI_Count count,
                              std::initializer_list<CountArray> arrays) {
  values.reserve(values.size() + static_cast<std::size_t>(count) * arrays.size());
  for (const CountArray& array : arrays) {
    for (MPI_Count i = 0; i < count; ++i) values.push_back(array[i]);
  }
  return values;
}

}  // namespace

Error make_indexed(bool large, MPI_Count count, CountArray blocklengths, CountArray displacements,
                   Datatype* old, Datatype** out) {
  const lifetime::Making making;
  const auto values = listed({count}, count, {blocklengths, displacements});
  return finish(indexed(*old, count, blocklengths, displacements, old->extent()), *old,
                recipe_of(MPI_COMBINER_INDEXED, large, values), out);
}

Error make_hindexed(bool large, MPI_Count count, CountArray blocklengths, CountArray displacements,
                    Datatype* old, Datatype** out) {
  const lifetime::Making making;
  const auto values = listed({count}, count, {blocklengths, displacements});
  return finish(indexed(*old, count, blocklengths, displacements, 1), *old,
                recipe_of(MPI_COMBINER_HINDEXED, large, values, count), out);
}

Error make_indexed_block(bool large, MPI_Count count, MPI_Count blocklength,
                         CountArray displacements, Datatype* old, Datatype** out) {
  const lifetime::Making making;
  const auto values = listed({count, blocklength}, count, {displacements});
  return finish(indexed_block(*old, count, blocklength, displacements, old->extent()), *old,
                recipe_of(MPI_COMBINER_INDEXED_BLOCK, large, values), out);
}

Error make_hindexed_block(bool large, MPI_Count count, MPI_Count blocklength,
                          CountArray displacements, Datatype* old, Datatype** out) {
  const lifetime::Making making;
  const auto values = listed({count, blocklength}, count, {displacements});
  return finish(indexed_block(*old, count, blocklength, displacements, 1), *old,
                recipe_of(MPI_COMBINER_HINDEXED_BLOCK, large, values, count), out);
}

Error make_struct(bool large, MPI_Count count, CountArray blocklengths, CountArray displacements,
                  const MPI_Datatype* types, Datatype** out) {
  const lifetime::Making making;
  const auto values = listed({count}, count, {blocklengths, displacements});
  std::vector<Datatype*> old;
  old.reserve(static_cast<std::size_t>(count));
  for (MPI_Count i = 0; i < count; ++i) {
    Datatype* type = from_handle(types[i]);
    if (type == nullptr) {
      return Error::make(MPI_ERR_TYPE, "argument array_of_types[%lld] is %s",
                         static_cast<long long>(i),
                         types[i] == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : "not a datatype");
    }
    old.push_back(type);
  }
  Sequence all(count);
  std::vector<Part> parts;
  for (MPI_Count i = 0; i < count; ++i) {
    const Datatype& type = *old[static_cast<std::size_t>(i)];
    const MPI_Count length = blocklengths[i];
    if (length == 0) continue;
    all.add(repeat(shape_of(type), length, type.extent()), displacements[i]);
    if (type.size() == 0) continue;
    if (!parts.empty() && parts.back().type == &type && parts.back().repeat <= INT64_MAX - length) {
      parts.back().repeat += length;
    } else {
      parts.push_back({&type, length});
    }
  }
  Recipe recipe = recipe_of(MPI_COMBINER_STRUCT, large, values, count);
  recipe.types = old;
  return finish(std::move(all).shape(), parts, recipe, out);
}

}  // namespace heddle::datatype
