// credit.h — bounds what messages of other hosts occupy at a rank before it receives them.
//
//   sender's host                             receiver's host
//   SendCredit::take ─┬ yes ── payload ────►  kept, until a receive takes it
//                     └ no ─── kOffer ─────►  only the offer is kept; the sender keeps the payload
//   SendCredit::give_back ◄─── kCredit ─────  CreditReturns::collect, in batches
//
// There is one account for each host of senders and each receiving rank. So a rank that receives
// nothing delays only messages to itself.
//
// Nothing waits for credit. A message that gets none is offered, as a large one is. Then a blocking
// send waits until it is matched, which the standard allows every standard send (MPI 5.0 §3.4), and
// a nonblocking one keeps its request.
//
// Invariants
//   I1  A SendCredit has given out 0 to kMost bytes. They belong to packets on their way, to
//       messages that are kept, to the receiver's batch, and to credit packets on their way back. A
//       take() that fails adds its bytes for a moment and takes them back.
//   I2  A batch that waits has less than kBatch bytes. So when a rank has received all messages and
//       its credit packets have arrived, more than kMost - kBatch bytes are free. A message that
//       fits into a packet then gets its credit.
//
// The accounts only count: no other data depends on them, and so relaxed is enough everywhere.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::p2p {

struct Credit {
  static constexpr std::int64_t kMost = 1 << 20;
  static constexpr std::int64_t kBatch = kMost / 4;

  // What an eager message takes besides its payload: the record in which the receiver keeps it. An
  // offer's own record takes none: offers are bounded by the requests and the attached buffers of
  // the sender.
  static constexpr std::int64_t kRecord = 192;
};

class SendCredit {
 public:
  // `processes` is positive. By way of unsigned the compiler knows it, and does not warn of the
  // allocation.
  explicit SendCredit(int processes)
      : given_(new std::atomic<std::int64_t>[static_cast<unsigned>(processes)]()) {}

  // Returns false if the rank has no room for it now.
  [[nodiscard]] bool take(int process, std::int64_t bytes) noexcept {
    std::atomic<std::int64_t>& given = of(process);
    if (given.fetch_add(bytes, std::memory_order_relaxed) + bytes <= Credit::kMost) return true;
    given.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }

  // Returns false if less than that has been given out.
  bool give_back(int process, std::int64_t bytes) noexcept {
    std::atomic<std::int64_t>& given = of(process);
    std::int64_t seen = given.load(std::memory_order_relaxed);
    do {
      if (bytes < 0 || bytes > seen) return false;
    } while (!given.compare_exchange_weak(seen, seen - bytes, std::memory_order_relaxed));
    return true;
  }

 private:
  std::atomic<std::int64_t>& of(int process) noexcept {
    return given_[static_cast<std::size_t>(process)];
  }

  const std::unique_ptr<std::atomic<std::int64_t>[]> given_;  // by process of the job
};

class CreditReturns {
 public:
  // `is_here`: by process of the job, whether it is a rank of this host.
  CreditReturns(int hosts, const std::vector<bool>& is_here);

  // Called when a rank of ours, `process`, has taken a message of `host`. Returns the bytes that
  // must be given back to that host now; 0: nothing yet.
  [[nodiscard]] std::int64_t collect(int host, int process, std::int64_t bytes) noexcept {
    if (bytes == 0) return 0;
    std::atomic<std::int64_t>& batch = of(host, process);
    if (batch.fetch_add(bytes, std::memory_order_relaxed) + bytes < Credit::kBatch) return 0;
    return batch.exchange(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t>& of(int host, int process) noexcept {
    const int index = host * ranks_here_ + index_of_[static_cast<std::size_t>(process)];
    return batches_[static_cast<std::size_t>(index)];
  }

  std::vector<int> index_of_;  // by process of the job; -1: not here
  int ranks_here_ = 0;
  std::unique_ptr<std::atomic<std::int64_t>[]> batches_;  // by host, then by rank of ours
};

}  // namespace heddle::p2p
