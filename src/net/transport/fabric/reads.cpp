#include "net/transport/fabric/reads.h"

#include <rdma/fi_domain.h>
#include <sys/random.h>

#include <cassert>
#include <new>
#include <utility>

namespace heddle::transport {

namespace {
// A key that is taken already is refused, which hardly ever happens with 64 bits.
constexpr int kTries = 4;
}  // namespace

Reads::Reads(fid_domain& domain, const fi_info& info) noexcept : domain_(domain), info_(info) {
  static_cast<void>(!getrandom(&state_, sizeof state_, 0));
}

// splitmix64
std::uint64_t Reads::random() noexcept {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Fid<fid_mr> Reads::registered(const void* memory, std::size_t bytes,
                              std::uint64_t access) noexcept {
  const std::size_t key_bytes = info_.domain_attr->mr_key_size;
  const std::uint64_t mask =
      key_bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * key_bytes)) - 1;
  for (int i = 0; i < kTries; ++i) {
    fid_mr* region = nullptr;
    const int code =
        fi_mr_reg(&domain_, memory, bytes, access, 0, random() & mask, 0, &region, nullptr);
    if (code == 0) return Fid<fid_mr>(region);
    if (code != -FI_ENOKEY) break;
  }
  return {};
}

bool Reads::expose(Bytes memory, RemoteMemory* how) noexcept {
  Fid<fid_mr> region = registered(memory.data(), memory.size(), FI_REMOTE_READ);
  if (region == nullptr) return false;
  const std::uint64_t key = fi_mr_key(region.get());
  if (key == 0 || key == FI_KEY_NOTAVAIL) return false;
  const bool absolute = (info_.domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  *how = {absolute ? reinterpret_cast<std::uintptr_t>(memory.data()) : 0, key};
  exposed_[key] = std::move(region);
  return true;
}

ReadOperation* Reads::take() noexcept {
  if (free_.empty()) {
    std::unique_ptr<ReadOperation> made(new (std::nothrow) ReadOperation);
    if (made == nullptr) return nullptr;
    free_.push_back(*made);
    operations_.push_back(std::move(made));
  }
  return free_.pop_front();
}

long Reads::post(fid_ep& endpoint, fi_addr_t from, const Endpoint::Read& read) noexcept {
  ReadOperation* const operation = take();
  if (operation == nullptr) return -FI_EAGAIN;
  operation->from = read.from_host;
  operation->bytes = read.into.size();
  operation->reader = read.reader;
  void* descriptor = nullptr;
  if ((info_.domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
    operation->region = registered(read.into.data(), read.into.size(), FI_READ);
    if (operation->region != nullptr) descriptor = fi_mr_desc(operation->region.get());
  }
  const long code = fi_read(&endpoint, read.into.data(), read.into.size(), descriptor, from,
                            read.memory.address + read.offset, read.memory.key,
                            static_cast<Operation*>(operation));
  if (code != 0) finished(*operation);
  return code;
}

void Reads::finished(ReadOperation& operation) noexcept {
  operation.region.reset();
  free_.push_front(operation);
}

}  // namespace heddle::transport
