#include "exec/process/sleep/cancellation.h"

#include <errno.h>
#include <pthread.h>

#include <utility>

namespace heddle::process {

namespace {
thread_local constinit ult::Interrupt* interrupt_of_thread = nullptr;
thread_local constinit int type_of_ult = PTHREAD_CANCEL_DEFERRED;
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

bool is_asynchronous() noexcept {
  return type_of_ult == PTHREAD_CANCEL_ASYNCHRONOUS;
}

void act_on_cancellation() {
  adopt_interrupt(nullptr);
  pthread_testcancel();
}

int set_cancel_type_of_ult(int type, int* old) {
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  const int before = std::exchange(type_of_ult, type);
  if (old != nullptr) *old = before;
  if (type == PTHREAD_CANCEL_ASYNCHRONOUS) pthread_testcancel();
  return 0;
}

}  // namespace heddle::process
