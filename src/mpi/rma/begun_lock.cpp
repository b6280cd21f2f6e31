#include "mpi/rma/begun_lock.h"

#include <memory>

#include "base/standing.h"
#include "exec/ult/stillness.h"
#include "mpi/rma/asked.h"
#include "mpi/rma/way.h"

namespace heddle::rma {

BegunLock::BegunLock(int target, Window& window)
    : Visitor(target), target_(target), window_(window), sent_(window.sent(target)) {
  const WantedLock wanted{window_, target_, mode()};
  const ult::NotedWait noted({Standing::mine.call, text_of_lock, &wanted});
  window_.turnstile().enter(*this);
}

Error BegunLock::ask() {
  WindowPacket head = head_of(kLock, target_, window_);
  head.mode = static_cast<std::uint8_t>(mode());
  const WantedLock wanted{window_, target_, mode()};
  Asked asked;
  asked.begin(head, window_);
  Error failed = asked.end(target_, window_, text_of_lock, &wanted);
  if (!failed) is_there();
  return failed;
}

Error BegunLock::await_answer() {
  const std::unique_ptr<PutAnswer> answer(
      sent_.answer.exchange(nullptr, std::memory_order_acq_rel));
  const WantedLock wanted{window_, target_, mode()};
  const ult::NotedWait noted({Standing::mine.call, text_of_lock, &wanted});
  answer->answer.wait();
  sent_.done.store(sent_.bytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
  is_there();
  return error_of(answer->answer.status(), target_, window_);
}

Error BegunLock::await() {
  if (is_wanted()) return ask();
  return flush();
}

Error BegunLock::flush() {
  return state(sent_) == State::kAsked ? await_answer() : Error{};
}

Error BegunLock::unlock() {
  if (is_wanted()) {
    is_there();
    return {};
  }
  WindowPacket head = head_of(kUnlock, target_, window_);
  head.mode = static_cast<std::uint8_t>(mode());
  static_cast<void>(Way(target_, window_).send(head));
  return flush();
}

}  // namespace heddle::rma
