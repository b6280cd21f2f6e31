// call.h — what a call into a network library, or of the kernel for a network, needs: for a scope
// no other strand runs on the worker, and the calling thread is not cancelled in the kernel's calls
// that it makes.
//
// Thread safety: the calling thread's.

#pragma once

#include <pthread.h>

#include "base/standing.h"

namespace heddle::transport {

class NetworkCall {
 public:
  NetworkCall() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled_); }
  ~NetworkCall() { pthread_setcancelstate(cancelled_, nullptr); }
  NetworkCall(NetworkCall&&) = delete;

 private:
  int cancelled_ = PTHREAD_CANCEL_ENABLE;
  const Within<Standing::kSection> section_;
};

}  // namespace heddle::transport
