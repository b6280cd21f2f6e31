// libfabric.h — libfabric.so.1, loaded when a job first needs a network. Only its headers are
// needed to build.
//
// Everything but these functions is reached through tables in libfabric's own objects. The versions
// of the symbols are those of the structures that 1.17's headers declare, which later libraries
// keep.
//
// libfabric is called in a LibfabricCall. Its pthread functions are those that libmpi_abi.so.1
// exports for programs, and must not let another strand run while libfabric, or the caller's
// channel, is halfway through something.
//
// Thread safety: any thread.

#pragma once

#include <rdma/fabric.h>

#include <cstdint>
#include <memory>

#include "base/error.h"
#include "net/transport/ports/call.h"

namespace heddle::transport {

struct Libfabric {
  decltype(&fi_getinfo) get_info = nullptr;
  decltype(&fi_freeinfo) free_info = nullptr;
  decltype(&fi_dupinfo) copy_info = nullptr;
  decltype(&fi_fabric) open_fabric = nullptr;
  decltype(&fi_strerror) text_of = nullptr;
  decltype(&fi_version) version = nullptr;

  // Loads it at the first call. Fails with a sentence that says how to get it.
  static Error load(const Libfabric** loaded);
};

using LibfabricCall = NetworkCall;

// Closes what libfabric has opened, or frees what it has made.
struct CloseFid {
  template <class Object>
  void operator()(Object* object) const noexcept {
    const LibfabricCall call;
    static_cast<void>(fi_close(&object->fid));
  }
};
template <class Object>
using Fid = std::unique_ptr<Object, CloseFid>;

struct FreeInfo {
  const Libfabric* library = nullptr;
  void operator()(fi_info* info) const noexcept {
    const LibfabricCall call;
    library->free_info(info);
  }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

}  // namespace heddle::transport
