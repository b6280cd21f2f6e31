// fabric_rate — the Neighbor Message Rate at libfabric's own interface, to see what the library adds to it.
//
// Each thread has a domain, an endpoint and a queue of its own, as a channel of the library has. FI_PROVIDER names the
// provider; addresses are those of 127.0.0.1.
//
//   fabric_rate [--threads N] [--seconds S]             prints 'rate MESSAGES-SENT-A-SECOND'

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "neighbors.h"

namespace {

using namespace heddle::bench;

void check(ssize_t error, const char* what) {
  if (error != 0) fail(what, fi_strerror(std::abs(static_cast<int>(error))));
}

// The name of an endpoint, for the process at its other end.
struct Name {
  std::array<std::byte, 64> bytes;
  std::atomic<bool> is_there{false};
};
struct Shared {
  std::array<Name, kMostThreads> of_threads, of_processes;
  std::atomic<bool> over{false};
};

class Endpoint {
 public:
  Endpoint(Name& own, const Name& other) {
    open();
    publish(own);
    while (!other.is_there.load(std::memory_order_acquire)) sched_yield();
    if (fi_av_insert(addresses_, other.bytes.data(), 1, &peer_, 0, nullptr) != 1)
      fail("no address");
  }

  // A round with the neighbour. True: it said that this was the last.
  bool exchange(bool last) {
    for (int i = 0; i < kBatch; ++i) {
      const std::uint32_t mark = last && i == kBatch - 1;
      ssize_t result = 0;
      while ((result = fi_inject(endpoint_, &mark, sizeof mark, peer_)) == -FI_EAGAIN) poll();
      check(result, "fi_inject");
    }
    awaited_ += kBatch;
    for (int idle = 0; arrived_ < awaited_;) {
      if (!poll() && ++idle % 64 == 0) sched_yield();
    }
    return said_last_ && arrived_ == awaited_;  // it may be a round ahead
  }

  bool poll() {
    std::array<fi_cq_entry, kBatch> entries;
    const ssize_t count = fi_cq_read(queue_, entries.data(), entries.size());
    if (count == -FI_EAGAIN) return false;
    check(std::min<ssize_t>(count, 0), "fi_cq_read");
    for (ssize_t i = 0; i < count; ++i) {
      Receive& receive = *static_cast<Receive*>(entries[static_cast<std::size_t>(i)].op_context);
      ++arrived_;
      said_last_ |= receive.mark != 0;
      post(receive);
    }
    return true;
  }

 private:
  struct Receive {
    fi_context2 context;  // first: what a completion names
    std::uint32_t mark;
  };

  void open() {
    fi_info* const hints = fi_allocinfo();
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_MSG;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->tx_attr->op_flags = FI_INJECT_COMPLETE;
    fi_info* info = nullptr;
    check(fi_getinfo(FI_VERSION(1, 15), "127.0.0.1", nullptr, FI_SOURCE, hints, &info),
          "fi_getinfo");
    fi_freeinfo(hints);
    fi_cq_attr queue = {};
    queue.format = FI_CQ_FORMAT_CONTEXT;
    fi_av_attr addresses = {};
    check(fi_fabric(info->fabric_attr, &fabric_, nullptr), "fi_fabric");
    check(fi_domain(fabric_, info, &domain_, nullptr), "fi_domain");
    check(fi_av_open(domain_, &addresses, &addresses_, nullptr), "fi_av_open");
    check(fi_cq_open(domain_, &queue, &queue_, nullptr), "fi_cq_open");
    check(fi_endpoint(domain_, info, &endpoint_, nullptr), "fi_endpoint");
    check(fi_ep_bind(endpoint_, &addresses_->fid, 0), "fi_ep_bind");
    check(fi_ep_bind(endpoint_, &queue_->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    check(fi_enable(endpoint_), "fi_enable");
    for (Receive& receive : receives_) post(receive);
    fi_freeinfo(info);
  }
  void publish(Name& own) {
    std::size_t bytes = own.bytes.size();
    check(fi_getname(&endpoint_->fid, own.bytes.data(), &bytes), "fi_getname");
    own.is_there.store(true, std::memory_order_release);
  }
  void post(Receive& receive) {
    ssize_t result = 0;
    while ((result = fi_recv(endpoint_, &receive.mark, sizeof receive.mark, nullptr, FI_ADDR_UNSPEC,
                             &receive)) == -FI_EAGAIN) {
    }
    check(result, "fi_recv");
  }

  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  fid_av* addresses_ = nullptr;
  fid_cq* queue_ = nullptr;
  fid_ep* endpoint_ = nullptr;
  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  std::array<Receive, 4 * kBatch> receives_ = {};
  std::uint64_t arrived_ = 0, awaited_ = 0;
  bool said_last_ = false;
};

void follow(Shared& shared, int thread) {
  const auto at = static_cast<std::size_t>(thread);
  Endpoint endpoint(shared.of_processes[at], shared.of_threads[at]);
  while (!endpoint.exchange(false)) continue;
  while (!shared.over.load()) endpoint.poll();  // what it has sent may still be on its way
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("no shared memory");
  Shared& shared = *new (memory) Shared;
  start_followers(options.threads, [&](int number) { follow(shared, number - 1); });
  const double rate = measure(options, [&](int thread) {
    const auto at = static_cast<std::size_t>(thread);
    auto endpoint = std::make_shared<Endpoint>(shared.of_threads[at], shared.of_processes[at]);
    return [endpoint](bool last) { endpoint->exchange(last); };
  });
  shared.over = true;
  end_followers();
  std::printf("rate %.0f\n", rate);
  return 0;
}
