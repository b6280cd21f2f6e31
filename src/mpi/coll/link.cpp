#include "mpi/coll/link.h"

#include <algorithm>
#include <string>

#include "base/platform/clock.h"
#include "base/standing.h"
#include "exec/ult/stillness.h"
#include "exec/ult/wait.h"
#include "mpi/coll/call_queries.h"
#include "mpi/p2p/receive.h"
#include "mpi/p2p/send.h"

namespace heddle::coll {

namespace {

// How long a wait lasts before it sends a query. A host that waits for one that computes asks
// once in a while, which costs neither much.
constexpr std::int64_t kFirstPatience = 20'000'000, kMostPatience = 1'000'000'000;
// How long after the query it looks at the answer.
constexpr std::int64_t kAnswersAfter = 10'000'000;

// Returns false if that takes longer. May switch.
bool wait_for(ult::Completion& completion, std::int64_t patience_ns) {
  if (completion.done() || completion.spin()) return true;
  return ult::wait(completion, {.deadline_ns = platform::now_ns() + patience_ns}) == WaitEnd::kDone;
}

}  // namespace

Link::Link(const Phase& phase, std::uint32_t call) noexcept
    : wire_(phase.wire()),
      round_(HostGroup::of(phase.comm).round(phase.number)),
      mismatched_(round_.mismatched[static_cast<std::size_t>(Seat::taken(phase.comm).index)]),
      agreed_(round_.agreed[static_cast<std::size_t>(Seat::taken(phase.comm).index)]),
      phase_(phase.number),
      mark_(Arrivals::mark_of(phase.number, call)) {}

void Link::wait(request::Request& request, int rank) const {
  if (request.done() || wait_and_ask(request, rank)) return;
  // The message may have come before the mismatch, after this member had looked for it.
  if (request.done()) return;
  round_.tear(phase_);
  request.cancel();
  request.wait();
}

bool Link::wait_and_ask(request::Request& request, int rank) const {
  ult::AskingWait noted({Standing::mine.call,
                         [](const void* subject) {
                           return "rank " + std::to_string(*static_cast<const int*>(subject)) +
                                  " to come to it";
                         },
                         &rank});
  Query query;
  std::int64_t patience = kFirstPatience;
  for (;;) {
    if (!take_answer(query, rank, noted)) return false;
    if (wait_for(request.completion(), patience)) return true;
    // An answer that has come late.
    if (!take_answer(query, rank, noted)) return false;
    query.question = ult::AskingWait::question();
    // One that has ended cannot answer, and ends no wait: so the wait knows as much as by an
    // agreement.
    const bool has_ended = world::here().host->has_ended(wire_.comm.group().member(rank).host);
    if (has_ended) noted.note_answer(query.question);
    query.number = has_ended ? 0 : CallQueries::ask(wire_.comm, rank, mark_);
    if (wait_for(request.completion(), kAnswersAfter)) return true;
    patience = std::min(2 * patience, kMostPatience);
  }
}

bool Link::take_answer(const Query& query, int rank, ult::AskingWait& noted) const noexcept {
  // acquire: the mismatch of an earlier query is seen with it.
  const bool is_agreed =
      query.number != 0 && agreed_.load(std::memory_order_acquire) == query.number;
  // acquire: so is a message that came before it.
  if (mismatched_.load(std::memory_order_acquire) == HostGroup::mismatch_of(rank, phase_))
    return false;
  if (is_agreed) noted.note_answer(query.question);
  return true;
}

Error Link::send(datatype::ConstBuffer data, int rank) const {
  const p2p::Target to = wire_.to(rank);
  p2p::SendRequest request(data, to);
  if (Error e = p2p::begin(request, to, p2p::Mode::kStandard)) return e;
  wait(request, rank);
  return request.outcome().cancelled ? not_taken() : Error{};
}

Error Link::receive(datatype::Buffer buffer, int rank) const {
  p2p::ReceiveRequest request(buffer, wire_.from(rank));
  p2p::begin(request);
  wait(request, rank);
  return request.outcome().cancelled ? not_taken() : request.verdict();
}

}  // namespace heddle::coll
