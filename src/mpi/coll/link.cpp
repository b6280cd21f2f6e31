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
      denied_(round_.denied[static_cast<std::size_t>(Seat::taken(turn.comm).index)]),
      turn_(turn.number),
      mark_(Arrivals::mark_of(turn.number, call)) {}

void Link::wait(request::Request& request, int rank) const {
  std::int64_t patience = kFirstPatience;
  while (!request.done()) {
    if (denied_.load(std::memory_order_relaxed) == Meeting::denial_of(rank, turn_)) {
      round_.tear(turn_);
      request.cancel();
      request.wait();
      return;
    }
    if (wait_for(request.completion(), patience)) return;
    Doubts::ask(wire_.comm, rank, mark_);
    patience = std::min(2 * patience, kMostPatience);
  }
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
