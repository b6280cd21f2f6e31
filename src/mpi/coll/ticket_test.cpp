// Several operations of one communicator under way at once: each rank takes the tickets in program order
// and runs the bodies in ults of their own, which begin in any order and on any worker.

#include "mpi/coll/ticket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/test_seeds.h"
#include "exec/ult/poller.h"
#include "exec/ult/strand.h"
#include "exec/ult/test_support.h"
#include "mpi/coll/bodies.h"
#include "mpi/coll/call_queries.h"
#include "mpi/lifetime/making.h"
#include "mpi/p2p/gateway.h"
#include "mpi/p2p/port.h"
#include "net/transport/fake/fabric.h"

namespace heddle::coll {
namespace {

using object::Ref;
using Ints = std::vector<int>;

constexpr int kRanks = 6, kOperations = 24;
constexpr world::ContextId kContext = 77;

// Ranks by phases on so many hosts, each with a table of its own; the seed is that of the faults between them.
class Hosts {
 public:
  Hosts(int count, unsigned seed)
      : fabric_(count, transport::Faults::from_seed(seed)),
        hosts_(static_cast<std::size_t>(count)) {
    for (int number = 0; number < count; ++number) {
      hosts_[static_cast<std::size_t>(number)] =
          std::make_unique<world::Host>(world::kFirstJob, number, kRanks);
      world::Job& job = host(number).job();
      for (int rank = 0; rank < kRanks; ++rank) {
        world::Process& process = job.process(rank);
        process.host = rank % count;
        process.worker = rank * ult::worker_count() / kRanks;
        if (process.host == number) process.receiver = std::make_unique<p2p::Port>(kRanks);
      }
    }
    if (count > 1) connect();
  }
  ~Hosts() {
    for (auto& host : hosts_) host->set_gateway(nullptr);
  }
  world::Host& host_of(int rank) { return host(rank % static_cast<int>(hosts_.size())); }

 private:
  world::Host& host(int number) { return *hosts_[static_cast<std::size_t>(number)]; }

  void connect() {
    const int count = static_cast<int>(hosts_.size());
    auto transports = transport::connect_all(fabric_, count, {.wake = ult::nudge});
    for (int number = 0; number < count; ++number) {
      auto& mine = transports[static_cast<std::size_t>(number)];
      auto gateway =
          std::make_unique<gateway::Gateway>(transport::routes_by(std::move(mine), count));
      p2p::attach_to(*gateway, host(number).job());
      coll::attach_to(*gateway, host(number).shared_parts());  // waits may be long
      gateway->open();
      host(number).set_gateway(std::move(gateway));
    }
  }

  transport::FakeFabric fabric_;
  std::vector<std::unique_ptr<world::Host>> hosts_;
};

struct Rehearsal {
  int number, kind, root;
  MPI_Count count;
};

std::vector<Rehearsal> operations_for(unsigned seed) {
  constexpr MPI_Count kCounts[] = {1, 7, 200, 9000};
  std::mt19937 random(seed);
  std::vector<Rehearsal> all;
  for (int i = 0; i < kOperations; ++i) {
    const auto kind = static_cast<int>(random() % 5), root = static_cast<int>(random() % kRanks);
    all.push_back({i, kind, root, kCounts[random() % std::size(kCounts)]});
  }
  return all;
}

std::atomic<int> begun[kOperations];

int value(int rank, int number, MPI_Count at) {
  return rank * 1000 + number * 10000 + static_cast<int>(at % 97);
}
Buffer ints(Ints& data, MPI_Count count) {
  return {data.data(), count, &datatype::named(MPI_INT)};
}

// One rank's part of one operation, with the ticket that its call took.
struct Part {
  Part(const Rehearsal& operation, Comm& comm)
      : what(operation), ticket(comm, what.kind == 3 ? 0 : 1), rank(comm.rank()) {
    for (MPI_Count i = 0; i < what.count; ++i) own.push_back(value(rank, what.number, i));
    all.assign(static_cast<std::size_t>(what.count * kRanks), -1);
  }

  void run() {
    ++begun[what.number];
    Error error = play();
    EXPECT_FALSE(error) << error.text();
  }

  Error play() {
    const Buffer mine = ints(own, what.count), theirs = ints(all, what.count);
    switch (what.kind) {
      case 0:
        return barrier();
      case 1:
        return broadcast(mine);
      case 2:
        return sum(mine, theirs);
      case 3:
        return collect(mine, theirs);
    }
    Error gathered = gather_by(ticket.wire(), mine, Pieces(theirs), 0);
    if (gathered) return gathered;
    Error given = bcast_in(ticket.phase(), ints(all, what.count * kRanks), 0);
    for (int from = 0; from < kRanks; ++from) expect_from(from);
    return given;
  }
  Error barrier() {
    Error error = barrier_in(ticket.phase());
    EXPECT_EQ(begun[what.number].load(), kRanks);
    return error;
  }
  Error broadcast(const Buffer& mine) {
    Error error = bcast_in(ticket.phase(), mine, what.root);
    for (MPI_Count i = 0; i < what.count; ++i) {
      EXPECT_EQ(own[static_cast<std::size_t>(i)], value(what.root, what.number, i));
    }
    return error;
  }
  Error sum(const Buffer& mine, const Buffer& total) {
    Error error = reduce_in(ticket.phase(), mine.data, total, *op::from_handle(MPI_SUM), kAll);
    for (MPI_Count i = 0; i < what.count; ++i) {
      int expected = 0;
      for (int from = 0; from < kRanks; ++from) expected += value(from, what.number, i);
      EXPECT_EQ(all[static_cast<std::size_t>(i)], expected);
    }
    return error;
  }
  Error collect(const Buffer& mine, const Buffer& theirs) {
    Error error = gather_by(ticket.wire(), mine, Pieces(theirs), what.root);
    for (int from = 0; from < kRanks && rank == what.root; ++from) expect_from(from);
    return error;
  }
  void expect_from(int from) const {
    for (MPI_Count i = 0; i < what.count; ++i) {
      EXPECT_EQ(all[static_cast<std::size_t>(from * what.count + i)], value(from, what.number, i));
    }
  }

  const Rehearsal what;
  const Ticket ticket;
  const int rank;
  Ints own, all;
};

class Player {
 public:
  Player(Hosts& hosts, int number)
      : host_(hosts.host_of(number)),
        process_(host_.job().process(number)),
        rank_(new Rank(number)) {
    enter();
    world::here() = {&host_, &process_};
    group::Group::Members members;
    for (int i = 0; i < kRanks; ++i) members.push_back(&host_.job().process(i));
    const lifetime::Making making;
    auto group = Ref<group::Group>::adopt(new group::Group(std::move(members)));
    comm_ = Ref<Comm>::adopt(new Comm(kContext, std::move(group), {}, number));
    Rank::enter(nullptr);
  }
  ~Player() {
    enter();
    comm_ = {};
    process_.receiver.reset();
    rank_.reset();
    Rank::enter(nullptr);
  }

  int worker() const { return process_.worker; }
  void move_to(int worker) { process_.worker = worker; }

  // Barriers one after the other, which no rank leaves before all have come: `come` counts them.
  void meet(int times, std::atomic<int>* come) {
    enter();
    for (int i = 0; i < times; ++i) {
      const Ticket ticket(*comm_, 1);
      const int least = ((*come)++ / kRanks + 1) * kRanks;
      Error error = barrier_in(ticket.phase());
      EXPECT_FALSE(error) << error.text();
      EXPECT_GE(come->load(), least);
    }
    Rank::enter(nullptr);
  }
  HostGroup& host_group() {
    enter();
    HostGroup& found = HostGroup::of(*comm_);
    Rank::enter(nullptr);
    return found;
  }

  // The rank's main strand.
  void play(const std::vector<Rehearsal>& operations, unsigned seed) {
    enter();
    std::mt19937 random(seed * 100 + static_cast<unsigned>(process_.number));
    std::vector<std::unique_ptr<Helper>> helpers;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (i >= HostGroup::kUnderWay) helpers[i - HostGroup::kUnderWay]->join();
      helpers.push_back(std::make_unique<Helper>(*this, operations[i], random()));
    }
    for (auto& helper : helpers) helper->join();
    Rank::enter(nullptr);
  }

 private:
  struct Helper {
    Helper(Player& owner, const Rehearsal& operation, unsigned random)
        : player(owner), part(operation, *owner.comm_), delay(random % 8) {
      const auto workers = static_cast<unsigned>(ult::worker_count());
      const ult::Attributes attributes{.worker = static_cast<int>(random / 8 % workers)};
      EXPECT_FALSE(ult::spawn(run, this, attributes, &ult));
    }
    ~Helper() { join(); }
    static void run(void* self) {
      auto& helper = *static_cast<Helper*>(self);
      helper.player.enter();
      for (unsigned i = 0; i < helper.delay; ++i) ult::relax();
      helper.part.run();
      Rank::enter(nullptr);
    }
    void join() {
      if (ult != nullptr) ult::join(std::exchange(ult, nullptr));
    }

    Player& player;
    Part part;
    const unsigned delay;
    ult::Ult* ult = nullptr;
  };

  void enter() { Rank::enter(rank_.get()); }

  world::Host& host_;
  world::Process& process_;
  std::unique_ptr<Rank> rank_;
  Ref<Comm> comm_;
};

void rehearse(int hosts_count, int workers, unsigned seed) {
  SCOPED_TRACE(::testing::Message()
               << hosts_count << " hosts, " << workers << " workers, seed " << seed);
  const ult::ScopedScheduler scheduler(workers, seed);
  for (std::atomic<int>& count : begun) count = 0;
  Hosts hosts(hosts_count, seed);
  std::vector<std::unique_ptr<Player>> players;
  for (int i = 0; i < kRanks; ++i) players.push_back(std::make_unique<Player>(hosts, i));
  const std::vector<Rehearsal> operations = operations_for(seed);
  {
    ult::Ults ults;
    for (auto& player : players) {
      ults.run_on(player->worker(), [&, seed] { player->play(operations, seed); });
    }
  }
}

TEST(Tickets, OperationsUnderWayAtOnceDoNotMixOnOneHost) {
  for (const unsigned seed : TestSeeds(1, kSanitized ? 3 : 30)) {
    for (const int workers : {1, 3}) rehearse(1, workers, seed);
  }
}

TEST(Tickets, OperationsUnderWayAtOnceDoNotMixBetweenHosts) {
  for (const unsigned seed : TestSeeds(1, kSanitized ? 2 : 20)) {
    for (const int hosts : {2, 3}) rehearse(hosts, 2, seed);
  }
}

// Barriers, then moves and barriers again, three times; each host looks up once after its members have moved.
void meet_and_move(int hosts_count, unsigned seed) {
  constexpr int kWorkers = 3, kTimes = 3 * static_cast<int>(HostGroup::kRounds);
  const ult::ScopedScheduler scheduler(kWorkers, seed);
  Hosts hosts(hosts_count, seed);
  std::vector<std::unique_ptr<Player>> players;
  for (int i = 0; i < kRanks; ++i) players.push_back(std::make_unique<Player>(hosts, i));
  std::atomic<int> come{0};
  HostGroup::Phase phase = 0;
  const auto meet = [&] {
    ult::Ults ults;
    for (auto& player : players) {
      ults.run_on(player->worker(), [&] { player->meet(kTimes, &come); });
    }
    phase += kTimes;
  };
  meet();
  std::map<const HostGroup*, unsigned> expected;
  for (auto& player : players) EXPECT_EQ(player->host_group().renewals(), 0u);
  for (unsigned more = 1; more <= 3; ++more) {
    std::set<const HostGroup*> moved;
    for (unsigned i = 0; i < kRanks; ++i) {
      if (i % 3 >= more) continue;
      players[i]->move_to((players[i]->worker() + 1) % kWorkers);
      moved.insert(&players[i]->host_group());
    }
    for (const HostGroup* host_group : moved) ++expected[host_group];
    meet();
    for (int rank = 0; rank < kRanks; ++rank) {
      Player& player = *players[static_cast<std::size_t>(rank)];
      HostGroup& host_group = player.host_group();
      EXPECT_EQ(host_group.renewals(), expected[&host_group]);
      const Places& places = *host_group.round(phase).tables->places;
      EXPECT_EQ(places.of(host_group.index_of(rank)).worker, player.worker());
    }
  }
}

TEST(Tickets, MembersThatHaveMovedGetPlacesThatAreLookedUpOnce) {
  for (const unsigned seed : TestSeeds(1, kSanitized ? 3 : 10)) {
    for (const int hosts : {1, 2, 3}) {
      SCOPED_TRACE(::testing::Message() << hosts << " hosts, seed " << seed);
      meet_and_move(hosts, seed);
    }
  }
}

}  // namespace
}  // namespace heddle::coll
