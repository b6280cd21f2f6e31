#include "net/transport/fabric/libfabric.h"

#include <dlfcn.h>
#include <signal.h>

#include <cstdint>
#include <cstdlib>

namespace heddle::transport {

namespace {

// Libraries that libfabric brings along (libinfinipath) set handlers for crashes when they are
// loaded. This puts those back that were there.
class KeptHandlers {
 public:
  KeptHandlers() noexcept {
    for (int signal = 1; signal < kSignals; ++signal) sigaction(signal, nullptr, &kept_[signal]);
  }
  ~KeptHandlers() {
    for (int signal = 1; signal < kSignals; ++signal) {
      struct sigaction now = {};
      if (sigaction(signal, nullptr, &now) != 0) continue;
      if (handler_of(now) != handler_of(kept_[signal])) sigaction(signal, &kept_[signal], nullptr);
    }
  }
  KeptHandlers(KeptHandlers&&) = delete;

 private:
  static constexpr int kSignals = 32;  // the standard ones
  static std::uintptr_t handler_of(const struct sigaction& action) noexcept {
    return reinterpret_cast<std::uintptr_t>(action.sa_sigaction);
  }
  struct sigaction kept_[kSignals] = {};
};

struct Loaded {
  Libfabric functions;
  const char* missing = nullptr;

  Loaded() noexcept {
    // With this feature ofi_rxm of 1.17 now and then writes a packet to another place of a
    // multi-receive buffer than it tells.
    setenv("FI_OFI_RXM_ENABLE_DYN_RBUF", "0", 0);
    // ofi_rxm posts this many buffers of 16 KiB for each endpoint; by itself 4096, which are 64 MiB
    // a process.
    setenv("FI_OFI_RXM_MSG_RX_SIZE", "512", 0);
    const KeptHandlers handlers;
    void* const handle = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      missing = "the library";
      return;
    }
    look_up(handle, "fi_getinfo", "FABRIC_1.3", functions.get_info);
    look_up(handle, "fi_freeinfo", "FABRIC_1.3", functions.free_info);
    look_up(handle, "fi_dupinfo", "FABRIC_1.3", functions.copy_info);
    look_up(handle, "fi_fabric", "FABRIC_1.1", functions.open_fabric);
    look_up(handle, "fi_strerror", "FABRIC_1.0", functions.text_of);
    look_up(handle, "fi_version", "FABRIC_1.0", functions.version);
  }

  template <class Function>
  void look_up(void* handle, const char* name, const char* version, Function& function) noexcept {
    function = reinterpret_cast<Function>(dlvsym(handle, name, version));
    if (function == nullptr) missing = name;
  }
};

}  // namespace

Error Libfabric::load(const Libfabric** loaded) {
  static const Loaded instance;
  if (instance.missing != nullptr) {
    return Error::make(kErrorOther,
                       "libfabric.so.1 is needed for hosts on several nodes, and %s is missing "
                       "(Debian: apt-get install libfabric1)",
                       instance.missing);
  }
  *loaded = &instance.functions;
  return {};
}

}  // namespace heddle::transport
