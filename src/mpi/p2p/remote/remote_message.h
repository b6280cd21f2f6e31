// remote_message.h — the receiver's end of a message from another host: what is kept until a
// receive takes it, and the fetching of a large one.
//
//   RemoteMessage   a kEager or kOffer has come: in its lane, like other messages; an offer is
//                   among the KeptOffers, too, where a kWithdraw finds it
//   Fetch           a receive has taken a large one: in its channel's table, until all is there
//
// Thread safety: a RemoteMessage in a lane as message.h says; KeptOffers lock by themselves. A
// Fetch belongs to the holder of the channel that the message came by.

#pragma once

#include <array>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "mpi/p2p/carrier.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/remote/credit.h"
#include "mpi/p2p/remote/packet.h"

namespace heddle::p2p {

struct KeptOffer;  // tag of their list

struct RemoteMessage final : Message, ListNode<KeptOffer> {
  // Where it came from, and what its sender needs to know when a receive has taken it.
  struct Origin {
    Carrier& carrier;
    int host;  // the sender's
    int channel;
    Id send_id;                           // 0: no sender waits for an answer
    std::int32_t to;                      // the receiving process
    std::int64_t credit;                  // that it has taken
    transport::RemoteMemory memory = {};  // the payload, if it may be read
  };

  // Makes a message with a copy of the payload, if it has come along. nullptr without memory.
  static RemoteMessage* make(const Origin& origin, const match::Envelope& envelope,
                             Bytes payload) noexcept;
  // Makes a message with room for a payload that has still to come.
  static RemoteMessage* make_empty(const Origin& origin, const match::Envelope& envelope) noexcept {
    return make(origin, envelope, envelope.bytes);
  }
  static void destroy(RemoteMessage* message) noexcept;

  // The copy.
  std::span<std::byte> payload() noexcept {
    return {reinterpret_cast<std::byte*>(this + 1), static_cast<std::size_t>(data.count)};
  }

  // True if no part of the payload must be fetched.
  bool is_here() const noexcept { return data.count == bytes; }

  bool is_offer() const noexcept { return origin.send_id != 0; }

  const Origin origin;

 private:
  // `room`: for so many bytes of it.
  static RemoteMessage* make(const Origin& origin, const match::Envelope& envelope,
                             MPI_Count room) noexcept;
  explicit RemoteMessage(const Origin& from) noexcept : Message(Home::kRemote), origin(from) {}
  ~RemoteMessage() = default;
};
static_assert(sizeof(RemoteMessage) <= Credit::kRecord);

class KeptOffers {
 public:
  // add() before the message may be matched, remove() when it has been.
  void add(RemoteMessage& message) noexcept;
  void remove(RemoteMessage& message) noexcept;

  // Takes the offer out of here and of its lane; nullptr if it has been matched. Lock order: a
  // bucket's, then the lane's.
  RemoteMessage* withdraw(int host, Id send_id) noexcept;

 private:
  struct Bucket {
    // Lock: guards offers of other hosts that no receive has taken; held across a lane's lock, by
    // withdrawals.
    SpinLock lock;
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
