// provider.h — which of libfabric's providers carries the packets, and the fabric that it opens.
//
// A provider must have reliable datagrams (FI_EP_RDM) that keep order (FI_ORDER_SAS). Of those that
// do the first is taken, in libfabric's own order, which begins with fast networks. Not taken by
// itself, but if it is named, as by libfabric's own variable FI_PROVIDER:
//
//   net, sockets      never let a thread sleep at the queue, or are kept for old programs only
//   tcp;ofi_rxm       where tcp has reliable datagrams of its own (libfabric 2)
//   shm, sm2, lnx     do not leave the node
//   udp;ofi_rxd       slow
//
// Multi-receive buffers and remote reads are used where the provider has them.
//
// Thread safety: one thread.

#pragma once

#include <string>

#include "net/transport/fabric/libfabric.h"

namespace heddle::transport {

struct Provider {
  const Libfabric* library = nullptr;
  Info info;
  Fid<fid_fabric> fabric;
  bool multi_receive = false;
  bool remote_read = false;

  struct Wanted {
    const std::string& name;    // empty: the first suitable one
    const std::string& source;  // the address to be reached at; empty: any
    bool multi_receive;
  };
  static Error open(const Wanted& wanted, Provider* opened);

  std::string name() const { return info->fabric_attr->prov_name; }
  Error failed(const char* what, long code) const;
};

}  // namespace heddle::transport
