// libfabric.h — libfabric.so.1, loaded when a job first needs a network. Only its headers are needed to build.
//
// Everything but these functions is reached through tables in libfabric's own objects. The versions of the symbols are
// those of the structures that 1.17's headers declare, which later libraries keep.
//
// libfabric is called in a LibfabricCall. Its pthread functions are those that libmpi_abi.so.1 exports for programs, and
// must not let another strand run while libfabric, or the caller's channel, is halfway through something.
//
// Thread safety: any thread.

#pragma once

#include <pthread.h>
#include <rdma/fabric.h>

#include <cstdint>
#include <memory>

#include "base/error.h"
#include "base/section_without_switch.h"

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

// Calls of libfabric, for a scope: no other strand runs on the worker, and the calling thread is not cancelled in the
// kernel's calls that it makes.
class LibfabricCall {
 public:
  LibfabricCall() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled_); }
  ~LibfabricCall() { pthread_setcancelstate(cancelled_, nullptr); }
  LibfabricCall(const LibfabricCall&) = delete;
  LibfabricCall& operator=(const LibfabricCall&) = delete;

 private:
  int cancelled_ = PTHREAD_CANCEL_ENABLE;
  const WithoutSwitch without_switch_;
};

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
