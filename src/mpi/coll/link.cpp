#include "mpi/coll/link.h"

#include <algorithm>

#include "base/platform/clock.h"
#include "exec/ult/alert.h"
#include "exec/ult/interrupt.h"
#include "mpi/coll/doubts.h"
#include "mpi/p2p/receive.h"
#include "mpi/p2p/send.h"

namespace heddle::coll {

namespace {

// From wait to doubt. A host that waits for one that computes asks once in a while, which costs neither much.
constexpr std::int64_t kFirstPatience = 20'000'000, kMostPatience = 1'000'000'000;

// Returns false if that takes longer. May switch.
bool wait_for(ult::Completion& completion, std::int64_t patience_ns) {
  if (completion.done() || completion.spin()) return true;
  const std::int64_t deadline_ns = platform::now_ns() + patience_ns;
  for (;;) {
    switch (ult::wait(completion, deadline_ns, nullptr, ult::Strand::Alerts::kHeeds)) {
      case ult::WaitEnd::kDone:
        return true;
      case ult::WaitEnd::kAlerted:
        ult::answer_alert();
        break;
      default:
        return false;
    }
  }
}

}  // namespace

Link::Link(const Turn& turn, std::uint32_t call) noexcept
    : wire_(turn.wire()),
      round_(Meeting::of(turn.comm).round(turn.number)),
      turn_(turn.number),
      mark_(Arrivals::mark_of(turn.number, call)) {}

void Link::wait(request::Request& request, std::span<const int> ranks) const {
  std::int64_t patience = kFirstPatience;
  while (!request.done()) {
    if (is_denied_by(ranks)) {
      request.cancel();
      request.wait();
      return;
    }
    if (wait_for(request.completion(), patience)) return;
    for (const int rank : ranks) Doubts::ask(wire_.comm, rank, mark_);
    patience = std::min(2 * patience, kMostPatience);
  }
}

bool Link::is_denied_by(std::span<const int> ranks) const noexcept {
  const Arrivals::Mark denial = round_.denial.load(std::memory_order_relaxed);
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](int rank) { return denial == Meeting::denial_of(rank, turn_); });
}

Error Link::send(datatype::ConstBuffer data, int rank) const {
  const p2p::Target to = wire_.to(rank);
  p2p::SendRequest request(data, to);
  if (Error e = p2p::begin(request, to, p2p::Mode::kStandard)) return e;
  wait(request, {&rank, 1});
  return request.outcome().cancelled ? not_taken() : Error{};
}

Error Link::receive(datatype::Buffer buffer, int rank) const {
  p2p::ReceiveRequest request(buffer, wire_.from(rank));
  p2p::begin(request);
  wait(request, {&rank, 1});
  return request.outcome().cancelled ? not_taken() : request.verdict();
}

}  // namespace heddle::coll
