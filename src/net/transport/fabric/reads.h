// reads.h — memory that one host reads from another one through the fabric, without a packet and
// without a copy of ours.
//
//   host that exposes                          host that reads
//   expose: a region, a random key ── packet ──►  post: one operation of the fabric
//                                                 ── completed ──► Reader::came
//   conceal: the region ends
//
// A region is registered when it is exposed and not kept: tcp's registration is an entry in a
// table. Providers of devices keep registrations of their own, and watch for memory that is given
// back to the kernel.
//
// The key is 64 random bits, or as many as the provider takes. So a process that knows a port and
// not the key cannot read.
//
// Thread safety: one thread at a time, as its port.

#pragma once

#include <rdma/fi_rma.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "net/transport/fabric/libfabric.h"
#include "net/transport/fabric/send_slots.h"
#include "net/transport/transport.h"

namespace heddle::transport {

struct ReadOperation : Operation, ListNode<> {
  ReadOperation() noexcept : Operation(OperationKind::kRead) {}

  int from = 0;
  std::size_t bytes = 0;
  Reader* reader = nullptr;
  Fid<fid_mr> region;  // of the memory that is written, if the provider wants that
};

class Reads {
 public:
  // The longest read: long enough to hide the way there and back, short enough that packets pass
  // between two of them.
  static constexpr std::size_t kBytes = 1 << 20;
  // How many reads may be under way from a host.
  static constexpr int kMost = 4;

  Reads(fid_domain& domain, const fi_info& info) noexcept;

  bool expose(Bytes memory, RemoteMemory* how) noexcept;
  void conceal(const RemoteMemory& memory) noexcept { exposed_.erase(memory.key); }

  // Returns what the fabric says. Requires that fewer than kMost are under way from this host.
  long post(fid_ep& endpoint, fi_addr_t from, const Endpoint::Read& read) noexcept;
  // Called when it has been completed, well or not: it is free again.
  void finished(ReadOperation& operation) noexcept;

 private:
  ReadOperation* take() noexcept;  // null without memory
  Fid<fid_mr> registered(const void* memory, std::size_t bytes, std::uint64_t access) noexcept;
  std::uint64_t random() noexcept;

  fid_domain& domain_;
  const fi_info& info_;
  std::uint64_t state_ = 0;                                 // of random()
  std::unordered_map<std::uint64_t, Fid<fid_mr>> exposed_;  // by key
  std::vector<std::unique_ptr<ReadOperation>> operations_;
  IntrusiveList<ReadOperation> free_;
};

}  // namespace heddle::transport
