#include "mpi/p2p/remote/remote_message.h"

#include <cstdlib>
#include <new>

#include "mpi/match/matcher.h"

namespace heddle::p2p {

RemoteMessage* RemoteMessage::make(const Origin& origin, const match::Envelope& envelope,
                                   MPI_Count room) noexcept {
  void* memory = std::malloc(sizeof(RemoteMessage) + static_cast<std::size_t>(room));
  if (memory == nullptr) return nullptr;
  auto* message = new (memory) RemoteMessage(origin);
  message->key = envelope.key;
  message->bytes = envelope.bytes;
  message->data = {message + 1, room, &datatype::named(MPI_BYTE)};
  return message;
}

RemoteMessage* RemoteMessage::make(const Origin& origin, const match::Envelope& envelope,
                                   Bytes payload) noexcept {
  RemoteMessage* const message = make(origin, envelope, static_cast<MPI_Count>(payload.size()));
  if (message == nullptr) return nullptr;
  if (!payload.empty()) std::memcpy(message->payload().data(), payload.data(), payload.size());
  return message;
}

void RemoteMessage::destroy(RemoteMessage* message) noexcept {
  message->~RemoteMessage();
  std::free(message);
}

void KeptOffers::add(RemoteMessage& message) noexcept {
  Bucket& bucket = bucket_of(message.origin.send_id);
  SpinGuard guard(bucket.lock);
  bucket.offers.push_back(message);
}

void KeptOffers::remove(RemoteMessage& message) noexcept {
  SpinGuard guard(bucket_of(message.origin.send_id).lock);
  IntrusiveList<RemoteMessage, KeptOffer>::erase(message);
}

RemoteMessage* KeptOffers::withdraw(int host, Id send_id) noexcept {
  Bucket& bucket = bucket_of(send_id);
  SpinGuard guard(bucket.lock);
  for (RemoteMessage& offer : bucket.offers) {
    if (offer.origin.host != host || offer.origin.send_id != send_id) continue;
    // If a receive has it by now, it waits for our lock to take it off the list.
    if (!match::Matcher::cancel(offer)) return nullptr;
    IntrusiveList<RemoteMessage, KeptOffer>::erase(offer);
    return &offer;
  }
  return nullptr;
}

}  // namespace heddle::p2p
