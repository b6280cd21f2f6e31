// Providers that want local memory registered (FI_MR_LOCAL), choose keys themselves (FI_MR_PROV_KEY) or count addresses
// from zero: pretended ones, since those that run everywhere want none of it.
#include <gtest/gtest.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_rma.h>

#include <map>
#include <set>

#include "net/transport/fabric/reads.h"
#include "net/transport/fabric/send_slots.h"

namespace heddle::transport {
namespace {

// Keeps the books of what is registered, and refuses what a strict provider would.
class StrictProvider {
 public:
  explicit StrictProvider(int mr_mode, std::size_t key_bytes = 8) {
    attributes_.mr_mode = mr_mode;
    attributes_.mr_key_size = key_bytes;
    info.domain_attr = &attributes_;
    domain.owner = this;
    domain.fid.mr = &kRegister;
    endpoint.owner = this;
    endpoint.fid.rma = &kRead;
  }

  struct Region {  // the fid is first: libfabric gives that back
    fid_mr fid;
    StrictProvider* owner;
    const std::byte* begin;
    std::size_t bytes;
    std::uint64_t access;
  };
  // Is this descriptor that of a region which is registered for it?
  bool covers(const void* descriptor, const void* memory, std::size_t bytes,
              std::uint64_t access) const {
    for (const auto& [key, region] : regions) {
      if (region->fid.mem_desc != descriptor) continue;
      const auto* const at = static_cast<const std::byte*>(memory);
      return at >= region->begin && at + bytes <= region->begin + region->bytes &&
             (region->access & access) == access;
    }
    return false;
  }

  template <class Fid>
  struct Owned {
    Fid fid = {};
    StrictProvider* owner = nullptr;
  };
  Owned<fid_domain> domain;
  Owned<fid_ep> endpoint;
  fi_info info = {};
  std::map<std::uint64_t, std::unique_ptr<Region>> regions;  // by key
  std::uint64_t first_key = 1000;                            // of its own
  std::set<std::uint64_t> asked;                             // keys
  int reads = 0, wrong_reads = 0;
  std::uint64_t read_address = 0, read_key = 0;
  void* context = nullptr;  // of the last read

 private:
  bool wants(int mode) const { return (attributes_.mr_mode & mode) != 0; }

  static int add(fid* domain, const void* memory, std::size_t bytes, std::uint64_t access,
                 std::uint64_t, std::uint64_t key, std::uint64_t, fid_mr** made, void*) {
    StrictProvider& self = *reinterpret_cast<Owned<fid_domain>*>(domain)->owner;
    self.asked.insert(key);
    if (self.wants(FI_MR_PROV_KEY)) key = self.first_key++;
    if (self.regions.contains(key)) return -FI_ENOKEY;
    auto region = std::make_unique<Region>();
    region->owner = &self;
    region->begin = static_cast<const std::byte*>(memory);
    region->bytes = bytes;
    region->access = access;
    region->fid.key = key;
    region->fid.mem_desc = region.get();
    region->fid.fid.ops = &kClose;
    *made = &region->fid;
    self.regions[key] = std::move(region);
    return 0;
  }
  static int close(fid* closed) {
    Region& region = *reinterpret_cast<Region*>(closed);
    region.owner->regions.erase(region.fid.key);
    return 0;
  }
  static ssize_t read(fid_ep* endpoint, void* memory, std::size_t bytes, void* descriptor,
                      fi_addr_t, std::uint64_t address, std::uint64_t key, void* context) {
    StrictProvider& self = *reinterpret_cast<Owned<fid_ep>*>(endpoint)->owner;
    ++self.reads;
    if (self.wants(FI_MR_LOCAL) && !self.covers(descriptor, memory, bytes, FI_READ)) {
      ++self.wrong_reads;
    }
    self.read_address = address;
    self.read_key = key;
    self.context = context;
    return 0;
  }
  static fi_ops kClose;
  static fi_ops_mr kRegister;
  static fi_ops_rma kRead;

  fi_domain_attr attributes_ = {};
};
fi_ops StrictProvider::kClose = {.size = sizeof(fi_ops), .close = close};
fi_ops_mr StrictProvider::kRegister = {.size = sizeof(fi_ops_mr), .reg = add};
fi_ops_rma StrictProvider::kRead = {.size = sizeof(fi_ops_rma), .read = read};

struct NoReader final : Reader {
  void came(std::size_t) noexcept override {}
};

TEST(Registration, PacketsLieInRegisteredMemoryWhereThatIsWanted) {
  StrictProvider provider(FI_MR_LOCAL);
  const Libfabric none;
  {
    SendSlots slots(none, provider.domain.fid, provider.info, 1000);
    std::set<const std::byte*> places;
    for (int i = 0; i < 40; ++i) {  // in several chunks
      SendSlot* const slot = slots.take();
      ASSERT_NE(slot, nullptr);
      EXPECT_TRUE(provider.covers(slot->descriptor, slot->memory, 1000, FI_SEND | FI_RECV));
      EXPECT_TRUE(places.insert(slot->memory).second);
    }
    EXPECT_GT(provider.regions.size(), 1u);
  }
  EXPECT_TRUE(provider.regions.empty());
}

TEST(Registration, NothingIsRegisteredForPacketsWhereThatIsNotWanted) {
  StrictProvider provider(0);
  const Libfabric none;
  SendSlots slots(none, provider.domain.fid, provider.info, 1000);
  EXPECT_EQ(slots.take()->descriptor, nullptr);
  EXPECT_TRUE(provider.regions.empty());
}

TEST(Registration, WhatIsReadIntoIsRegisteredUntilTheReadHasEnded) {
  StrictProvider provider(FI_MR_LOCAL);
  Reads reads(provider.domain.fid, provider.info);
  NoReader reader;
  std::vector<std::byte> into(5000);
  const Endpoint::Read read{
      .from_host = 0, .memory = {7000, 3}, .offset = 50, .into = into, .reader = &reader};
  ASSERT_EQ(reads.post(provider.endpoint.fid, 0, read), 0);
  EXPECT_EQ(provider.reads, 1);
  EXPECT_EQ(provider.wrong_reads, 0);
  EXPECT_EQ(provider.regions.size(), 1u);
  EXPECT_EQ(provider.read_address, 7050u);
  EXPECT_EQ(provider.read_key, 3u);
  reads.finished(static_cast<ReadOperation&>(*static_cast<Operation*>(provider.context)));
  EXPECT_TRUE(provider.regions.empty());
}

TEST(Registration, KeysOfTheProviderAreTold) {
  StrictProvider provider(FI_MR_PROV_KEY | FI_MR_VIRT_ADDR, 4);
  Reads reads(provider.domain.fid, provider.info);
  std::vector<std::byte> memory(100), more(100);
  RemoteMemory first, second;
  ASSERT_TRUE(reads.expose(memory, &first));
  ASSERT_TRUE(reads.expose(more, &second));
  EXPECT_EQ(first.key, 1000u);
  EXPECT_EQ(second.key, 1001u);
  EXPECT_EQ(first.address, reinterpret_cast<std::uintptr_t>(memory.data()));
  EXPECT_EQ(provider.regions.at(1000)->access, std::uint64_t{FI_REMOTE_READ});
  reads.conceal(first);
  EXPECT_EQ(provider.regions.size(), 1u);
}

TEST(Registration, KeysOfOursFitAndAddressesCountFromZero) {
  StrictProvider provider(0, 2);
  Reads reads(provider.domain.fid, provider.info);
  std::vector<std::byte> memory(100);
  RemoteMemory how;
  ASSERT_TRUE(reads.expose(memory, &how));
  EXPECT_EQ(how.address, 0u);
  EXPECT_TRUE(provider.asked.contains(how.key));
  EXPECT_LT(how.key, 1u << 16);
}

}  // namespace
}  // namespace heddle::transport
