// send_slots.h — memory for packets on their way out: one slot a packet, from try_send() until the
// fabric has completed it.
//
// Slots come in chunks, which are registered with the domain if its provider wants that, and are
// never given back before the port ends. The one that was freed last is used first.
//
// Thread safety: one thread at a time.

#pragma once

#include <rdma/fi_domain.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/intrusive_list.h"
#include "net/transport/fabric/libfabric.h"

namespace heddle::transport {

enum class OperationKind : unsigned char { kSend, kReceive, kRead };

// What libfabric gets as context, and gives back with the completion. Its first bytes are the
// provider's. The completion's flags do not tell a send from a buffer that is let go.
struct Operation {
  explicit Operation(OperationKind its_kind) noexcept : kind(its_kind) {}

  fi_context2 context = {};
  const OperationKind kind;
};

struct SendSlot : Operation, ListNode<> {
  SendSlot() noexcept : Operation(OperationKind::kSend) {}

  int to = 0;
  std::size_t bytes = 0;  // of the whole packet
  std::byte* memory = nullptr;
  void* descriptor = nullptr;  // of the registration
};

// Memory that a provider may read and write: registered if it wants that.
class Registered {
 public:
  // Fails without memory, or if the provider does not take it.
  static Error make(const Libfabric& library, fid_domain& domain, const fi_info& info,
                    std::size_t bytes, Registered* made);
  std::byte* bytes() const noexcept { return memory_.get(); }
  void* descriptor() const noexcept {
    return region_ != nullptr ? fi_mr_desc(region_.get()) : nullptr;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> memory_;
  Fid<fid_mr> region_;
};

class SendSlots {
 public:
  SendSlots(const Libfabric& library, fid_domain& domain, const fi_info& info,
            std::size_t slot_bytes) noexcept
      : library_(library), domain_(domain), info_(info), slot_bytes_(slot_bytes) {}

  SendSlot* take() noexcept;  // null without memory
  void free(SendSlot& slot) noexcept { free_.push_front(slot); }

 private:
  static constexpr std::size_t kInChunk = 16;
  struct Chunk {
    Registered memory;
    SendSlot slots[kInChunk];
  };
  bool grow() noexcept;

  const Libfabric& library_;
  fid_domain& domain_;
  const fi_info& info_;
  const std::size_t slot_bytes_;
  IntrusiveList<SendSlot> free_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace heddle::transport
