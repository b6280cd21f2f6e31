// What a collective uses stays as long as a member is in the call, whenever another thread of its
// rank frees it.
//
// The members are ults of one worker, each of a rank of its own, and begin in a given order. Who is
// through first tells the ranks that are still in the call, and threads of those free everything.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "exec/ult/test_support.h"
#include "mpi/coll/coll.h"
#include "mpi/datatype/make.h"
#include "mpi/lifetime/collector.h"
#include "mpi/p2p/port.h"

namespace heddle::coll {
namespace {

using datatype::Datatype;
using object::Ref;

constexpr int kMembers = 4;
constexpr MPI_Count kFew = 4, kMany = 1 << 13;  // elements: of a small and of a large message

// Adds the first integer of each element, and knows whether it may still be used.
class Sum final : public op::Op {
 public:
  explicit Sum(bool* ended) noexcept : Op(true, Lifetime::kManaged), ended_(ended) {}
  ~Sum() override { *ended_ = true; }

  Error check(const Datatype&) const override { return {}; }
  void apply(const void* in, void* inout, MPI_Count count, const Datatype& type) const override {
    EXPECT_FALSE(*ended_);
    for (MPI_Count at = 0; at < count * type.extent(); at += type.extent()) {
      int a, b;
      std::memcpy(&a, static_cast<const std::byte*>(in) + at, sizeof a);
      std::memcpy(&b, static_cast<std::byte*>(inout) + at, sizeof b);
      b += a;
      std::memcpy(static_cast<std::byte*>(inout) + at, &b, sizeof b);
    }
  }
  std::string describe() const override { return "the sum"; }

 private:
  bool* const ended_;
};

// What a collective uses besides its communicator.
struct Uses {
  bool type, op;
};
constexpr Uses kNothing{false, false}, kType{true, false}, kTypeAndOp{true, true};

// A rank: what it has of the program's, as handles or as good as that, and how far its call is.
struct Member {
  Member(world::Host& its_host, int number)
      : rank(std::make_unique<Rank>(number)), host(its_host), process(host.job().process(number)) {
    process.worker = 0;
    process.receiver = std::make_unique<p2p::Port>(kMembers);
    enter();
    op = Ref<op::Op>::adopt(new Sum(&op_ended));
    auto& ints = const_cast<Datatype&>(datatype::named(MPI_INT));
    Datatype* made = nullptr;
    EXPECT_FALSE(datatype::make_vector(false, 2, 1, 2, &ints, &made));
    made->commit();
    type = made;
    type_handle = object::publish(made);
  }
  Member(const Member&) = delete;

  void enter() {
    Rank::enter(rank.get());
    world::here() = {&host, &process};
  }
  std::uint64_t ended() {
    enter();
    lifetime::Collector::of_rank().finish();
    return lifetime::Collector::of_rank().counters().reclaimed;
  }
  // As any thread of the rank may.
  void free(Uses uses) {
    enter();
    comm = {};
    if (uses.op) op = {};
    if (!uses.type || type_handle == 0) return;
    object::retire(object::Kind::kDatatype, std::exchange(type_handle, 0))->release();
  }

  // Room for the pieces of all.
  static Buffer buffer(std::vector<int>& ints, MPI_Count count, const Datatype* type) {
    ints.assign(static_cast<std::size_t>(3 * kMembers * count), 1);
    return {ints.data(), count, type};
  }
  Buffer in(MPI_Count count) { return buffer(received, count, type); }
  Buffer out(MPI_Count count) { return buffer(sent, count, type); }
  MPI_Datatype handle() const { return reinterpret_cast<MPI_Datatype>(type_handle); }

  std::unique_ptr<Rank> rank;
  world::Host& host;
  world::Process& process;
  Ref<Comm> comm;
  Ref<op::Op> op;
  const Datatype* type = nullptr;
  object::HandleBits type_handle = 0;
  std::vector<int> received, sent;
  bool op_ended = false, begun = false, through = false;
};

// The members as one group, or as the two sides of an intercommunicator.
enum class Shape { kOneGroup, kTwoSides };

class Team {
 public:
  using Call = std::function<Error(Member&)>;

  Team(Shape shape, Uses uses) : shape_(shape), uses_(uses) {
    const std::array<world::ContextId, 3> contexts = {
        host_.context_ids().draw(), host_.context_ids().draw(), host_.context_ids().draw()};
    for (int i = 0; i < kMembers; ++i) {
      members_.push_back(std::make_unique<Member>(host_, i));
      members_.back()->comm = make_comm(i, contexts);
    }
    Rank::enter(nullptr);
  }
  ~Team() {
    for (auto& member : members_) member->process.receiver.reset();
    for (auto& member : members_) {
      member->enter();
      member->rank.reset();
    }
    Rank::enter(nullptr);
  }

  // True if somebody was told while in the call.
  bool run(const std::array<int, kMembers>& order, const Call& call) {
    ult::Ults ults;
    for (const int number : order) {
      ults.run_on(0, [&, &member = *members_[static_cast<std::size_t>(number)]] {
        member.enter();
        member.begun = true;
        const Error error = call(member);
        EXPECT_FALSE(error) << error.text();
        member.through = true;
        if (!std::exchange(anybody_through_, true)) tell_the_others();
      });
    }
    ults.join_all();
    expect_that_all_ends();
    return told_;
  }

 private:
  static constexpr int kSide = kMembers / 2;

  Ref<Comm> make_comm(int member, const std::array<world::ContextId, 3>& contexts) {
    if (shape_ == Shape::kOneGroup) return comm_of(contexts[0], group(0, kMembers), {}, member);
    const int mine = member / kSide, rank = member % kSide;
    auto made = comm_of(contexts[0], group(mine, kSide), group(1 - mine, kSide), rank);
    const world::ContextId side = contexts[static_cast<std::size_t>(1 + mine)];
    made->set_local_comm(comm_of(side, group(mine, kSide), {}, rank));
    return made;
  }
  static Ref<Comm> comm_of(world::ContextId context, Ref<group::Group> local,
                           Ref<group::Group> remote, int rank) {
    return Ref<Comm>::adopt(new Comm(context, std::move(local), std::move(remote), rank));
  }
  // The n-th of groups of a size.
  Ref<group::Group> group(int n, int size) {
    group::Group::Members members;
    for (int i = n * size; i < (n + 1) * size; ++i) members.push_back(&host_.job().process(i));
    return Ref<group::Group>::adopt(new group::Group(std::move(members)));
  }

  void tell_the_others() {
    for (auto& member : members_) {
      if (!member->begun || member->through) continue;
      told_ = true;
      member->free(uses_);
      EXPECT_EQ(member->ended(), 0u) << "of rank " << member->process.number;
      EXPECT_FALSE(member->op_ended) << "of rank " << member->process.number;
    }
  }

  // What was counted once too often shows here.
  void expect_that_all_ends() {
    const bool collected = lifetime::policy == lifetime::Policy::kCollector;
    for (auto& member : members_) {
      member->free({true, true});
      EXPECT_EQ(member->ended(), !collected ? 0u : shape_ == Shape::kOneGroup ? 3u : 4u);
      EXPECT_EQ(member->op_ended, lifetime::policy != lifetime::Policy::kNone);
    }
    Rank::enter(nullptr);
  }

  const Shape shape_;
  const Uses uses_;
  world::Host host_{world::kFirstJob, 0, kMembers};
  std::vector<std::unique_ptr<Member>> members_;
  bool anybody_through_ = false, told_ = false;
};

// In whatever order the members come. (At least in one of them somebody is told: else the test
// shows nothing.)
void expect_that_all_stays(Uses uses, const Team::Call& call, Shape shape = Shape::kOneGroup) {
  const ult::ScopedScheduler scheduler(1);
  std::array<int, kMembers> order;
  std::iota(order.begin(), order.end(), 0);
  bool told = false;
  do {
    Team team(shape, uses);
    told |= team.run(order, call);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_TRUE(told);
}

TEST(CollectiveKeeps, ItsCommunicatorInABarrier) {
  expect_that_all_stays(kNothing, [](Member& m) { return run(Barrier{*m.comm}); });
}

TEST(CollectiveKeeps, TheTypeThatOthersReadWithInABroadcast) {
  for (const MPI_Count count : {kFew, kMany}) {
    expect_that_all_stays(kType, [=](Member& m) { return run(Bcast{m.in(count), 0, *m.comm}); });
  }
}

TEST(CollectiveKeeps, TypeAndOperationInReductions) {
  for (const MPI_Count count : {kFew, kMany}) {
    expect_that_all_stays(kTypeAndOp, [=](Member& m) {
      return run(Reduce{m.out(count).data, m.in(count), *m.op, 0, *m.comm});
    });
    expect_that_all_stays(kTypeAndOp, [=](Member& m) {
      return run(Allreduce{m.out(count).data, m.in(count), *m.op, *m.comm});
    });
    expect_that_all_stays(kTypeAndOp, [=](Member& m) {
      return run(ReduceScatter{m.out(count).data, m.in(count).data, m.in(count), *m.op, *m.comm});
    });
  }
}

TEST(CollectiveKeeps, TypeAndOperationInChains) {
  expect_that_all_stays(kTypeAndOp, [](Member& m) {
    return run(Scan{m.out(kMany).data, m.in(kMany), *m.op, *m.comm});
  });
  expect_that_all_stays(kTypeAndOp, [](Member& m) {
    return run(Exscan{m.out(kMany).data, m.in(kMany), *m.op, *m.comm});
  });
}

TEST(CollectiveKeeps, TheTypesOfPieces) {
  expect_that_all_stays(kType, [](Member& m) {
    return run(Gather{m.out(kMany), m.in(kMany), 0, *m.comm});
  });
  expect_that_all_stays(kType, [](Member& m) {
    return run(Scatter{m.out(kMany), m.in(kMany), 0, *m.comm});
  });
  for (const MPI_Count count : {kFew, kMany}) {
    expect_that_all_stays(kType, [=](Member& m) {
      return run(Allgather{m.out(count), m.in(count), *m.comm});
    });
  }
  expect_that_all_stays(kType, [](Member& m) {
    return run(Alltoall{m.out(kMany), m.in(kMany), *m.comm});
  });
}

// MPI_Alltoallw: more types than a Transient has room for, and handles that become invalid.
TEST(CollectiveKeeps, ATypeForEachPiece) {
  expect_that_all_stays(kType, [](Member& m) {
    const std::vector<int> counts(kMembers, static_cast<int>(kMany)), displacements(kMembers, 0);
    const std::vector<MPI_Datatype> types(kMembers, m.handle());
    Pieces send(m.out(kMany).data, object::CountArray(counts.data()),
                object::CountArray(displacements.data()), types.data());
    Pieces receive(m.in(kMany).data, object::CountArray(counts.data()),
                   object::CountArray(displacements.data()), types.data());
    return run(Alltoall{std::move(send), std::move(receive), *m.comm});
  });
}

TEST(CollectiveKeeps, BothSidesOfAnIntercommunicator) {
  const Shape shape = Shape::kTwoSides;
  expect_that_all_stays(
      kNothing, [](Member& m) { return run(Barrier{*m.comm}); }, shape);
  expect_that_all_stays(
      kTypeAndOp,
      [](Member& m) {
        return run(Allreduce{m.out(kMany).data, m.in(kMany), *m.op, *m.comm});
      },
      shape);
  expect_that_all_stays(
      kType,
      [](Member& m) {
        return run(Allgather{m.out(kMany), m.in(kMany), *m.comm});
      },
      shape);
}

}  // namespace
}  // namespace heddle::coll
