// Nonblocking and persistent collectives (MPI 5.0 §6.12, §6.13): what only they can do. That each of them
// gives the right result by_requests.cpp shows.

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include "src/base/test_seeds.h"
#include "tests/coll/oracle.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

MPI_Comm dup(MPI_Comm of = MPI_COMM_WORLD) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(of, &comm);
  return comm;
}

bool is_done(MPI_Request request) {
  int flag = 0;
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

int class_of(int error) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(error, &error_class);
  return error_class;
}

// One operation under way: its buffers, and what they must hold in the end.
class Pending {
 public:
  // All members of the communicator give the same numbers.
  Pending(MPI_Comm comm, unsigned what, int count, int salt)
      : comm_(comm), what_(what % kKinds), count_(count), salt_(salt) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    root_ = salt % size_;
    mine_ = given_by(rank_);
    result_ = room(count * size_);
  }
  Pending(const Pending&) = delete;

  void start() {
    switch (what_) {
      case 0:
        MPI_Ibarrier(comm_, &request);
        break;
      case 1:
        if (rank_ == root_) std::copy(mine_.begin(), mine_.end(), result_.begin());
        MPI_Ibcast(result_.data(), count_, MPI_INT, root_, comm_, &request);
        break;
      case 2:
        MPI_Iallreduce(mine_.data(), result_.data(), count_, MPI_INT, MPI_SUM, comm_, &request);
        break;
      case 3:
        MPI_Ireduce(mine_.data(), result_.data(), count_, MPI_INT, MPI_SUM, root_, comm_, &request);
        break;
      case 4:
        MPI_Iallgather(mine_.data(), count_, MPI_INT, result_.data(), count_, MPI_INT, comm_,
                       &request);
        break;
      case 5:
        MPI_Iscan(mine_.data(), result_.data(), count_, MPI_INT, MPI_SUM, comm_, &request);
        break;
    }
  }

  void expect_result() const {
    const Ints expected = result();
    EXPECT_EQ(first(result_, static_cast<int>(expected.size())), expected)
        << "kind " << what_ << ", " << count_ << " elements, seed " << seed();
  }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  static constexpr unsigned kKinds = 6;

  Ints given_by(int rank) const {
    Ints data = input(rank, count_);
    for (int& one : data) one += salt_;
    return data;
  }
  Ints sum_up_to(int ranks) const {
    Ints sum = sum_of_inputs(ranks, count_);
    for (int& one : sum) one += ranks * salt_;
    return sum;
  }
  Ints result() const {
    if (what_ == 1) return given_by(root_);
    if (what_ == 2 || (what_ == 3 && rank_ == root_)) return sum_up_to(size_);
    if (what_ == 5) return sum_up_to(rank_ + 1);
    Ints all;
    for (int rank = 0; rank < size_ && what_ == 4; ++rank) {
      const Ints one = given_by(rank);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  const MPI_Comm comm_;
  const unsigned what_;
  const int count_, salt_;
  int rank_ = 0, size_ = 0, root_ = 0;
  Ints mine_, result_;
};

using Pendings = std::vector<std::unique_ptr<Pending>>;

// Completes all in one of the ways that MPI has.
void complete(Pendings& pendings, unsigned how) {
  std::vector<MPI_Request> requests;
  for (const auto& pending : pendings) requests.push_back(pending->request);
  const auto count = static_cast<int>(requests.size());
  int index = 0, flag = 0, done = 0;
  Ints indices(requests.size());
  switch (how % 6) {
    case 0:
      MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
      break;
    case 1:
      for (auto last = requests.rbegin(); last != requests.rend(); ++last) {
        MPI_Wait(&*last, MPI_STATUS_IGNORE);
      }
      break;
    case 2:
      while (index != MPI_UNDEFINED) {
        MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
      }
      break;
    case 3:
      while (done != MPI_UNDEFINED) {
        MPI_Waitsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
      }
      break;
    case 4:
      while (flag == 0) MPI_Testall(count, requests.data(), &flag, MPI_STATUSES_IGNORE);
      break;
    case 5:
      while (done != MPI_UNDEFINED) {
        MPI_Testsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
      }
      break;
  }
  for (const auto& pending : pendings) pending->expect_result();
  pendings.clear();
}

// A communicator and its own sequence of operations, the same at all members.
struct Sequence {
  Sequence(MPI_Comm of, unsigned long number) : comm(of), random(seed() * 1000 + number) {}
  ~Sequence() { MPI_Comm_free(&comm); }
  Sequence(const Sequence&) = delete;

  std::unique_ptr<Pending> next() {
    static constexpr int kLengths[] = {0, 1, 1, 2, 9, 130, 3000};
    const auto what = static_cast<unsigned>(random());
    const int count = kLengths[random() % std::size(kLengths)];
    return std::make_unique<Pending>(comm, what, count, static_cast<int>(random() % 1000));
  }

  MPI_Comm comm;
  std::mt19937_64 random;
};

// The order of the calls that make them counts, not that of the starts, and blocking calls may come between.
RANKS_TEST(PersistentCollective, MembersStartThemInAnyOrder, ranks(1, 2, 4, 7)) {
  constexpr int kOperations = 4, kRounds = 5;
  std::mt19937 order(static_cast<unsigned>(seed()) + static_cast<unsigned>(rank));
  int mine[kOperations], sums[kOperations], all = 0, sum_of_ranks = size * (size - 1) / 2;
  std::vector<MPI_Request> requests(kOperations);
  for (int i = 0; i < kOperations; ++i) {
    MPI_Allreduce_init(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[static_cast<std::size_t>(i)]);
  }
  std::vector<int> steps(kOperations + 1);  // the last one: a blocking call
  std::iota(steps.begin(), steps.end(), 0);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kOperations; ++i) mine[i] = rank + 1000 * i + round;
    std::shuffle(steps.begin(), steps.end(), order);
    for (const int step : steps) {
      if (step < kOperations) {
        MPI_Start(&requests[static_cast<std::size_t>(step)]);
      } else {
        MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      }
    }
    MPI_Waitall(kOperations, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(all, sum_of_ranks);
    for (int i = 0; i < kOperations; ++i) {
      EXPECT_EQ(sums[i], sum_of_ranks + size * (1000 * i + round)) << "operation " << i;
    }
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

}  // namespace

RANKS_TEST(Nonblocking, ThousandsAreUnderWayAtOnce, ranks(1, 2, 4, 7)) {
  MPI_Comm comm = dup();
  Pendings pendings;
  for (int i = 0; i < 2000; ++i) {
    pendings.push_back(std::make_unique<Pending>(comm, static_cast<unsigned>(i), 1 + i % 3, i));
    pendings.back()->start();
  }
  complete(pendings, 0);
  MPI_Comm_free(&comm);
}

// Each rank interleaves the communicators as it likes, and completes in whatever way.
RANKS_TEST(Nonblocking, CommunicatorsDoNotWaitForEachOther, ranks(1, 2, 4, 7)) {
  MPI_Comm halves = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &halves);
  Sequence a(dup(), 1), b(dup(), 2), c(halves, 3);
  Sequence* const all[] = {&a, &b, &c};
  std::mt19937 order(static_cast<unsigned>(seed()) + static_cast<unsigned>(rank));
  for (int round = heddle::TestSeeds::rounds(20); round > 0; --round) {
    Pendings pendings;
    Ints left = {8, 8, 8};
    for (int i = 0; i < 24; ++i) {
      auto which = order() % 3;
      while (left[which] == 0) which = (which + 1) % 3;
      --left[which];
      pendings.push_back(all[which]->next());
      pendings.back()->start();
    }
    std::shuffle(pendings.begin(), pendings.end(), order);
    complete(pendings, order());
  }
}

RANKS_TEST(Nonblocking, BlockingOnesComeAfterThoseThatWereStarted, ranks(1, 2, 4, 7)) {
  Sequence sequence(dup(), 4);
  Pendings pendings;
  for (int i = heddle::TestSeeds::rounds(60); i > 0; --i) {
    pendings.push_back(sequence.next());
    pendings.back()->start();
    if (sequence.random() % 3 != 0) continue;
    int sum = -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, sequence.comm);
    EXPECT_EQ(sum, size * (size - 1) / 2);
    if (sequence.random() % 2 == 0) complete(pendings, static_cast<unsigned>(sequence.random()));
  }
  complete(pendings, 0);
}

RANKS_TEST(Nonblocking, ThreadsHaveCommunicatorsOfTheirOwn, ranks(2, 4)) {
  std::vector<std::unique_ptr<Sequence>> sequences;
  for (unsigned i = 0; i < 3; ++i) sequences.push_back(std::make_unique<Sequence>(dup(), 5 + i));
  RankThreads threads;
  for (auto& sequence : sequences) {
    threads.start([&sequence] {
      for (unsigned i = 0; i < 10; ++i) {
        Pendings pendings;
        for (int k = 0; k < 5; ++k) {
          pendings.push_back(sequence->next());
          pendings.back()->start();
        }
        complete(pendings, i);
      }
    });
  }
}

// A new communicator with the caller and others of `base`; `color` is that of the caller's part.
MPI_Comm make_from(MPI_Comm base, unsigned long how, int* color) {
  MPI_Comm made = MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_rank(base, &rank);
  *color = how % 3 == 1 ? rank % 2 : 0;
  if (how % 3 == 1) {
    MPI_Comm_split(base, *color, -rank, &made);
  } else if (how % 3 == 2) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(base, &group);
    MPI_Comm_create_group(base, group, static_cast<int>(how % 100), &made);
    MPI_Group_free(&group);
  } else {
    made = dup(base);
  }
  return made;
}

// Each thread has a communicator, makes others from it and frees them, some of them with operations under way.
RANKS_TEST(Nonblocking, ThreadsMakeAndFreeCommunicatorsMeanwhile, ranks(2, 4, 7)) {
  constexpr unsigned long kThreads = 3;
  std::vector<MPI_Comm> bases;
  for (unsigned long i = 0; i < kThreads; ++i) bases.push_back(dup());
  {
    RankThreads threads;
    for (unsigned long thread = 0; thread < kThreads; ++thread) {
      threads.start([base = bases[thread], thread] {
        std::mt19937_64 random(seed() * 1000 + 20 + thread);  // the same at all ranks
        for (int round = heddle::TestSeeds::rounds(8); round > 0; --round) {
          int color = 0;
          MPI_Comm made = make_from(base, random(), &color);
          Pendings pendings;
          {
            Sequence sequence(made, random() + static_cast<unsigned>(color));
            for (int k = 0; k < 5; ++k) {
              pendings.push_back(sequence.next());
              pendings.back()->start();
            }
            if (round % 2 == 0) complete(pendings, static_cast<unsigned>(round));
          }
          complete(pendings, static_cast<unsigned>(round));
        }
      });
    }
  }
  for (MPI_Comm& base : bases) MPI_Comm_free(&base);
}

RANKS_TEST(Ibarrier, IsDoneOnlyWhenAllHaveStartedIt, ranks(2, 4, 7)) {
  MPI_Request request = MPI_REQUEST_NULL;
  int token = 0;
  if (rank == 0) {
    for (int peer = 1; peer < size; ++peer) {
      MPI_Recv(&token, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
  } else {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    EXPECT_FALSE(is_done(request));
    MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
}

// Rank 0 makes no call of MPI that has to do with the barrier until the others are through.
RANKS_TEST(Ibarrier, GoesOnWhileItsRankWaitsForSomethingElse, ranks(2, 4, 7)) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  int token = 0;
  for (int peer = 1; peer < size && rank == 0; ++peer) {
    MPI_Recv(&token, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank != 0) MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

RANKS_TEST(Nonblocking, KeepsWhatTheProgramFreesMeanwhile, ranks(1, 2, 4, 7)) {
  for (const int count : {1, 5000}) {
    MPI_Comm comm = dup();
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(
        [](void* in, void* inout, int* elements, MPI_Datatype*) {
          for (int i = 0; i < 2 * *elements; ++i) {
            static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
          }
        },
        1, &op);
    const Ints mine = input(rank, 2 * count);
    Ints sum = room(2 * count), all = room(2 * count * size);
    const Ints counts(static_cast<std::size_t>(size), count);
    Ints displacements, zeros(static_cast<std::size_t>(size), 0);
    for (int i = 0; i < size; ++i) displacements.push_back(i * count * 2 * 4);
    const std::vector<MPI_Datatype> types(static_cast<std::size_t>(size), pair);
    MPI_Request requests[2];
    MPI_Iallreduce(mine.data(), sum.data(), count, pair, op, comm, &requests[0]);
    MPI_Ialltoallw(mine.data(), counts.data(), zeros.data(), types.data(), all.data(),
                   counts.data(), displacements.data(), types.data(), comm, &requests[1]);
    MPI_Type_free(&pair);
    MPI_Op_free(&op);
    MPI_Comm_free(&comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(first(sum, 2 * count), sum_of_inputs(size, 2 * count));
    EXPECT_EQ(first(all, 2 * count * size), all_inputs(size, 2 * count));
  }
}

RANKS_TEST(Nonblocking, MayNotBeFreedOrCancelledWhileUnderWay, ranks(2, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  // The others start it when rank 0 has asked.
  if (rank != 0) MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (rank == 0) {
    EXPECT_EQ(class_of(MPI_Request_free(&request)), MPI_ERR_REQUEST);
    EXPECT_EQ(class_of(MPI_Cancel(&request)), MPI_ERR_REQUEST);
    for (int other = 1; other < size; ++other)
      MPI_Send(nullptr, 0, MPI_INT, other, 0, MPI_COMM_WORLD);
  }
  EXPECT_NE(request, MPI_REQUEST_NULL);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

RANKS_TEST(Nonblocking, ItsErrorIsThatOfTheRequest, ranks(2, 4, 7)) {
  MPI_Comm comm = dup();
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const int count : {4, 100000}) {
    Ints data = rank == 0 ? input(0, count) : room(count);
    const int mine = rank == 1 ? count / 2 : count;
    MPI_Request requests[2];
    EXPECT_EQ(MPI_Ibcast(data.data(), mine, MPI_INT, 0, comm, &requests[0]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Ibarrier(comm, &requests[1]), MPI_SUCCESS);
    MPI_Status statuses[2];
    const int error = MPI_Waitall(2, requests, statuses);
    EXPECT_EQ(error, rank == 1 ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
    if (rank == 1) {
      EXPECT_EQ(class_of(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
      EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    }
  }
  MPI_Comm_free(&comm);
}

RANKS_TEST(PersistentCollective, IsStartedAsOftenAsOneLikes, ranks(1, 2, 4, 7)) {
  MPI_Comm comm = dup();
  int mine = 0, sum = 0, from_root = 0;
  MPI_Request requests[3];
  MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(&from_root, 1, MPI_INT, size - 1, comm, MPI_INFO_NULL, &requests[1]);
  MPI_Barrier_init(comm, MPI_INFO_NULL, &requests[2]);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int i = 0; i < 50; ++i) {
    mine = rank + i;
    from_root = rank == size - 1 ? i : -1;
    if (i % 2 == 0) {
      MPI_Startall(3, requests);
    } else {
      for (const int which : {2, 0}) MPI_Start(&requests[which]);
      MPI_Start(&requests[1]);
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(sum, size * (size - 1) / 2 + size * i);
    EXPECT_EQ(from_root, i);
  }
  MPI_Comm_free(&comm);  // the requests keep it
  MPI_Startall(3, requests);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests) EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}
