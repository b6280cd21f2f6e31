// Reductions of types whose elements do not lie one behind the other (MPI 5.0 §6.9, §5.1.7): where
// intermediate results are kept, there must be room for what operations touch.

#include <cstring>
#include <vector>

#include "tests/support/ranks_test.h"

namespace {

constexpr int kCounts[] = {1, 10, 3000};

struct Layout {
  MPI_Aint extent;
  MPI_Aint begin;  // of the int in the element
};

// Elements in memory of their own: `at(i)` is the int of element i; all else is kGap.
class Elements {
 public:
  static constexpr unsigned char kGap = 0xA5;

  Elements(const Layout& layout, int count)
      : layout_(layout), count_(count), bytes_(margin() * 2 + span(), kGap) {}

  char* buffer() { return reinterpret_cast<char*>(bytes_.data()) + first(); }
  int get(int i) const {
    int value;
    std::memcpy(&value, bytes_.data() + first() + i * layout_.extent + layout_.begin, sizeof value);
    return value;
  }
  void set(int i, int value) {
    std::memcpy(buffer() + i * layout_.extent + layout_.begin, &value, sizeof value);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(std::abs(layout_.extent)); }
  std::size_t margin() const { return width() + sizeof(int) + 64; }
  std::size_t span() const { return width() * static_cast<std::size_t>(count_); }
  std::ptrdiff_t first() const {
    const std::size_t before = layout_.extent < 0 ? span() : 0;
    return static_cast<std::ptrdiff_t>(margin() + before);
  }

  const Layout layout_;
  const int count_;
  std::vector<unsigned char> bytes_;
};

// Adds the int of each element, and copies the whole element, as programs do with structs.
void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower, extent, true_lower, true_extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  MPI_Type_get_true_extent(*type, &true_lower, &true_extent);
  for (int i = 0; i < *count; ++i) {
    auto* from = static_cast<char*>(in) + i * extent;
    auto* to = static_cast<char*>(inout) + i * extent;
    int a, b;
    std::memcpy(&a, from + true_lower, sizeof a);
    std::memcpy(&b, to + true_lower, sizeof b);
    std::vector<char> whole;
    if (extent > 0) whole.assign(to + lower, to + lower + extent);
    a += b;
    if (extent > 0) std::memcpy(to + lower, whole.data(), whole.size());
    std::memcpy(to + true_lower, &a, sizeof a);
  }
}

int input(int rank, int i) {
  return rank * 7 + i;
}

void reduce_every_way(const Layout& layout, int rank, int size) {
  MPI_Datatype moved, type;
  const int one = 1;
  MPI_Type_create_hindexed(1, &one, &layout.begin, MPI_INT, &moved);
  MPI_Type_create_resized(moved, 0, layout.extent, &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  for (const int count : kCounts) {
    Elements mine(layout, count), all(layout, count), upto(layout, count), before(layout, count);
    for (int i = 0; i < count; ++i) mine.set(i, input(rank, i));
    const auto sum = [&](int ranks, int i) {
      int total = 0;
      for (int r = 0; r < ranks; ++r) total += input(r, i);
      return total;
    };
    MPI_Allreduce(mine.buffer(), all.buffer(), count, type, op, MPI_COMM_WORLD);
    MPI_Scan(mine.buffer(), upto.buffer(), count, type, op, MPI_COMM_WORLD);
    MPI_Exscan(mine.buffer(), before.buffer(), count, type, op, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(all.get(i), sum(size, i));
      ASSERT_EQ(upto.get(i), sum(rank + 1, i));
      if (rank > 0) {
        ASSERT_EQ(before.get(i), sum(rank, i));
      }
    }
    Elements root(layout, count);
    MPI_Reduce(mine.buffer(), root.buffer(), count, type, op, size - 1, MPI_COMM_WORLD);
    for (int i = 0; i < count && rank == size - 1; ++i) ASSERT_EQ(root.get(i), sum(size, i));
  }
  MPI_Op_free(&op);
  MPI_Type_free(&moved);
  MPI_Type_free(&type);
}

}  // namespace

RANKS_TEST(ReduceLayout, ElementsMayLieInFrontOfEachOther, ranks(1, 2, 4, 7)) {
  reduce_every_way({-4, 0}, rank, size);
}

RANKS_TEST(ReduceLayout, AnOperationMayCopyPadding, ranks(1, 2, 4, 7)) {
  reduce_every_way({64, 8}, rank, size);
}

RANKS_TEST(ReduceLayout, ElementsMayBeginOutsideOfTheirExtent, ranks(1, 2, 4, 7)) {
  reduce_every_way({16, -20}, rank, size);
}

RANKS_TEST(ReduceLayout, LargeVectorsOfPairs, ranks(1, 2, 4, 7)) {
  struct Pair {
    double value;
    int where;
  };
  constexpr int kCount = 4096;
  std::vector<Pair> mine(kCount), most(kCount);
  for (int i = 0; i < kCount; ++i)
    mine[static_cast<std::size_t>(i)] = {(rank + i) % size * 1.0, rank};
  MPI_Allreduce(mine.data(), most.data(), kCount, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  for (int i = 0; i < kCount; ++i) {
    const Pair& got = most[static_cast<std::size_t>(i)];
    ASSERT_EQ(got.value, size - 1.0);
    ASSERT_EQ((got.where + i) % size, size - 1);
  }
}
