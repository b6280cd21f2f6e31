// Operations that do not commute are applied in rank order (MPI 5.0 §6.9.5): products of 2x2
// matrices, and an operation on a derived type.

#include <array>

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

// Over a small prime field, so that products are exact.
using Matrix = std::array<int, 4>;
constexpr int kPrime = 10007;

Matrix product(const Matrix& a, const Matrix& b) {
  return {(a[0] * b[0] + a[1] * b[2]) % kPrime, (a[0] * b[1] + a[1] * b[3]) % kPrime,
          (a[2] * b[0] + a[3] * b[2]) % kPrime, (a[2] * b[1] + a[3] * b[3]) % kPrime};
}

void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const Matrix*>(in);
  auto* right = static_cast<Matrix*>(inout);
  for (int i = 0; i < *count; ++i) right[i] = product(left[i], right[i]);
}

Matrix matrix_of(int rank, int i) {
  return {rank + 2, i % 7 + 1, (rank * 3 + i) % 11, rank + i % 5 + 1};
}

std::vector<Matrix> matrices_of(int rank, int count) {
  std::vector<Matrix> all;
  for (int i = 0; i < count; ++i) all.push_back(matrix_of(rank, i));
  return all;
}

// The product of ranks [0, end) in order.
std::vector<Matrix> products(int end, int count) {
  std::vector<Matrix> all(static_cast<std::size_t>(count), Matrix{1, 0, 0, 1});
  for (int rank = 0; rank < end; ++rank) {
    for (int i = 0; i < count; ++i) {
      Matrix& matrix = all[static_cast<std::size_t>(i)];
      matrix = product(matrix, matrix_of(rank, i));
    }
  }
  return all;
}

// The type and the operation, freed at the end.
struct Tools {
  Tools() {
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, /*commute=*/0, &op);
  }
  ~Tools() {
    MPI_Type_free(&type);
    MPI_Op_free(&op);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

}  // namespace

RANKS_TEST(NonCommutative, ReduceMultipliesInRankOrder, ranks(1, 2, 4, 7, 16)) {
  const Tools tools;
  for (const int count : {1, 30, 3000}) {
    for (int root = 0; root < size; ++root) {
      const std::vector<Matrix> mine = matrices_of(rank, count);
      std::vector<Matrix> result(mine.size());
      ASSERT_EQ(
          MPI_Reduce(mine.data(), result.data(), count, tools.type, tools.op, root, MPI_COMM_WORLD),
          MPI_SUCCESS);
      std::vector<Matrix> both = mine;
      ASSERT_EQ(MPI_Reduce(rank == root ? MPI_IN_PLACE : both.data(), both.data(), count,
                           tools.type, tools.op, root, MPI_COMM_WORLD),
                MPI_SUCCESS);
      if (rank != root) continue;
      EXPECT_EQ(result, products(size, count));
      EXPECT_EQ(both, products(size, count));
    }
  }
}

RANKS_TEST(NonCommutative, AllreduceMultipliesInRankOrder, ranks(1, 2, 4, 7, 16)) {
  const Tools tools;
  for (const int count : {1, 30, 3000}) {
    std::vector<Matrix> data = matrices_of(rank, count), result(data.size());
    MPI_Allreduce(data.data(), result.data(), count, tools.type, tools.op, MPI_COMM_WORLD);
    EXPECT_EQ(result, products(size, count));
    MPI_Allreduce(MPI_IN_PLACE, data.data(), count, tools.type, tools.op, MPI_COMM_WORLD);
    EXPECT_EQ(data, products(size, count));
  }
}

RANKS_TEST(NonCommutative, ScansMultiplyInRankOrder, ranks(1, 2, 4, 7)) {
  const Tools tools;
  for (const int count : {1, 30, 3000}) {
    const std::vector<Matrix> mine = matrices_of(rank, count);
    std::vector<Matrix> up_to(mine.size()), before(mine);
    MPI_Scan(mine.data(), up_to.data(), count, tools.type, tools.op, MPI_COMM_WORLD);
    EXPECT_EQ(up_to, products(rank + 1, count));
    MPI_Exscan(mine.data(), before.data(), count, tools.type, tools.op, MPI_COMM_WORLD);
    EXPECT_EQ(before, rank == 0 ? mine : products(rank, count));
  }
}

RANKS_TEST(NonCommutative, ReduceScatterMultipliesInRankOrder, ranks(1, 2, 4, 7)) {
  const Tools tools;
  constexpr int kCount = 20;
  const std::vector<Matrix> mine = matrices_of(rank, kCount * size);
  std::vector<Matrix> piece(kCount);
  MPI_Reduce_scatter_block(mine.data(), piece.data(), kCount, tools.type, tools.op, MPI_COMM_WORLD);
  const std::vector<Matrix> all = products(size, kCount * size);
  for (int i = 0; i < kCount; ++i) {
    EXPECT_EQ(piece[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(rank * kCount + i)]);
  }
}
