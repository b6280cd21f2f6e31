// remote_message.h — the receiver's end of an offered message: what is kept until a receive takes it,
// and the fetching of a large one.
//
//   RemoteMessage   a kOffer has come: in its lane, like other messages, and among the KeptOffers,
//                   where a kWithdraw finds it
//   Fetch           a receive has taken a large one: in its channel's table, until all is there
//
// Thread safety: a RemoteMessage in a lane as message.h says; KeptOffers lock by themselves. A Fetch
// belongs to the holder of the channel that the message came by.

#pragma once

#include <array>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/packet.h"

namespace heddle::p2p {

class Exchange;
class ReceiveRequest;
struct KeptOffer;  // tag of their list

struct RemoteMessage final : Message, ListNode<KeptOffer> {
  // With a copy of the payload, if it has come with the offer. nullptr without memory.
  static RemoteMessage* make(Exchange& exchange, int host, int channel, const OfferPacket& offer,
                             Bytes payload) noexcept;
  static void destroy(RemoteMessage* message) noexcept;

  // What nothing must be fetched of.
  bool is_here() const noexcept { return data.count == bytes; }

  Exchange& exchange;
  const int host;  // the sender's
  const int channel;
  const Id send_id;

 private:
  RemoteMessage(Exchange& its_exchange, int from, int by, Id id) noexcept
      : Message(Home::kRemote), exchange(its_exchange), host(from), channel(by), send_id(id) {}
  ~RemoteMessage() = default;
};

class KeptOffers {
 public:
  // Before the message may be matched / when it has been.
  void add(RemoteMessage& message) noexcept;
  void remove(RemoteMessage& message) noexcept;

  // Takes the offer out of here and of its lane; nullptr if it has been matched. Lock order: a
  // bucket's, then the lane's.
  RemoteMessage* withdraw(int host, Id send_id) noexcept;

 private:
  struct Bucket {
    SpinLock lock;  // guards the list
    IntrusiveList<RemoteMessage, KeptOffer> offers;
  };
  Bucket& bucket_of(Id send_id) noexcept { return buckets_[send_id % buckets_.size()]; }

  std::array<Bucket, 64> buckets_;  // withdrawing searches one
};

struct Fetch {
  ReceiveRequest& request;
  const int host;
  const MPI_Count wanted;
  MPI_Count got = 0;
};

}  // namespace heddle::p2p
