// Alltoall, alltoallv, alltoallw (MPI 5.0 §6.8).

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

// Element i of what goes from one rank to another.
int between(int from, int to, int i) {
  return from * 1000003 + to * 10007 + i;
}

// How many elements go from one rank to another, where that differs.
int count_between(int from, int to, int unit) {
  return (from * 3 + to * 5) % 4 * unit;
}

// One side of an alltoallv at one rank: pieces with a gap of one element between them.
struct Side {
  Ints counts, displacements, data;

  template <class Count>
  Side(int size, Count count) {
    int position = 0;
    for (int peer = 0; peer < size; ++peer) {
      counts.push_back(count(peer));
      displacements.push_back(position);
      position += counts.back() + 1;
    }
    data.assign(static_cast<std::size_t>(position), kUntouched);
  }
  template <class Value>
  void fill(Value element) {
    for (std::size_t peer = 0; peer < counts.size(); ++peer) {
      for (int i = 0; i < counts[peer]; ++i) {
        data[static_cast<std::size_t>(displacements[peer] + i)] =
            element(static_cast<int>(peer), i);
      }
    }
  }
};

}  // namespace

RANKS_TEST(Alltoall, Transposes, ranks(1, 2, 4, 7)) {
  for (const int count : kCounts) {
    Ints send = room(size * count), receive = room(size * count), expected = room(size * count);
    for (int peer = 0; peer < size; ++peer) {
      for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(peer * count + i);
        send[at] = between(rank, peer, i);
        expected[at] = between(peer, rank, i);
      }
    }
    ASSERT_EQ(
        MPI_Alltoall(send.data(), count, MPI_INT, receive.data(), count, MPI_INT, MPI_COMM_WORLD),
        MPI_SUCCESS);
    EXPECT_EQ(receive, expected);
    ASSERT_EQ(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, send.data(), count, MPI_INT,
                           MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(send, expected);
  }
}

RANKS_TEST(Alltoall, ManyRanksTranspose, ranks(20, 70)) {
  for (const int count : {1, 2, 9, 300}) {
    Ints send(static_cast<std::size_t>(size * count)), receive(send), expected(send);
    for (int i = 0; i < size * count; ++i) {
      send[static_cast<std::size_t>(i)] = between(rank, i / count, i % count);
      expected[static_cast<std::size_t>(i)] = between(i / count, rank, i % count);
    }
    MPI_Alltoall(send.data(), count, MPI_INT, receive.data(), count, MPI_INT, MPI_COMM_WORLD);
    EXPECT_EQ(receive, expected);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, send.data(), count, MPI_INT, MPI_COMM_WORLD);
    EXPECT_EQ(send, expected);
  }
}

RANKS_TEST(Alltoallv, TransposesPiecesOfAnySize, ranks(1, 2, 4, 7)) {
  for (const int unit : {1, 70, 9000}) {
    Side out(size, [=](int peer) { return count_between(rank, peer, unit); });
    Side in(size, [=](int peer) { return count_between(peer, rank, unit); });
    out.fill([=](int peer, int i) { return between(rank, peer, i); });
    Side expected = in;
    expected.fill([=](int peer, int i) { return between(peer, rank, i); });
    ASSERT_EQ(MPI_Alltoallv(out.data.data(), out.counts.data(), out.displacements.data(), MPI_INT,
                            in.data.data(), in.counts.data(), in.displacements.data(), MPI_INT,
                            MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(in.data, expected.data);
  }
}

RANKS_TEST(Alltoallv, InPlaceNeedsEqualCountsBothWays, ranks(1, 2, 4, 7)) {
  const auto count = [=](int peer) { return (rank + peer) % 3 * 40; };
  Side side(size, count), expected(size, count);
  side.fill([=](int peer, int i) { return between(rank, peer, i); });
  expected.fill([=](int peer, int i) { return between(peer, rank, i); });
  ASSERT_EQ(MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, side.data.data(),
                          side.counts.data(), side.displacements.data(), MPI_INT, MPI_COMM_WORLD),
            MPI_SUCCESS);
  EXPECT_EQ(side.data, expected.data);
}

RANKS_TEST(Alltoallw, EveryPeerHasItsType, ranks(1, 2, 4, 7)) {
  // To even peers as ints, to odd ones as pairs of ints.
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  constexpr int kInts = 60;
  Side out(size, [](int) { return kInts; }), in(size, [](int) { return kInts; });
  out.fill([=](int peer, int i) { return between(rank, peer, i); });
  Side expected = in;
  expected.fill([=](int peer, int i) { return between(peer, rank, i); });
  std::vector<MPI_Datatype> out_types, in_types;
  Ints out_counts, in_counts, displacements;
  for (int peer = 0; peer < size; ++peer) {
    out_types.push_back(peer % 2 == 0 ? MPI_INT : pair);
    out_counts.push_back(peer % 2 == 0 ? kInts : kInts / 2);
    in_types.push_back(peer % 3 == 0 ? pair : MPI_INT);
    in_counts.push_back(peer % 3 == 0 ? kInts / 2 : kInts);
    displacements.push_back(out.displacements[static_cast<std::size_t>(peer)] *
                            static_cast<int>(sizeof(int)));
  }
  ASSERT_EQ(MPI_Alltoallw(out.data.data(), out_counts.data(), displacements.data(),
                          out_types.data(), in.data.data(), in_counts.data(), displacements.data(),
                          in_types.data(), MPI_COMM_WORLD),
            MPI_SUCCESS);
  EXPECT_EQ(in.data, expected.data);
  MPI_Type_free(&pair);
}
