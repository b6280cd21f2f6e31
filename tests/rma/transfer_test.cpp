// Puts, gets and accumulates against plain arrays (MPI 5.0 §12.3): all ranks draw the same operations, and compute what
// each window must hold afterwards.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tests/rma/window.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;
using Ints = std::vector<int>;

constexpr int kElements = 240;

// Elements of a window: `blocks` blocks of `length` that begin `stride` apart.
struct Layout {
  int blocks, length, stride;

  int elements() const { return blocks * length; }
  int reach() const { return (blocks - 1) * stride + length; }
  int at(int i) const { return i / length * stride + i % length; }
  MPI_Datatype type() const {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_vector(blocks, length, stride, MPI_INT, &made);
    MPI_Type_commit(&made);
    return made;
  }
};

struct Operation {
  int origin, target, displacement;
  Layout there, here;
};

class Draw {
 public:
  explicit Draw(unsigned long from) : random_(from) {}

  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Layout layout(int elements) {
    Ints lengths;
    for (int length = 1; length <= elements; ++length) {
      if (elements % length == 0) lengths.push_back(length);
    }
    const int length =
        lengths[static_cast<std::size_t>(number(0, static_cast<int>(lengths.size()) - 1))];
    return {elements / length, length, length + number(0, 2)};
  }

  // An operation whose elements at the target lie in [begin, end).
  Operation operation(int size, int begin, int end) {
    const int elements = number(1, (end - begin) / 3);
    Operation drawn{number(0, size - 1), number(0, size - 1), begin, layout(elements),
                    layout(elements)};
    drawn.displacement += number(0, end - begin - drawn.there.reach());
    return drawn;
  }

 private:
  std::mt19937_64 random_;
};

// What element i of a layout of the origin has.
int value_of(int origin, int round, int i) {
  return (origin + 1) * 1'000'000 + round * 1000 + i;
}

Ints filled(const Operation& operation, int round) {
  Ints data(static_cast<std::size_t>(operation.here.reach()), -1);
  for (int i = 0; i < operation.here.elements(); ++i) {
    data[static_cast<std::size_t>(operation.here.at(i))] = value_of(operation.origin, round, i);
  }
  return data;
}

// The windows of all ranks, as they must be.
class Model {
 public:
  explicit Model(int size) : windows_(static_cast<std::size_t>(size), Ints(kElements, 0)) {}

  int& at(int rank, int i) {
    return windows_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)];
  }
  void expect(int rank, const int* data) {
    EXPECT_EQ(Ints(data, data + kElements), windows_[static_cast<std::size_t>(rank)]);
  }

 private:
  std::vector<Ints> windows_;
};

// Which call carries an operation.
enum class Call { kPut, kReplace, kSum };

void issue(Call call, const Operation& operation, const Ints& data, MPI_Win win) {
  MPI_Datatype here = operation.here.type(), there = operation.there.type();
  const int code =
      call == Call::kPut
          ? MPI_Put(data.data(), 1, here, operation.target, operation.displacement, 1, there, win)
          : MPI_Accumulate(data.data(), 1, here, operation.target, operation.displacement, 1, there,
                           call == Call::kSum ? MPI_SUM : MPI_REPLACE, win);
  EXPECT_EQ(code, MPI_SUCCESS);
  MPI_Type_free(&here);
  MPI_Type_free(&there);
}

// Epochs in which `body` accesses all windows, in three ways.
template <class Body>
void in_epochs(int way, MPI_Win win, Body body) {
  MPI_Group all = MPI_GROUP_NULL;
  switch (way) {
    case 0:
      MPI_Win_fence(0, win);
      body();
      MPI_Win_fence(0, win);
      break;
    case 1:
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Win_lock_all(0, win);
      body();
      MPI_Win_unlock_all(win);
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    default:
      MPI_Win_get_group(win, &all);
      MPI_Win_post(all, 0, win);
      MPI_Win_start(all, 0, win);
      body();
      MPI_Win_complete(win);
      MPI_Win_wait(win);
      MPI_Group_free(&all);
      break;
  }
}

void put_at_random(int rank, int size, Made made) {
  const TestWindow<int> window(kElements, made);
  Draw draw(seed());
  Model model(size);
  for (int round = 0; round < 20; ++round) {
    const Call call = draw.number(0, 1) == 0 ? Call::kPut : Call::kReplace;
    // Operations of a round touch different elements.
    const int parts = draw.number(1, 4), part = kElements / parts;
    std::vector<Operation> operations;
    operations.reserve(static_cast<std::size_t>(parts));
    for (int i = 0; i < parts; ++i)
      operations.push_back(draw.operation(size, i * part, (i + 1) * part));
    in_epochs(round % 3, window.win, [&] {
      for (const Operation& operation : operations) {
        if (operation.origin == rank) issue(call, operation, filled(operation, round), window.win);
      }
    });
    for (const Operation& operation : operations) {
      for (int i = 0; i < operation.there.elements(); ++i) {
        model.at(operation.target, operation.displacement + operation.there.at(i)) =
            value_of(operation.origin, round, i);
      }
    }
    model.expect(rank, window.data);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace

RANKS_TEST(Put, FillsCreatedWindows, ranks(1, 2, 3, 7)) {
  put_at_random(rank, size, Made::kCreate);
}
RANKS_TEST(Put, FillsAllocatedWindows, ranks(1, 2, 3, 7)) {
  put_at_random(rank, size, Made::kAllocate);
}
RANKS_TEST(Put, FillsSharedWindows, ranks(1, 2, 3, 7)) {
  if (!share_memory(size)) return;
  put_at_random(rank, size, Made::kShared);
}

RANKS_TEST(Get, ReadsWhatOthersHave, ranks(1, 2, 3, 7)) {
  const TestWindow<int> window(kElements);
  for (int i = 0; i < kElements; ++i) window.data[i] = value_of(rank, 0, i);
  Draw draw(seed() + static_cast<unsigned long>(rank));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window.win);
  for (int i = 0; i < 50; ++i) {
    const Operation operation = draw.operation(size, 0, kElements);
    Ints data(static_cast<std::size_t>(operation.here.reach()), -1), expected = data;
    for (int element = 0; element < operation.here.elements(); ++element) {
      expected[static_cast<std::size_t>(operation.here.at(element))] =
          value_of(operation.target, 0, operation.displacement + operation.there.at(element));
    }
    MPI_Datatype here = operation.here.type(), there = operation.there.type();
    EXPECT_EQ(MPI_Get(data.data(), 1, here, operation.target, operation.displacement, 1, there,
                      window.win),
              MPI_SUCCESS);
    MPI_Win_flush(operation.target, window.win);
    EXPECT_EQ(data, expected);
    MPI_Type_free(&here);
    MPI_Type_free(&there);
  }
  MPI_Win_unlock_all(window.win);
}

// All ranks add to elements that overlap, at once.
RANKS_TEST(Accumulate, AddsFromAllRanksAtOnce, ranks(1, 2, 3, 7)) {
  const TestWindow<int> window(kElements);
  Draw draw(seed());
  Model model(size);
  for (int round = 0; round < 10; ++round) {
    std::vector<Operation> operations;
    operations.reserve(std::size_t{8} * static_cast<std::size_t>(size));
    for (int i = 0; i < 8 * size; ++i) operations.push_back(draw.operation(size, 0, kElements));
    in_epochs(round % 3, window.win, [&] {
      for (const Operation& operation : operations) {
        if (operation.origin == rank)
          issue(Call::kSum, operation, filled(operation, round), window.win);
      }
    });
    for (const Operation& operation : operations) {
      for (int i = 0; i < operation.there.elements(); ++i) {
        int& element = model.at(operation.target, operation.displacement + operation.there.at(i));
        element = static_cast<int>(static_cast<unsigned>(element) +
                                   static_cast<unsigned>(value_of(operation.origin, round, i)));
      }
    }
    model.expect(rank, window.data);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Vectors longer than a stripe's page, from all ranks at once.
RANKS_TEST(Accumulate, AddsLongVectors, ranks(1, 3)) {
  constexpr int kLong = 30'000;
  const TestWindow<double> window(kLong);
  std::vector<double> ones(kLong, 1.0);
  MPI_Win_fence(0, window.win);
  for (int i = 0; i < 5; ++i)
    MPI_Accumulate(ones.data(), kLong, MPI_DOUBLE, 0, 0, kLong, MPI_DOUBLE, MPI_SUM, window.win);
  MPI_Win_fence(0, window.win);
  if (rank != 0) return;
  EXPECT_EQ(std::vector<double>(window.data, window.data + kLong),
            std::vector<double>(kLong, 5.0 * size));
}

// Such a type is predefined, and has no constant by which a packet could name it.
RANKS_TEST(Accumulate, TakesTypesOfFortranWithoutNames, ranks(1, 3)) {
  const TestWindow<int> window(2);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_f90_integer(9, &type);
  const int two = 2;
  int old = -1;
  MPI_Win_fence(0, window.win);
  EXPECT_EQ(MPI_Accumulate(&two, 1, type, 0, 0, 1, type, MPI_SUM, window.win), MPI_SUCCESS);
  EXPECT_EQ(MPI_Fetch_and_op(&two, &old, type, 0, 1, MPI_SUM, window.win), MPI_SUCCESS);
  MPI_Win_fence(0, window.win);
  EXPECT_EQ(old % 2, 0);
  EXPECT_LT(old, 2 * size);
  if (rank != 0) return;
  EXPECT_EQ(window.data[0], 2 * size);
  EXPECT_EQ(window.data[1], 2 * size);
}

// Each number is fetched once: by fetches and by swaps of all ranks at once.
RANKS_TEST(FetchAndOp, GivesEachNumberOnce, ranks(1, 2, 7)) {
  const TestWindow<long> window(1);
  constexpr int kTimes = 200;
  std::vector<long> fetched;
  MPI_Win_lock_all(0, window.win);
  for (int i = 0; i < kTimes; ++i) {
    const long one = 1;
    long old = -1;
    if (i % 3 == 0) {
      MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, window.win);
    } else if (i % 3 == 1) {
      MPI_Get_accumulate(&one, 1, MPI_LONG, &old, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM,
                         window.win);
    } else {
      for (long seen = -1, wanted = 0; seen != wanted;) {
        MPI_Fetch_and_op(nullptr, &wanted, MPI_LONG, 0, 0, MPI_NO_OP, window.win);
        MPI_Win_flush(0, window.win);
        const long next = wanted + 1;
        MPI_Compare_and_swap(&next, &wanted, &seen, MPI_LONG, 0, 0, window.win);
        MPI_Win_flush(0, window.win);
        old = wanted;
      }
    }
    MPI_Win_flush(0, window.win);
    fetched.push_back(old);
  }
  MPI_Win_unlock_all(window.win);
  std::vector<long> all(static_cast<std::size_t>(size) * kTimes), expected(all.size());
  MPI_Gather(fetched.data(), kTimes, MPI_LONG, all.data(), kTimes, MPI_LONG, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::sort(all.begin(), all.end());
  std::iota(expected.begin(), expected.end(), 0L);
  EXPECT_EQ(all, expected);
}

// Pairs have gaps, which stay as they are.
RANKS_TEST(Accumulate, CombinesPairs, ranks(1, 4)) {
  struct Pair {
    short value;
    int index;
  };
  const TestWindow<Pair> window(4);
  for (int i = 0; i < 4; ++i) window.data[i] = {-1, -1};
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_SHORT_INT, &spread);
  MPI_Type_commit(&spread);
  const Pair mine[2] = {{static_cast<short>(rank), rank}, {static_cast<short>(10 - rank), rank}};
  MPI_Win_fence(0, window.win);
  MPI_Accumulate(mine, 2, MPI_SHORT_INT, 0, 1, 1, spread, MPI_MAXLOC, window.win);
  MPI_Win_fence(0, window.win);
  if (rank == 0) {
    EXPECT_EQ(window.data[1].value, size - 1);
    EXPECT_EQ(window.data[1].index, size - 1);
    EXPECT_EQ(window.data[3].value, 10);
    EXPECT_EQ(window.data[3].index, 0);
    EXPECT_EQ(window.data[0].index, -1);
    EXPECT_EQ(window.data[2].index, -1);
  }
  MPI_Type_free(&spread);
}

RANKS_TEST(RequestForms, AreDoneByAWait, ranks(1, 3)) {
  const TestWindow<int> window(4);
  const int right = (rank + 1) % size;
  MPI_Win_lock_all(0, window.win);
  const int value = rank + 10, one = 1;
  int got = -1, old = -1;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  EXPECT_EQ(MPI_Rput(&value, 1, MPI_INT, right, 0, 1, MPI_INT, window.win, &requests[0]),
            MPI_SUCCESS);
  EXPECT_EQ(
      MPI_Raccumulate(&one, 1, MPI_INT, right, 1, 1, MPI_INT, MPI_SUM, window.win, &requests[1]),
      MPI_SUCCESS);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush(right, window.win);
  EXPECT_EQ(MPI_Rget(&got, 1, MPI_INT, right, 0, 1, MPI_INT, window.win, &requests[0]),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Rget_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, right, 1, 1, MPI_INT, MPI_SUM,
                                window.win, &requests[1]),
            MPI_SUCCESS);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(got, value);
  EXPECT_EQ(old, 1);
  MPI_Win_unlock_all(window.win);
}
