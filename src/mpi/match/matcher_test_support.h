// matcher_test_support.h — what the tests of the matcher share.

#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <list>
#include <random>
#include <set>
#include <utility>

#include "base/test_seeds.h"
#include "mpi/match/matcher.h"

namespace heddle::match {

constexpr TagShares kShares(2);  // of a job of two

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;  // ten times slower
#else
constexpr bool kSanitized = false;
#endif

inline unsigned fresh_seed() {
  return std::random_device{}();
}

// The rules of §3.5 in their plainest form: two lists, scanned from the oldest on. Receives and
// messages are numbered by the test.
class ListOracle {
 public:
  static constexpr int kNothing = -1;

  void post(const Pattern& wanted, int number) { receives_.emplace_back(wanted, number); }
  void keep(const Key& message, int number) { messages_.emplace_back(message, number); }

  // The receive that this message belongs to, taken out.
  int arrive(const Key& message) {
    for (auto it = receives_.begin(); it != receives_.end(); ++it) {
      if (!agrees(it->first, message)) continue;
      const int number = it->second;
      receives_.erase(it);
      return number;
    }
    return kNothing;
  }
  // The oldest message that fits.
  int oldest(const Pattern& wanted) const {
    for (const auto& [key, number] : messages_) {
      if (agrees(wanted, key)) return number;
    }
    return kNothing;
  }
  // A receive from any source may take a message of any of them: the oldest that fits of each
  // source is right.
  bool may_get(const Pattern& wanted, int number) const {
    std::set<int> sources;
    for (const auto& [key, candidate] : messages_) {
      if (!agrees(wanted, key) || !sources.insert(key.source).second) continue;
      if (candidate == number) return true;
    }
    return number == kNothing && sources.empty();
  }
  bool remove_message(int number) { return remove(messages_, number); }
  bool remove_receive(int number) { return remove(receives_, number); }
  bool empty() const { return receives_.empty() && messages_.empty(); }

 private:
  using List = std::list<std::pair<Key, int>>;
  static bool agrees(const Pattern& wanted, const Key& message) {
    if (wanted.context != message.context) return false;
    if (wanted.source != MPI_ANY_SOURCE && wanted.source != message.source) return false;
    return wanted.tag == MPI_ANY_TAG || wanted.tag == message.tag;
  }
  static bool remove(List& list, int number) {
    return std::erase_if(list, [=](const auto& entry) { return entry.second == number; }) != 0;
  }
  List receives_, messages_;
};

// A ring message whose payload is the address of the test's message. Its outcome goes to that
// message's delivered_to() with the receive, or copied() when it is kept.
template <class Message>
class AddressMail final : public Deliverer {
 public:
  // False if the ring is closed or full.
  static bool leave(Matcher& matcher, Message& message) {
    Lane* const lane = matcher.find(message.key);
    Message* const address = &message;
    return lane != nullptr && matcher.send_by_ring(*lane, message.key, &address, sizeof address);
  }
  static Message& message_of(const EagerSlot& slot) {
    Message* address = nullptr;
    EXPECT_EQ(slot.bytes, sizeof address);
    std::memcpy(&address, slot.data, sizeof address);
    EXPECT_EQ(slot.tag, address->key.tag);
    return *address;
  }

  void deliver(PostedReceive& receive, const Key& key, const EagerSlot& slot) noexcept override {
    Message& message = message_of(slot);
    EXPECT_EQ(key, message.key);
    message.delivered_to(receive);
  }
  UnexpectedMessage& copy(const LaneHeld&, const Key& key,
                          const EagerSlot& slot) noexcept override {
    Message& message = message_of(slot);
    EXPECT_EQ(key, message.key);
    message.copied();
    return message;
  }
  void discard(UnexpectedMessage&) noexcept override {}  // the test's own
};

// As after so many receives that met their message in a spin.
inline void ripen(Matcher& matcher, const Key& key) {
  Lane* const lane = matcher.find(key);
  for (int i = 0; lane != nullptr && i < Lane::kSpunOften; ++i) lane->count_spin();
}

inline void drop_everything(Matcher& matcher) {
  matcher.clear([](UnexpectedMessage&) {}, [](UnexpectedMessage&) {});
}

}  // namespace heddle::match
