#include "exec/posix/identity.h"

namespace heddle::posix {

namespace {

// How many such functions the calling strand is in. A handler of the program may come in between and call one.
thread_local constinit int depth = 0;

}  // namespace

bool is_changing_identity() noexcept {
  return depth != 0;
}

ChangingIdentity::ChangingIdentity() noexcept {
  ++depth;
}

ChangingIdentity::~ChangingIdentity() {
  --depth;
}

}  // namespace heddle::posix
