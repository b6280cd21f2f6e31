// packets.h — what processes say to each other about a window (module kWindows of net/gateway).
//
//   kind        from the origin's process                  the target's process
//   ----------  -----------------------------------------  -------------------------------------------
//   kAccess     head, runs, data                           does it; answers if `waiting` is not 0:
//                                                          then those before have been done, too
//   kLockedAccess  kAccess, with mode       takes the lock, does it, answers: as kLock and kAccess
//   kFlush      after all accesses to this target          answers: those before have been done
//   kLock       mode, lost                                 answers when the origin has the lock, or,
//                                                          if it reaches the word, may try again
//   kUnlock     mode                         perhaps before the origin knows that it has the lock
//   kLockAll    to one member of each process              answers when no member is locked alone
//   kUnlockAll
//   kPost, kComplete                                       counts
//   kLook       the member's words have changed (mapped.h) looks what waits for that
//   kAllLeft    to one member of each process              wakes what waits for the end of lock_all
//   kAnswer     (from the target's process) status, data
//
// A long access travels in several packets, each with some of its runs. Accumulates are atomic for
// each element, so nothing more is needed. All packets of an origin and a target take one channel,
// so they are done in the order of the calls: that is what `accumulate_ordering` promises.
//
// All hosts have the same byte order and sizes. What does not fit the window is dropped, or
// answered by an error.
//
// Thread safety: plain data.

#pragma once

#include <cstdint>

#include "net/gateway/kinds.h"

namespace heddle::rma {

inline constexpr auto kAccess = gateway::kind_of(gateway::Module::kWindows, 1);
inline constexpr auto kAnswer = gateway::kind_of(gateway::Module::kWindows, 2);
inline constexpr auto kFlush = gateway::kind_of(gateway::Module::kWindows, 3);
inline constexpr auto kLock = gateway::kind_of(gateway::Module::kWindows, 4);
inline constexpr auto kUnlock = gateway::kind_of(gateway::Module::kWindows, 5);
inline constexpr auto kLockAll = gateway::kind_of(gateway::Module::kWindows, 6);
inline constexpr auto kUnlockAll = gateway::kind_of(gateway::Module::kWindows, 7);
inline constexpr auto kPost = gateway::kind_of(gateway::Module::kWindows, 8);
inline constexpr auto kComplete = gateway::kind_of(gateway::Module::kWindows, 9);
inline constexpr auto kLook = gateway::kind_of(gateway::Module::kWindows, 10);
inline constexpr auto kAllLeft = gateway::kind_of(gateway::Module::kWindows, 11);
inline constexpr auto kLockedAccess = gateway::kind_of(gateway::Module::kWindows, 12);

enum class Access : std::uint8_t {
  kPut,      // data: what is written
  kGet,      // answered by what is there
  kCombine,  // data: the origin's elements
  kFetch,    // the same; answered by what was there. MPI_NO_OP: without data
  kSwap,     // data: the element to compare with, the new one; answered by what was there
};

// The head of all but kAnswer.
struct WindowPacket {
  gateway::PacketKind kind;
  Access access = Access::kPut;  // of an access
  std::uint8_t mode = 0;         // of kLock, kLockedAccess and kUnlock: LockMode
  std::uint8_t lost = 0;  // of kLock: how often the origin has tried again, as far as it fits
  std::int32_t target;    // ranks in the window
  std::int32_t origin;
  std::uint32_t runs = 0;     // of an access, behind the head
  std::uint64_t context;      // of the window's part
  std::uint64_t waiting = 0;  // names the strand that waits for the answer; 0: none does
  std::uint32_t element = 0;  // of kCombine, kFetch, kSwap: the ABI's constant of the named type
  std::uint32_t op = 0;       // of kCombine, kFetch: that of the operation
};
static_assert(sizeof(WindowPacket) == 40);

// Adjacent bytes of the target: from the base of its memory, or in a dynamic window an address.
struct TargetRun {
  std::uint64_t at, bytes;
};

// What stands before the data of an access to one run.
struct HeadOfOneRun {
  WindowPacket head;
  TargetRun run;
};
static_assert(sizeof(HeadOfOneRun) == 56);

inline constexpr std::int32_t kTryAgain = -1;  // of kLock

struct AnswerPacket {
  gateway::PacketKind kind = kAnswer;
  std::uint8_t unused[3] = {};
  std::int32_t status = 0;  // MPI_SUCCESS, the class of an error, or kTryAgain
  std::uint64_t waiting;
};
static_assert(sizeof(AnswerPacket) == 16);

}  // namespace heddle::rma
