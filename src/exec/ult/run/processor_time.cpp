#include "exec/ult/processor_time.h"

#include "exec/ult/run/meter.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/run/worker.h"
#include "exec/ult/run/worker_table.h"

namespace heddle::ult {

void adopt_account(Account* account) noexcept {
  set_current_account(account);
  if (!metering()) return;
  if (const Ult* self = Ult::current_) self->here().meter().turn_to(account);
}

void begin_metering() noexcept {
  if (!start_metering()) return;
  Worker::attend_each_switch();
  charge_now();
}

void charge_now() noexcept {
  if (const Ult* self = Ult::current_) {
    self->here().meter().turn_to(current_account(), Settle::kNow);
  }
}

std::int64_t charged_by_worker(int worker) noexcept {
  return worker_for(worker).meter().charged_ns();
}

}  // namespace heddle::ult
