#include "mpi/comm_make/parts.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "mpi/coll/coll.h"
#include "mpi/coll/lending.h"

namespace heddle::comm_make {

using group::Group;
using GroupRef = object::Ref<const Group>;

namespace {

// What one member gives, while all are in the division.
struct Seeker {
  Choice choice;
  int rank;
  Part* part;
};

bool comes_before(const Seeker* a, const Seeker* b) noexcept {
  return std::tie(a->choice.color, a->choice.key, a->rank) <
         std::tie(b->choice.color, b->choice.key, b->rank);
}

using Seekers = std::vector<const Seeker*>;

// Makes the communicator of one color. Its members come in their new order.
void make_part(const Comm& parent, Seekers::const_iterator begin, Seekers::const_iterator end) {
  Group::Members members;
  members.reserve(static_cast<std::size_t>(end - begin));
  std::for_each(begin, end,
                [&](const Seeker* s) { members.push_back(&parent.group().member(s->rank)); });
  const Part part{GroupRef::adopt(new Group(std::move(members))),
                  (*begin)->choice.contexts.between};
  std::for_each(begin, end, [&](const Seeker* s) { *s->part = part; });
}

void make_parts(const Comm& parent, Seekers seekers) {
  std::sort(seekers.begin(), seekers.end(), comes_before);
  auto begin = seekers.cbegin();
  while (begin != seekers.cend()) {
    const int color = (*begin)->choice.color;
    const auto end = std::find_if(begin, seekers.cend(),
                                  [&](const Seeker* s) { return s->choice.color != color; });
    if (color != MPI_UNDEFINED) make_part(parent, begin, end);
    begin = end;
  }
}

// On one host, in one phase.
struct Division {
  Comm& comm;
  Choice choice;
  Part* part;

  coll::Uses uses() const noexcept { return {}; }
  int phases() const noexcept { return 1; }
  Error perform(const coll::Ticket& ticket) const {
    coll::Visit visit(ticket.phase(), coll::call_of(coll::What::kSplit, 0, 0));
    const Seeker mine{choice, comm.rank(), part};
    visit.lent()[visit.index()] = {.data = &mine, .result = nullptr, .type = nullptr};
    return visit.meet([&] {
      if (visit.agreed()) make_parts(comm, all_of(visit));
    });
  }

 private:
  static Seekers all_of(coll::Visit& visit) {
    Seekers all(static_cast<std::size_t>(visit.host_group().members()));
    std::transform(visit.lent(), visit.lent() + all.size(), all.begin(),
                   [](const coll::Lent& lent) { return static_cast<const Seeker*>(lent.data); });
    return all;
  }
};

Error divide_between_hosts(Comm& parent, const Choice& mine, Part* part) {
  std::vector<Choice> all(static_cast<std::size_t>(parent.size()));
  if (Error e = gather_all(parent, &mine, all.data(), sizeof mine)) return e;
  if (mine.color == MPI_UNDEFINED) return {};
  Group::Members members;
  for (const int rank : ranks_with(all, mine.color)) {
    if (members.empty()) part->context = all[static_cast<std::size_t>(rank)].contexts.between;
    members.push_back(&parent.group().member(rank));
  }
  part->members = GroupRef::adopt(new Group(std::move(members)));
  return {};
}

}  // namespace

std::vector<int> ranks_with(const std::vector<Choice>& choices, int color) {
  std::vector<int> ranks;
  for (int rank = 0; rank < static_cast<int>(choices.size()); ++rank) {
    if (choices[static_cast<std::size_t>(rank)].color == color) ranks.push_back(rank);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return choices[static_cast<std::size_t>(a)].key < choices[static_cast<std::size_t>(b)].key;
  });
  return ranks;
}

Error divide(Comm& parent, const Choice& mine, Part* part) {
  if (!coll::all_are_here(parent)) return divide_between_hosts(parent, mine, part);
  return coll::run(Division{parent, mine, part});
}

}  // namespace heddle::comm_make
