#include "exec/ult/ult.h"

#include <atomic>
#include <cassert>
#include <cstring>
#include <new>

#include "base/platform/memory.h"
#include "base/sanitizer.h"
#include "exec/ult/alert.h"
#include "exec/ult/move.h"
#include "exec/ult/run/all_ults.h"
#include "exec/ult/run/ult_pool.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/run/worker.h"
#include "exec/ult/run/worker_table.h"

namespace heddle::ult {

thread_local constinit Ult* Ult::current_ = nullptr;

namespace {

// The records and TLS blocks of all ults would fall on the same few cache sets, because mappings
// begin at page boundaries; so each starts a little lower than the one before.
std::size_t next_color() noexcept {
  constexpr std::size_t kColors = 12;
  constexpr std::size_t kStep = std::size_t{5} * 64;
  static std::atomic<std::size_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed) % kColors * kStep;
}

Error no_memory(const char* what, int error) {
  return Error::make(kErrorNoMemory, "no user-level thread could be created: %s: %s", what,
                     std::strerror(error));
}

constinit UltPool idle_ults;

Error make_ult(std::size_t stack_bytes, Ult** out) {
  const std::size_t color = next_color();
  const platform::Mapping mapping =
      platform::map_stack(stack_bytes + Orphan::overhead() + sizeof(Ult) + color);
  if (mapping.low == nullptr) return no_memory("its stack cannot be mapped", ENOMEM);

  char* top = static_cast<char*>(mapping.low) + mapping.bytes - color - sizeof(Ult);
  Ult* ult = new (top) Ult();
  ult->mapping = mapping;
  ult->stack_bytes = stack_bytes;
  const auto usable = static_cast<std::size_t>(top - static_cast<char*>(mapping.low));
  if (int error = ult->orphan.create(mapping.low, usable)) {
    ult->~Ult();
    platform::unmap(mapping);
    return no_memory("its TLS block", error);
  }
  all_ults.add(*ult);
  // relaxed: the list's lock orders it.
  if (stacks_are_executable.load(std::memory_order_relaxed)) platform::make_executable(mapping);
  *out = ult;
  return {};
}

}  // namespace

Error spawn(void (*function)(void*), void* argument, const Attributes& attributes, Ult** out) {
  const std::size_t stack_bytes =
      attributes.stack_bytes != 0 ? attributes.stack_bytes : worker_table().default_stack_bytes;
  Ult* ult = attributes.reusable ? idle_ults.take(stack_bytes) : nullptr;
  if (ult == nullptr) {
    if (Error e = make_ult(stack_bytes, &ult)) return e;
  }
  ult->function = function;
  ult->argument = argument;
  ult->float_modes = heddle::ult::float_modes();
  ult->owner = attributes.owner;
  ult->reusable = attributes.reusable;
  Worker& worker = worker_for(attributes.worker);
  ult->worker.store(&worker, std::memory_order_relaxed);
  worker.add_load(1);
  *out = ult;
  tsan_release(ult);
  Worker::wake_from_afar(*ult);  // the worker makes its context when it finds it
  return {};
}

void join(Ult* ult) noexcept {
  assert(ult != Ult::current_);
  ult->finished.wait();
  // relaxed: it is constant since the ult ended.
  assert(ult->news.load(std::memory_order_relaxed) == 0 && "no alert and no move after the end");
  if (ult->reusable) {
    ult->finished.reset();
    ult->state = State::kCreated;
    if (idle_ults.put(*ult)) return;
  }
  all_ults.remove(*ult);
  ult->orphan.revive_and_join();
  const platform::Mapping mapping = ult->mapping;
  ult->~Ult();
  forget_frames(mapping.low, mapping.bytes);
  platform::unmap(mapping);
}

void end_thread_locals() noexcept {
  run_thread_local_destructors();
}

void forbid_reuse() noexcept {
  Ult::current_->reusable = false;
}

[[gnu::no_sanitize_address]] void finish_current() noexcept {
  Ult* self = Ult::current_;
  run_thread_local_destructors();
  // relaxed: only the record must have left the inbox.
  while (self->news.load(std::memory_order_relaxed) != 0) yield();
  self->alerted.store(false, std::memory_order_relaxed);
  self->turn = {};
  self->count_step();
  // Destructors of keys run in a kernel thread on this TLS block: no ult from now on.
  Ult::set_current(nullptr);
  self->here().finish(*self);
}

Ult* current() noexcept {
  return Ult::current_;
}

bool has_companions() noexcept {
  const Ult* const self = Ult::current_;
  return self != nullptr && self->here().load() > 1;
}

namespace {
constinit std::atomic<void (*)()> alert_handler{nullptr};
}  // namespace

void alert(Ult& ult) noexcept {
  Worker::tell(ult, Ult::kAlert);
}

void alert_self() noexcept {
  if (Ult* const self = Ult::current_) self->alerted.store(true, std::memory_order_relaxed);
}

void set_alert_handler(void (*handler)()) noexcept {
  alert_handler.store(handler, std::memory_order_release);
}

void answer_alert() {
  Ult::current_->alerted.store(false, std::memory_order_relaxed);
  if (auto* const handler = alert_handler.load(std::memory_order_acquire)) handler();
}

void* owner(const Ult& ult) noexcept {
  return ult.owner;
}

int kernel_thread_of(Ult& ult) noexcept {
  const State state = std::atomic_ref(ult.state).load(std::memory_order_relaxed);
  if (state == State::kAway) {
    const WorkerThread* const on = ult.away_on.load(std::memory_order_acquire);
    return on != nullptr ? on->id() : 0;
  }
  // It may have moved since.
  const Worker* const worker = ult.worker.load(std::memory_order_relaxed);
  return state == State::kRunning && worker != nullptr ? worker->kernel_thread() : 0;
}

int worker_of(const Ult& ult) noexcept {
  const Worker* const worker = ult.worker.load(std::memory_order_relaxed);
  return worker != nullptr ? worker->number()
                           : ult.target.load(std::memory_order_relaxed)->number();
}

void move(Ult& ult, int worker) noexcept {
  assert(worker >= 0);
  // relaxed: before the news, which are acq_rel.
  ult.target.store(&worker_for(worker), std::memory_order_relaxed);
  Worker::tell(ult, Ult::kToMove);
}

pthread_t thread_of(const Ult& ult) noexcept {
  return ult.orphan.thread();
}

StackRange stack_of(const Ult& ult) noexcept {
  const auto* top = static_cast<const char*>(ult.orphan.ult_stack_top());
  return {ult.mapping.low, static_cast<std::size_t>(top - static_cast<char*>(ult.mapping.low))};
}

UltMemory memory_of(const Ult& ult) noexcept {
  return {ult.mapping.low, ult.mapping.bytes};
}

}  // namespace heddle::ult
