// deadlock_over_hosts.h — the proof of deadlock.h for a job of several hosts that talk by a
// network: mpiexec --host, other launchers, and HEDDLE_NETWORK=everywhere.
//
// No bell says there what is under way. So each endpoint of a channel counts what it was given and
// what it has handed on (transport.h, Traffic), and a host stands still if P2 to P5 hold, and
// nothing waits in its channels to be sent: else it could go on without handling anything, when
// there is room. host 0 asks the rounds (still_rounds.h) by the connections of the watch:
//
//   host i  kStill: numbers ──────►  StillRounds  once it has had these numbers for a while, so a
//                                                 job whose waits are short says nothing
//           ◄────── kAsk: round      host 0
//           kStill: numbers ──────►               when each of its waits that ask was answered
//                                                 in this round
//           ◄────── kSay                          the proof is complete
//           kLines ───────────────►               says all, and ends the job
//
// What is asked is answered by the judge: the call monitor calls it soon (ult::call_judge). Words
// do not count as traffic, and wake no worker, so asking changes nothing.
//
// A wait that asks (exec/ult/stillness.h) sends packets that are not counted, and the answer says
// that they have come there and back. A later one may be under way when the proof is complete: its
// answer would be the same.
//
// What ends a wait and is no packet: a host that is lost, which ends the job; a completion of the
// network for a packet that was sent, which frees room, and nothing waits for room; an idle look of
// a worker that the network's watcher wakes, which finds nothing that is not counted.
// models/still_hosts.pml checks the protocol.
//
// A word that the connection has no room for is not said. Then the job waits, as where there is no
// proof.
//
// Thread safety: judge() the call monitor's thread; heard() the watch's.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/spin_lock.h"
#include "runtime/judge/witness.h"
#include "runtime/ways/watch/watch.h"
#include "runtime/ways/way.h"

namespace heddle::runtime {

class StillHosts final : public Witness, public Listener {
 public:
  StillHosts(int host, int hosts);

  // Called before judge().
  void speak_by(watch::Watch& watch) noexcept override { watch_ = &watch; }
  void heard(const watch::Word& word, std::string_view text) override;

  // The last round that this host was asked in.
  const std::atomic<std::uint64_t>& question() const noexcept override { return asked_; }
  bool judge(const StillWord& word, std::string (*own_lines)(), std::string* lines) override;
  std::int64_t next_look_ns() const noexcept override;

 private:
  // Shorter waits are no news to the other hosts. Each word that was not asked for doubles the
  // time, up to the second one: they must not fill the connection to a host 0 that is stopped,
  // which would end it.
  static constexpr std::int64_t kNewsAfterNs = 200'000'000, kNewsAfterAtMostNs = 12'800'000'000;

  bool is_to_report(const StillWord& word) noexcept;
  void report(const StillWord& word) noexcept;
  void take(int host, const StillWord& word) noexcept;
  void tell_others(watch::WordKind kind, std::uint64_t round) noexcept;
  std::string collect(const std::string& own);

  const int host_, hosts_;
  watch::Watch* watch_ = nullptr;

  // seq_cst: with the call of the judge, which must see them.
  std::atomic<std::uint64_t> asked_{0};
  std::atomic<bool> proven_{false};

  // The judge's.
  StillWord seen_;
  std::int64_t seen_since_ns_ = 0;
  std::int64_t news_after_ns_ = kNewsAfterNs;
  StillWord reported_;
  bool has_reported_ = false, has_said_ = false;

  // Lock: guards host 0's rounds of hosts that stand still, and what the others say at the end.
  SpinLock lock_;
  StillRounds rounds_;
  std::vector<std::string> lines_;  // by host
  std::atomic<int> lines_there_{0};
};

}  // namespace heddle::runtime
