#include "mpi/datatype/typemap_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "mpi/datatype/make.h"

namespace heddle::datatype::oracle {

using object::CountArray;
using object::Ref;

// ---- Typemap ---------------------------------------------------------------------------------

std::int64_t Typemap::size() const {
  std::int64_t sum = 0;
  for (const Item& item : items) sum += item.size;
  return sum;
}

std::int64_t Typemap::true_lower() const {
  std::int64_t least = items.empty() ? 0 : INT64_MAX;
  for (const Item& item : items) least = std::min(least, item.at);
  return least;
}

std::int64_t Typemap::true_upper() const {
  std::int64_t most = items.empty() ? 0 : INT64_MIN;
  for (const Item& item : items) most = std::max(most, item.at + item.size);
  return most;
}

std::int64_t Typemap::lower() const {
  return marked ? marker_lower : true_lower();
}

std::int64_t Typemap::upper() const {
  if (marked) return marker_upper;
  std::int64_t alignment = 1;
  for (const Item& item : items) alignment = std::max<std::int64_t>(alignment, item.alignment);
  std::int64_t end = true_upper();
  while ((end - true_lower()) % alignment != 0) ++end;
  return end;
}

void Typemap::place(const Typemap& other, std::int64_t displacement) {
  for (Item item : other.items) {
    item.at += displacement;
    items.push_back(item);
  }
  if (!other.marked) return;
  const std::int64_t low = other.marker_lower + displacement;
  const std::int64_t high = other.marker_upper + displacement;
  marker_lower = marked ? std::min(marker_lower, low) : low;
  marker_upper = marked ? std::max(marker_upper, high) : high;
  marked = true;
}

std::vector<std::int64_t> Typemap::bytes(std::int64_t count) const {
  const std::int64_t step = extent();
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Item& item : items) {
      for (int byte = 0; byte < item.size; ++byte) all.push_back(i * step + item.at + byte);
    }
  }
  return all;
}

// ---- RandomTypes -----------------------------------------------------------------------------

struct RandomTypes::Array {
  std::vector<int> small;
  std::vector<MPI_Count> large;

  void push(std::int64_t value) {
    small.push_back(static_cast<int>(value));
    large.push_back(value);
  }
  std::int64_t operator[](std::int64_t i) const { return large[static_cast<std::size_t>(i)]; }
  CountArray counts(bool is_large) const {
    return is_large ? CountArray(large.data()) : CountArray(small.data());
  }
  // Displacements in bytes have one width only.
  CountArray addresses() const { return CountArray(large.data()); }
};

template <class Make>
Sample RandomTypes::made(Typemap map, std::string story, Make make) {
  Datatype* type = nullptr;
  Error e = make(number(0, 1) != 0, &type);
  EXPECT_FALSE(e) << story << ": " << e.text();
  return {Ref<Datatype>::adopt(type), std::move(map), std::move(story)};
}

Sample RandomTypes::basic() {
  struct Choice {
    MPI_Datatype handle;
    std::vector<Item> items;
  };
  static const Choice kChoices[] = {
      {MPI_CHAR, {{0, 1, 1}}},
      {MPI_SHORT, {{0, 2, 2}}},
      {MPI_INT, {{0, 4, 4}}},
      {MPI_DOUBLE, {{0, 8, 8}}},
      {MPI_LONG_DOUBLE, {{0, 16, 16}}},
      {MPI_C_DOUBLE_COMPLEX, {{0, 16, 8}}},
      {MPI_DOUBLE_INT, {{0, 8, 8}, {8, 4, 4}}},
      {MPI_SHORT_INT, {{0, 2, 2}, {4, 4, 4}}},
      {MPI_LONG_DOUBLE_INT, {{0, 16, 16}, {16, 4, 4}}},
      {MPI_2REAL, {{0, 4, 4}, {4, 4, 4}}},
  };
  const Choice& choice = kChoices[number(0, static_cast<std::int64_t>(std::size(kChoices)) - 1)];
  Datatype& type = named(choice.handle);
  return {Ref<Datatype>(&type), {choice.items}, type.constant_name()};
}

Sample RandomTypes::contiguous(Sample old) {
  const std::int64_t count = number(0, 4);
  Typemap map;
  for (std::int64_t i = 0; i < count; ++i) map.place(old.map, i * old.map.extent());
  return made(map, "contiguous(" + std::to_string(count) + ", " + old.story + ")",
              [&](bool large, Datatype** out) {
                return make_contiguous(large, count, old.type.get(), out);
              });
}

Sample RandomTypes::vector(Sample old, bool bytes) {
  const std::int64_t count = number(0, 5), length = number(0, 3), stride = number(-6, 9);
  const std::int64_t step = bytes ? stride * 3 : stride * old.map.extent();
  Typemap map;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < length; ++j) {
      map.place(old.map, i * step + j * old.map.extent());
    }
  }
  const std::string story = std::string(bytes ? "hvector(" : "vector(") + std::to_string(count) +
                            ", " + std::to_string(length) + ", " +
                            std::to_string(bytes ? step : stride) + ", " + old.story + ")";
  return made(map, story, [&](bool large, Datatype** out) {
    return bytes ? make_hvector(large, count, length, step, old.type.get(), out)
                 : make_vector(large, count, length, stride, old.type.get(), out);
  });
}

Sample RandomTypes::indexed(Sample old, bool bytes) {
  const std::int64_t count = number(0, 5);
  Array lengths, displacements;
  Typemap map;
  std::string story = bytes ? "hindexed({" : "indexed({";
  for (std::int64_t i = 0; i < count; ++i) {
    lengths.push(number(0, 3));
    displacements.push(number(-10, 20));
    const std::int64_t at = displacements[i] * (bytes ? 1 : old.map.extent());
    for (std::int64_t j = 0; j < lengths[i]; ++j) map.place(old.map, at + j * old.map.extent());
    story += std::to_string(lengths[i]) + " at " + std::to_string(displacements[i]) + ", ";
  }
  story += "}, " + old.story + ")";
  return made(map, story, [&](bool large, Datatype** out) {
    return bytes ? make_hindexed(large, count, lengths.counts(large), displacements.addresses(),
                                 old.type.get(), out)
                 : make_indexed(large, count, lengths.counts(large), displacements.counts(large),
                                old.type.get(), out);
  });
}

Sample RandomTypes::indexed_block(Sample old, bool bytes) {
  const std::int64_t count = number(0, 5), length = number(0, 3);
  Array displacements;
  Typemap map;
  std::string story =
      std::string(bytes ? "hindexed_block(" : "indexed_block(") + std::to_string(length) + " at {";
  for (std::int64_t i = 0; i < count; ++i) {
    displacements.push(number(-10, 20));
    const std::int64_t at = displacements[i] * (bytes ? 1 : old.map.extent());
    for (std::int64_t j = 0; j < length; ++j) map.place(old.map, at + j * old.map.extent());
    story += std::to_string(displacements[i]) + ", ";
  }
  story += "}, " + old.story + ")";
  return made(map, story, [&](bool large, Datatype** out) {
    return bytes ? make_hindexed_block(large, count, length, displacements.addresses(),
                                       old.type.get(), out)
                 : make_indexed_block(large, count, length, displacements.counts(large),
                                      old.type.get(), out);
  });
}

Sample RandomTypes::structure(int depth) {
  const std::int64_t count = number(0, 4);
  Array lengths, displacements;
  std::vector<MPI_Datatype> types;
  Typemap map;
  std::string story = "struct({";
  for (std::int64_t i = 0; i < count; ++i) {
    Sample old = make(depth - 1);
    lengths.push(number(0, 2));
    displacements.push(number(-20, 60));
    for (std::int64_t j = 0; j < lengths[i]; ++j) {
      map.place(old.map, displacements[i] + j * old.map.extent());
    }
    story += std::to_string(lengths[i]) + " of " + old.story + " at " +
             std::to_string(displacements[i]) + ", ";
    types.push_back(reinterpret_cast<MPI_Datatype>(object::publish(old.type.leak())));
  }
  Sample sample = made(map, story + "})", [&](bool large, Datatype** out) {
    return make_struct(large, count, lengths.counts(large), displacements.addresses(), types.data(),
                       out);
  });
  for (MPI_Datatype handle : types) {  // the struct keeps them alive
    auto bits = reinterpret_cast<object::HandleBits>(handle);
    if (object::Object* retired = object::retire(object::Kind::kDatatype, bits)) {
      retired->release();
    }
  }
  return sample;
}

Sample RandomTypes::resized(Sample old) {
  const std::int64_t lower = number(-8, 8), extent = number(-4, 100);
  Typemap map = old.map;
  map.marked = true;
  map.marker_lower = lower;
  map.marker_upper = lower + extent;
  return made(
      map,
      "resized(" + old.story + ", " + std::to_string(lower) + ", " + std::to_string(extent) + ")",
      [&](bool large, Datatype** out) {
        return make_resized(large, old.type.get(), lower, extent, out);
      });
}

Sample RandomTypes::dup(Sample old) {
  return made(old.map, "dup(" + old.story + ")",
              [&](bool, Datatype** out) { return make_dup(old.type.get(), out); });
}

namespace {

// Goes through all index tuples of an array, neighbours in memory first, and places those that
// `mine` takes.
Typemap pick(const std::vector<std::int64_t>& sizes, int order, const Typemap& old,
             const std::function<bool(const std::vector<std::int64_t>&)>& mine) {
  std::int64_t total = 1;
  for (std::int64_t size : sizes) total *= size;
  Typemap map;
  const std::size_t dimensions = sizes.size();
  const std::int64_t step = old.extent();
  for (std::int64_t linear = 0; linear < total; ++linear) {
    std::vector<std::int64_t> index(dimensions);
    std::int64_t rest = linear;
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::size_t dimension = order == MPI_ORDER_C ? dimensions - 1 - i : i;
      index[dimension] = rest % sizes[dimension];
      rest /= sizes[dimension];
    }
    if (mine(index)) map.place(old, linear * step);
  }
  map.marked = true;
  map.marker_lower = 0;
  map.marker_upper = total * step;
  return map;
}

}  // namespace

Sample RandomTypes::subarray(Sample old) {
  const int dimensions = static_cast<int>(number(1, 3));
  const int order = number(0, 1) != 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  Array sizes, subsizes, starts;
  for (int i = 0; i < dimensions; ++i) {
    sizes.push(number(1, 4));
    subsizes.push(number(1, sizes[i]));
    starts.push(number(0, sizes[i] - subsizes[i]));
  }
  const Typemap map = pick(sizes.large, order, old.map, [&](const auto& index) {
    for (int i = 0; i < dimensions; ++i) {
      const std::int64_t at = index[static_cast<std::size_t>(i)] - starts[i];
      if (at < 0 || at >= subsizes[i]) return false;
    }
    return true;
  });
  return made(map, "subarray(" + old.story + ")", [&](bool large, Datatype** out) {
    return make_subarray(large, dimensions, sizes.counts(large), subsizes.counts(large),
                         starts.counts(large), order, old.type.get(), out);
  });
}

Sample RandomTypes::darray(Sample old) {
  const int dimensions = static_cast<int>(number(1, 3));
  const int order = number(0, 1) != 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  Array sizes;
  std::vector<int> distribs, dargs, grid;
  std::vector<std::int64_t> blocks;
  int processes = 1;
  for (int i = 0; i < dimensions; ++i) {
    const int choices[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    const int distrib = choices[number(0, 2)];
    sizes.push(number(1, 6));
    grid.push_back(distrib == MPI_DISTRIBUTE_NONE ? 1 : static_cast<int>(number(1, 3)));
    processes *= grid.back();
    const std::int64_t share = (sizes[i] + grid.back() - 1) / grid.back();
    const bool by_default = number(0, 1) != 0;
    std::int64_t block = distrib == MPI_DISTRIBUTE_BLOCK ? share : 1;
    if (!by_default) block += number(0, 2);
    if (distrib == MPI_DISTRIBUTE_NONE) block = sizes[i];
    distribs.push_back(distrib);
    dargs.push_back(by_default ? MPI_DISTRIBUTE_DFLT_DARG : static_cast<int>(block));
    blocks.push_back(block);
  }
  const int rank = static_cast<int>(number(0, processes - 1));
  std::vector<std::int64_t> place(static_cast<std::size_t>(dimensions));
  for (int i = dimensions - 1, rest = rank; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    place[at] = rest % grid[at];
    rest /= grid[at];
  }
  const Typemap map = pick(sizes.large, order, old.map, [&](const auto& index) {
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (index[i] / blocks[i] % grid[i] != place[i]) return false;
    }
    return true;
  });
  return made(map, "darray(" + old.story + ")", [&](bool large, Datatype** out) {
    return make_darray(large, processes, rank, dimensions, sizes.counts(large), distribs.data(),
                       dargs.data(), grid.data(), order, old.type.get(), out);
  });
}

Sample RandomTypes::make(int depth) {
  if (depth == 0) return basic();
  const std::int64_t choice = number(0, 11);
  if (choice >= 10) return structure(depth);
  Sample old = make(depth - 1);
  if (old.map.items.size() > 600) return old;  // large enough
  switch (choice) {
    case 0:
      return contiguous(std::move(old));
    case 1:
      return vector(std::move(old), false);
    case 2:
      return vector(std::move(old), true);
    case 3:
      return indexed(std::move(old), false);
    case 4:
      return indexed(std::move(old), true);
    case 5:
      return indexed_block(std::move(old), number(0, 1) != 0);
    case 6:
      return resized(std::move(old));
    case 7:
      return dup(std::move(old));
    case 8:
      return subarray(std::move(old));
    default:
      return darray(std::move(old));
  }
}

}  // namespace heddle::datatype::oracle
