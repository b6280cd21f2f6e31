#include "exec/ult/completion.h"

#include <cassert>

#include "exec/ult/impl/worker.h"

namespace heddle::ult {

void Completion::wait_slow() noexcept {
  if (Ult* self = Ult::current_) {
    if (!self->worker->has_ready() && self->worker->spin_for(*this)) return;
  }
  if (!enroll(Strand::current())) return;
  Strand::park();
  assert(done() && "some wake-up was not absorbed by whoever asked for it");
}

}  // namespace heddle::ult
