// port.h — where a rank's messages arrive: the matching of one process (MPI 5.0 §3.5).
//
// Senders of the same host come here themselves and copy straight into the receiver's buffer:
//
//   send     lock, look for a posted receive ─┬─ found: unlock, copy, complete the receive
//                                             └─ none:  keep the message, unlock
//   receive  lock, look for a kept message ───┬─ found: unlock, copy, complete the sender
//                                             └─ none:  post the receive, unlock
//
// "Lock" is the lane's of this sender (mpi/match/matcher.h), held across no copy but a cell's.
// Messages from other hosts enter through the same matching when a packet arrives
// (remote/exchange.h): by take_posted, or by arrive if the message must be kept.
//
// Thread safety: every function any strand of any rank, unless it says otherwise.

#pragma once

#include <memory>
#include <string>

#include "exec/observe/observe.h"
#include "mpi/match/matcher.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/target.h"
#include "net/world/host.h"

namespace heddle::p2p {

class ReceiveRequest;
class SendRequest;
struct RemoteMessage;

class Port final : public world::Receiver {
 public:
  // `processes`: of the whole job; `rank`: whose messages arrive here, for the figures of the job.
  explicit Port(int processes, int rank = 0)
      : delivery_(*this), matcher_(match::TagShares(processes), &delivery_), rank_(rank) {}
  ~Port() override;  // drops what was not received

  void forget_idle(world::ContextId context) noexcept override;
  void forget(world::ContextId context) noexcept override;

  // The calling rank's.
  static Port& here() noexcept { return *of(*world::here().process); }
  // Where a message to there goes; nullptr: to another host, by the Exchange. Requires that it is
  // not MPI_PROC_NULL.
  static Port* of(const Target& target) noexcept { return of(target.process()); }
  static Port* of(const world::Process& process) noexcept {
    return static_cast<Port*>(process.receiver.get());
  }

  // True if a standard send of this size in this host returns before it is received.
  static bool is_eager(MPI_Count bytes) noexcept { return bytes <= eager_limit_; }
  static MPI_Count eager_limit() noexcept { return eager_limit_; }

  // ---- senders

  // Hands over a message; its buffer is free when this returns. Fails without memory.
  [[gnu::always_inline]] Error send_eager(const match::Key& key, datatype::ConstBuffer data) {
    if (data.bytes() <= Cell::kLargest && data.type->dense() && send_small(key, data)) {
      return {};
    }
    if (offer_posted(key, data)) return {};
    return send_copied(key, data, {});
  }

  // Hands over a message by a copy. No receive was posted for it a moment ago.
  Error send_copied(const match::Key& key, datatype::ConstBuffer data, Deposit deposit);

  // True if the message has been delivered. False if it stays until a receive takes it.
  bool offer(SendRequest& request) noexcept;

  // Delivers the message if a receive is posted.
  bool offer_posted(const match::Key& key, datatype::ConstBuffer data) noexcept;

  // For a message of another host. The receive that is posted for it is the caller's then; nullptr:
  // there is none.
  ReceiveRequest* take_posted(const match::Envelope& envelope) noexcept;
  // A message from another host: to a posted receive, or kept.
  void arrive(RemoteMessage& message) noexcept;

  // ---- the owning rank

  // Starts a receive. True if it is done, with its outcome written but not completed. False if it
  // is posted, or its payload is on the way from another host. `attended`: its strand waits for it
  // by its wait() or done(), or calls stand_alone() before it does not.
  bool receive(ReceiveRequest& request, bool attended = false) noexcept;

  // What a receive would get now; false if there is nothing.
  bool peek(const match::Pattern& wanted, match::Envelope* found) noexcept {
    return matcher_.peek(wanted, found);
  }

  // Takes a message out, for mrecv; nullptr if there is none.
  Message* take(const match::Pattern& wanted) noexcept {
    return static_cast<Message*>(matcher_.take(wanted));
  }

  // Returns when a message that fits is there, or was. May switch.
  void wait_for(const match::Pattern& wanted) noexcept;

  // How many receives and messages wait; see the matcher.
  match::Matcher::Lengths queue_lengths() noexcept { return matcher_.lengths(); }

  // What waits there in words, for reports: receives that point-to-point calls have posted, and
  // messages for such receives. A line for each, with `before` in front. Requires that no strand of
  // this process runs.
  std::string describe_queues(const std::string& before);

  // Moves a message that was taken into a receive that is not posted; as receive().
  bool hand_over(Message& message, ReceiveRequest& request) noexcept;

  // Ends a message that was taken and whose payload is no longer needed.
  static void dispose(Message& message) noexcept;

 private:
  class Prober;

  // What becomes of ring messages here.
  class Delivery final : public match::Deliverer {
   public:
    explicit Delivery(Port& port) noexcept : port_(port) {}
    void deliver(match::PostedReceive& receive, const match::Key& key,
                 const match::EagerSlot& slot) noexcept override;
    match::UnexpectedMessage& copy(const match::LaneHeld& lane, const match::Key& key,
                                   const match::EagerSlot& slot) noexcept override;
    void discard(match::UnexpectedMessage& spare) noexcept override;

   private:
    Port& port_;
  };

  // Sends as a ring message, or in a cell. False without memory, and nothing was done.
  bool send_small(const match::Key& key, datatype::ConstBuffer data) noexcept;
  // Where the lane has no cell left.
  bool send_in_new_cell(const match::Key& key, datatype::ConstBuffer data) noexcept;

  void deliver(match::PostedReceive& posted, const match::Envelope& envelope,
               datatype::ConstBuffer data) noexcept;

  // A message to this rank has met its receive.
  void note_received(const match::Envelope& envelope) const noexcept {
    if (observe::is_on()) [[unlikely]]
      note_received_slow(envelope);
  }
  [[gnu::cold, gnu::noinline]] void note_received_slow(
      const match::Envelope& envelope) const noexcept;

  static void drop(Message& message) noexcept;

  static const MPI_Count eager_limit_;

  Delivery delivery_;
  match::Matcher matcher_;
  const int rank_;
};

}  // namespace heddle::p2p
