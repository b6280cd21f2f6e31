#include "exec/process/sleep/cancellation.h"

#include <pthread.h>

namespace heddle::process {

namespace {
thread_local constinit ult::Interrupt* interrupt_of_thread = nullptr;
}  // namespace

void adopt_interrupt(ult::Interrupt* interrupt) noexcept {
  interrupt_of_thread = interrupt;
}

ult::Interrupt* cancellation_point() noexcept {
  if (interrupt_of_thread == nullptr) return nullptr;
  int state = PTHREAD_CANCEL_DISABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);  // there is no other way to ask
  if (state == PTHREAD_CANCEL_DISABLE) return nullptr;
  pthread_setcancelstate(state, nullptr);
  return interrupt_of_thread;
}

void act_on_cancellation() {
  adopt_interrupt(nullptr);
  pthread_testcancel();
}

}  // namespace heddle::process
