#include "net/transport/fabric/send_slots.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace heddle::transport {

namespace {
constexpr std::size_t kPage = 4096;
}  // namespace

void Registered::Free::operator()(std::byte* memory) const noexcept {
  std::free(memory);
}

Error Registered::make(const Libfabric& library, fid_domain& domain, const fi_info& info,
                       std::size_t bytes, Registered* made) {
  static std::atomic<std::uint64_t> next_key{1};
  Registered memory;
  const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
  memory.memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, whole)));
  if (memory.memory_ == nullptr) return Error::make(kErrorNoMemory, "no memory for packets");
  if ((info.domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
    fid_mr* region = nullptr;
    const int code =
        fi_mr_reg(&domain, memory.bytes(), whole, FI_SEND | FI_RECV, 0,
                  next_key.fetch_add(1, std::memory_order_relaxed), 0, &region, nullptr);
    if (code != 0) {
      return Error::make(kErrorOther, "registering memory with libfabric: %s",
                         library.text_of(-code));
    }
    memory.region_.reset(region);
  }
  *made = std::move(memory);
  return {};
}

bool SendSlots::grow() noexcept {
  std::unique_ptr<Chunk> chunk(new (std::nothrow) Chunk);
  if (chunk == nullptr) return false;
  if (Error e =
          Registered::make(library_, domain_, info_, kInChunk * slot_bytes_, &chunk->memory)) {
    e.ignore();
    return false;
  }
  for (std::size_t i = 0; i < kInChunk; ++i) {
    SendSlot& slot = chunk->slots[i];
    slot.memory = chunk->memory.bytes() + i * slot_bytes_;
    slot.descriptor = chunk->memory.descriptor();
    free_.push_back(slot);
  }
  chunks_.push_back(std::move(chunk));
  return true;
}

SendSlot* SendSlots::take() noexcept {
  if (free_.empty() && !grow()) return nullptr;
  return free_.pop_front();
}

}  // namespace heddle::transport
