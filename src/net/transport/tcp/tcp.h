// tcp.h — the transport over TCP streams of our own, between hosts of different nodes: what a job
// uses where libfabric has nothing better than its tcp (runtime/ways/launched_way.h).
//
//   Transport ─┬─ Endpoint 0 ── Port 0 (port.h): a door, and a stream to each host it talks with
//              ├─ Endpoint 1 ── Port 1
//              └─ …           └────┴── Watcher (ports/watcher.h): sleeps at the ports' descriptors
//
// A stream begins with a greeting in which both ends prove that they belong to the job (net/door).
// Then it carries frames (frame.h): packets, and memory that one host reads from another's.
//
// How a host ends (T7): as with libfabric (fabric/fabric.h): the port passes to the watcher, which
// sends the rest and farewells.
//
// Thread safety: see transport.h. TcpFactory: open() one thread; lose() any.

#pragma once

#include <memory>
#include <string_view>

#include "net/door/secret.h"
#include "net/transport/factory.h"

namespace heddle::transport {

struct TcpOptions {
  int hosts = 0;            // of the job
  door::Secret secret;      // of the job, the same on all hosts
  bool on_one_node = true;  // the loopback alone
  int longest_parting_ms = 10'000;
  // An address may take this long to connect or, if there are others, to answer; a host that cannot
  // be connected to is lost.
  int longest_greeting_ms = 5000, longest_try_ms = 10'000;
};

class TcpFactory final : public Factory {
 public:
  explicit TcpFactory(const TcpOptions& options);
  ~TcpFactory() override;  // waits for the ports that part, if no transport is left

  std::string_view name() const noexcept override { return "TCP"; }
  bool reaches(const Location&, const Location&) const noexcept override { return true; }
  Error open(const Opening& opening, std::unique_ptr<Transport>* made) override;

  // From now on this host of the job is lost to the others of this process, and they to it.
  void lose(int host) noexcept;

 private:
  struct Shared;  // several transports if hosts are pretended
  const std::shared_ptr<Shared> shared_;
};

}  // namespace heddle::transport
