// service.h — windows over several processes, on the target's side: what arrives is done in the
// poll, by the thread that polls. The target's ranks need not take part.
//
//   packet ──► the window's part, held meanwhile ──► copy, combine under stripes, count, lock
//                                                ──► answer, at once or when the lock is there
//
// A lock that is taken is waited for in its queue by what has no strand (remote_waiters.h): the
// strand that unlocks wakes it, and so the answer leaves; an access that waits so is done then.
//
// It also has the names of strands of this process that wait for answers (remote.h).
//
// Errors: bytes outside of the target's memory. An access that is answered tells it there; of the
// others the next answer to the same origin does that a flush waits for.
//
// Thread safety: as gateway.h says; the table of names locks.

#pragma once

#include "mpi/rma/packets.h"
#include "mpi/rma/part.h"
#include "net/gateway/gateway.h"
#include "net/gateway/id_table.h"
#include "net/world/shared_part.h"

namespace heddle::rma {

// A strand that waits for an answer; on its stack.
class Answer;
class PutLanding;

class Service final : public gateway::Receiver {
 public:
  static constexpr gateway::Module kModule = gateway::Module::kWindows;

  Service(gateway::Gateway& gateway, world::SharedParts& parts);
  ~Service() override;  // when no packet is delivered any more

  gateway::IdTable<Answer>& answers() noexcept { return answers_; }

  // A host that is lost ends the job (p2p).
  void on_lost(int) noexcept override {}

 private:
  class Request;

  template <void (*kDo)(Service&, const Request&)>
  bool serve(const gateway::Arrival& arrival) noexcept;
  bool on_answer(const gateway::Arrival& arrival) noexcept;
  // A put into adjacent bytes goes there without a copy of the packet (put_landing.h).
  transport::Landing begin_put(const gateway::Arrival& arrival, std::size_t bytes) noexcept;

  static void do_access(Service& service, const Request& request);
  static void do_locked_access(Service& service, const Request& request);
  static void do_flush(Service& service, const Request& request);
  static void do_lock(Service& service, const Request& request);
  static void do_unlock(Service& service, const Request& request);
  static void do_lock_all(Service& service, const Request& request);
  static void do_unlock_all(Service& service, const Request& request);
  static void do_post(Service& service, const Request& request);
  static void do_complete(Service& service, const Request& request);
  static void do_look(Service& service, const Request& request);
  static void do_all_left(Service& service, const Request& request);

  gateway::Gateway& gateway_;
  world::SharedParts& parts_;
  gateway::IdTable<Answer> answers_;
  gateway::IdTable<PutLanding> landings_;
};

// Called before the gateway is open.
void attach_to(gateway::Gateway& gateway, world::SharedParts& parts);

}  // namespace heddle::rma
