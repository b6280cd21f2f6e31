// greeting.h — the first words of a connection between two hosts: each end proves to the other that
// it knows the job's secret.
//
//   guest, the end that connects                       door, the end that is connected to
//   Hello   guest, host, purpose, a nonce    ───────►
//                                            ◄───────  Answer  a nonce, proof of the door
//   Proof   of the guest                     ───────►
//                                            ◄───────  Welcome
//
//    0       8      12   16     20       24      40     104
//    | magic | from | to | what | unused | nonce | node |                     Hello
//    | nonce (16)   | node (64) | proof (8) |                                  Answer
//    | proof (8) |                                                             Proof
//    | 0xD0 |                                                                  Welcome
//
// A proof is keyed_hash() of the role, the Hello, the door's nonce and its node. So what was heard
// on one connection proves nothing on another one, and what one end has said does not serve the
// other. The door proves itself first: a guest says nothing to a stranger that a hello does not
// say. The guest is known to the door before it hears the welcome. What comes behind these words is
// not protected: a network that changes packets can change messages.
//
// A Hello for a knock ends there (kKnock): it only asks the door's host to come to the guest's
// door, so it needs no proof.
//
// No more is read of the connection than these words. Integers in the byte order of the machine:
// x86-64 only.
//
// Thread safety: one thread at a time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/door/secret.h"

namespace heddle::door {

enum class What : std::int32_t { kWatch = 1, kStream = 2, kKnock = 3 };

struct Nonce {
  std::uint64_t words[2] = {};
};
inline constexpr std::size_t kLongestNode = 64;

struct Hello {
  static constexpr std::uint64_t kMagic = 0x32'6f'6c'6c'65'68'68'00;  // with the version

  std::uint64_t magic = kMagic;
  std::int32_t from = 0, to = 0;
  What what = What::kWatch;
  std::int32_t unused = 0;
  Nonce nonce;
  char node[kLongestNode] = {};
};
static_assert(sizeof(Hello) == 104);

struct Answer {
  Nonce nonce;
  char node[kLongestNode] = {};
  std::uint64_t proof = 0;
};
static_assert(sizeof(Answer) == 88);

// What an end says of itself.
struct Own {
  int host = 0;
  std::string_view node;  // the name of its machine
};

class Greeting {
 public:
  enum class State : unsigned char { kGoesOn, kKnown, kStranger };

  // `secret` outlives it. At the door / at the guest, which begins.
  Greeting(const Secret& secret, const Own& door, What what) noexcept;
  Greeting(const Secret& secret, const Own& guest, int to, What what) noexcept;

  // Goes on as far as it can without waiting. kKnown at the door: welcome() is due.
  State advance(int descriptor) noexcept;
  static bool welcome(int descriptor) noexcept;

  // The host that the other end says it is; before kKnown only a hint. -1: it has said nothing.
  int host() const noexcept {
    if (is_guest_) return door_;
    return has_hello_ ? hello_.from : -1;
  }
  // True if a guest has sent its proof: the door may know it by now, so to give up would look like
  // its end.
  bool has_proved() const noexcept { return due_ == Due::kWelcome; }
  bool is_knock() const noexcept { return has_hello_ && hello_.what == What::kKnock; }
  const char* node() const noexcept { return is_guest_ ? answer_.node : hello_.node; }

 private:
  enum class Due : unsigned char { kToBegin, kHello, kAnswer, kProof, kWelcome };

  enum class Heard : unsigned char { kWhole, kPart, kOver };
  template <class Word>
  Heard hear(int descriptor, Word* word) noexcept;
  std::uint64_t proof_of(bool of_door) const noexcept;
  bool say_hello(int descriptor) noexcept;
  bool take_hello(int descriptor) noexcept;
  bool take_answer(int descriptor) noexcept;

  const Secret& secret_;
  const bool is_guest_;
  const int door_;   // its host
  const What what_;  // a door is for one thing
  bool has_hello_ = false;
  Due due_;
  std::size_t came_ = 0;  // bytes of the word that is due
  Hello hello_;
  Answer answer_;
  std::uint64_t proof_ = 0;
  std::uint8_t welcome_ = 0;
};

}  // namespace heddle::door
