#include "mpi/rma/remote.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/standing.h"
#include "exec/ult/stillness.h"
#include "mpi/rma/answer.h"
#include "mpi/rma/asked.h"
#include "mpi/rma/begun_lock.h"
#include "mpi/rma/element_runs.h"
#include "mpi/rma/way.h"

namespace heddle::rma::remote {

using datatype::Address;
using datatype::Buffer;
using datatype::ConstBuffer;

namespace {

constexpr std::size_t kAtOnce = 16;  // answers that a call waits for

// An access, cut into packets.
class Transfer {
 public:
  Transfer(Access access, const Place& place, MPI_Aint offset, MPI_Count bytes,
           const Combination* what, Window& window)
      : way_(place.rank, window), head_(head_of(kAccess, place.rank, window)), bytes_(bytes) {
    head_.access = access;
    if (what != nullptr) {
      head_.element = constant(what->element.named());
      head_.op = static_cast<std::uint32_t>(what->op.handle());
      unit_ = static_cast<std::size_t>(what->element.size());
    }
    const datatype::Datatype& element = what != nullptr ? what->element : datatype::named(MPI_BYTE);
    ElementRuns found(element, [this, joins = element.dense()](Address at, MPI_Count length) {
      add(at, static_cast<std::uint64_t>(length), joins);
    });
    datatype::walk_buffer(reinterpret_cast<const void*>(offset), *place.type, 0, bytes, found);
  }

  int target() const noexcept { return head_.target; }
  bool is_over() const noexcept { return next_ == runs_.size(); }

  // True if it may take a lock along: it is one packet, of which the target may keep a copy.
  bool is_small() const noexcept {
    const std::size_t carried = static_cast<std::size_t>(bytes_) + runs_.size() * sizeof(TargetRun);
    return carried <= std::min(kMostWithLock, way_.room());
  }
  // Before it is sent.
  void take_along(LockMode mode) noexcept {
    head_.kind = kLockedAccess;
    head_.mode = static_cast<std::uint8_t>(mode);
  }

  // The next packet's part of the packed form.
  struct Part {
    MPI_Count skip, bytes;
  };
  // The bytes of the origin's data that go with it. A swap has two elements for one.
  MPI_Count carried(const ConstBuffer& origin, const Part& part) const noexcept {
    if (origin.type == nullptr) return 0;
    return head_.access == Access::kSwap ? 2 * part.bytes : part.bytes;
  }
  Part take() {
    taken_.clear();
    std::size_t room = way_.room();
    Part part{done_, 0};
    while (next_ < runs_.size() && room >= sizeof(TargetRun) + unit_) {
      TargetRun& run = runs_[next_];
      const std::size_t most = (room - sizeof(TargetRun)) / unit_ * unit_;
      const std::uint64_t bytes = std::min<std::uint64_t>(run.bytes, most);
      taken_.push_back({run.at, bytes});
      room -= sizeof(TargetRun) + static_cast<std::size_t>(bytes);
      part.bytes += static_cast<MPI_Count>(bytes);
      run = {run.at + bytes, run.bytes - bytes};
      if (run.bytes == 0) ++next_;
    }
    done_ += part.bytes;
    return part;
  }

  // Sends what was taken, with `bytes` bytes of data: from `skip` of the packed form on. False:
  // there is no memory.
  bool send(std::uint64_t waiting, ConstBuffer data, MPI_Count skip, MPI_Count bytes) {
    head_.runs = static_cast<std::uint32_t>(taken_.size());
    head_.waiting = waiting;
    const auto length = static_cast<std::size_t>(bytes);
    const void* const adjacent = bytes != 0 ? datatype::adjacent(data) : nullptr;
    if (taken_.size() == 1 && (bytes == 0 || adjacent != nullptr)) {
      const HeadOfOneRun head{head_, taken_.front()};
      return way_.send(std::as_bytes(std::span(&head, 1)),
                       {static_cast<const std::byte*>(adjacent) + skip, length});
    }
    const std::size_t table = taken_.size() * sizeof(TargetRun);
    channel::PackedPacket* const packet = way_.make(head_, table + length);
    if (packet == nullptr) return false;
    std::memcpy(packet->body(), taken_.data(), table);
    if (bytes != 0) datatype::pack(data, skip, packet->body() + table, bytes);
    way_.put(*packet);
    return true;
  }

 private:
  void add(Address at, std::uint64_t bytes, bool joins) {
    if (joins && !runs_.empty() && runs_.back().at + runs_.back().bytes == at) {
      runs_.back().bytes += bytes;
    } else {
      runs_.push_back({at, bytes});
    }
  }
  static std::uint32_t constant(MPI_Datatype handle) noexcept {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
  }

  const Way way_;
  WindowPacket head_;
  const MPI_Count bytes_;
  std::size_t unit_ = 1;                 // bytes that stay together
  std::vector<TargetRun> runs_, taken_;  // in packed order; of whole elements
  std::size_t next_ = 0;
  MPI_Count done_ = 0;
};

// Sends all of it with the origin's data. The last packet asks for an answer, unless one is under
// way since the last flush.
Error give_now(Transfer& transfer, ConstBuffer origin, Window& window) {
  const int target = transfer.target();
  Window::Sent& sent = window.sent(target);
  std::unique_ptr<PutAnswer> answer;
  // relaxed, as in Flush: a thread that flushes what another one has put has been told of it.
  std::uint64_t all = sent.bytes.load(std::memory_order_relaxed);
  bool alone = true;  // no other thread has put meanwhile
  while (!transfer.is_over()) {
    const Transfer::Part part = transfer.take();
    if (transfer.is_over() && sent.answer.load(std::memory_order_relaxed) == nullptr) {
      answer = std::make_unique<PutAnswer>();
      answer->name = name(answer->answer);
    }
    if (!transfer.send(answer ? answer->name : 0, origin, part.skip, part.bytes)) {
      if (answer) forget(answer->name);
      return no_memory();
    }
    const auto bytes = static_cast<std::uint64_t>(part.bytes);
    alone &= sent.bytes.fetch_add(bytes, std::memory_order_relaxed) == all;
    all += bytes;
    if (answer) break;
    if (all - sent.done.load(std::memory_order_relaxed) > kMostUnflushed) {
      if (Error e = remote::flush(target, window)) return e;
    }
  }
  if (!answer) return {};
  // What was counted before the packet left is done when it is.
  if (alone) answer->covers = all;
  answer.reset(sent.answer.exchange(answer.release(), std::memory_order_acq_rel));
  if (!answer) return {};
  // Another thread was quicker. Its answer is waited for here, and no flush hears of it any more.
  answer->answer.wait();
  return error_of(answer->answer.status(), target, window);
}

// Waits for all answers; the first class of an error, else `status`.
int wait_for(std::deque<Answer>& answers, int status) noexcept {
  for (Answer& answer : answers) {
    answer.wait();
    if (status == MPI_SUCCESS) status = answer.status();
  }
  answers.clear();
  return status;
}

// Sends all of it, with the origin's data unless these are null; the answers go into `result`.
// `text` and `subject` are for reports.
Error exchange_now(Transfer& transfer, ConstBuffer origin, Buffer result, const Window& window,
                   std::string (*text)(const void*), const void* subject) {
  const ult::NotedWait noted({Standing::mine.call, text, subject});
  std::deque<Answer> answers;
  int status = MPI_SUCCESS;
  while (!transfer.is_over() && status == MPI_SUCCESS) {
    const Transfer::Part part = transfer.take();
    const std::uint64_t waiting = name(answers.emplace_back(result, part.skip, part.bytes));
    if (!transfer.send(waiting, origin, part.skip, transfer.carried(origin, part))) {
      forget(waiting);
      answers.pop_back();
      status = MPI_ERR_NO_MEM;
    }
    if (answers.size() == kAtOnce) status = wait_for(answers, status);
  }
  status = wait_for(answers, status);
  return status == MPI_ERR_NO_MEM ? no_memory() : error_of(status, transfer.target(), window);
}

// They find out first whether the target's lock is to be taken (begun_lock.h).
Error give(Transfer& transfer, ConstBuffer origin, Window& window) {
  const int target = transfer.target();
  if (!transfer.is_over() && BegunLock::is_begun(target, window)) [[unlikely]] {
    BegunLock lock(target, window);
    if (lock.is_wanted() && transfer.is_small()) {
      transfer.take_along(lock.mode());
      Error failed = give_now(transfer, origin, window);
      if (!failed) lock.is_asked();
      return failed;
    }
    if (Error e = lock.await()) return e;
  }
  return give_now(transfer, origin, window);
}

Error exchange(Transfer& transfer, ConstBuffer origin, Buffer result, Window& window) {
  const int target = transfer.target();
  if (!transfer.is_over() && BegunLock::is_begun(target, window)) [[unlikely]] {
    BegunLock lock(target, window);
    if (lock.is_wanted() && transfer.is_small()) {
      transfer.take_along(lock.mode());
      const WantedLock wanted{window, target, lock.mode()};
      Error failed = exchange_now(transfer, origin, result, window, text_of_lock, &wanted);
      if (!failed || failed.error_class() != MPI_ERR_NO_MEM) lock.is_there();
      return failed;
    }
    if (Error e = lock.await()) return e;
  }
  return exchange_now(transfer, origin, result, window, text_of_answer, &target);
}

// Waits until what was put at the target before has been done: for the answer of the first put
// since the last flush if there was no other, else it asks.
class Flush {
 public:
  Flush(int target, Window& window)
      : target_(target),
        window_(window),
        sent_(window.sent(target)),
        bytes_(sent_.bytes.load(std::memory_order_relaxed)) {
    if (!sent_.is_unflushed()) return;
    of_put_.reset(sent_.answer.exchange(nullptr, std::memory_order_acq_rel));
    asks_ = !of_put_ || of_put_->covers != bytes_;
    if (asks_) asked_.begin(head_of(kFlush, target, window), window);
  }
  Flush(Flush&&) = delete;

  Error end() {
    Error failed;
    if (of_put_) {
      const ult::NotedWait noted({Standing::mine.call, text_of_answer, &target_});
      of_put_->answer.wait();
      failed = error_of(of_put_->answer.status(), target_, window_);
    }
    if (asks_) {
      Error error = asked_.end(target_, window_, text_of_answer, &target_);
      if (!failed) failed = std::move(error);
    }
    // Only now: until then another thread's flush must ask, too.
    std::uint64_t done = sent_.done.load(std::memory_order_relaxed);
    while (done < bytes_ &&
           !sent_.done.compare_exchange_weak(done, bytes_, std::memory_order_relaxed)) {
    }
    return failed;
  }

 private:
  const int target_;
  Window& window_;
  Window::Sent& sent_;
  const std::uint64_t bytes_;
  std::unique_ptr<PutAnswer> of_put_;
  bool asks_ = false;
  Asked asked_;
};

}  // namespace

Error put(ConstBuffer origin, const Place& place, MPI_Aint offset, MPI_Count bytes,
          Window& window) {
  Transfer transfer(Access::kPut, place, offset, bytes, nullptr, window);
  return give(transfer, origin, window);
}

Error get(Buffer origin, const Place& place, MPI_Aint offset, MPI_Count bytes, Window& window) {
  Transfer transfer(Access::kGet, place, offset, bytes, nullptr, window);
  return exchange(transfer, {}, origin, window);
}

Error combine(const ConstBuffer& origin, const Buffer& result, const Place& place, MPI_Aint offset,
              MPI_Count bytes, const Combination& what, Window& window) {
  const bool fetches = result.type != nullptr;
  Transfer transfer(fetches ? Access::kFetch : Access::kCombine, place, offset, bytes, &what,
                    window);
  return fetches ? exchange(transfer, origin, result, window) : give(transfer, origin, window);
}

Error swap_if_equal(const void* origin, const void* compare, void* result, const Place& place,
                    MPI_Aint offset, Window& window) {
  const MPI_Count bytes = place.type->size();
  const auto length = static_cast<std::size_t>(bytes);
  std::vector<std::byte> both(2 * length);
  std::memcpy(both.data(), compare, length);
  std::memcpy(both.data() + length, origin, length);
  Transfer transfer(Access::kSwap, place, offset, bytes, nullptr, window);
  return exchange(transfer, datatype::bytes_at(both.data(), 2 * bytes), {result, 1, place.type},
                  window);
}

Error flush(int target, Window& window) {
  if (BegunLock::is_begun(target, window)) [[unlikely]] {
    if (Error e = BegunLock(target, window).flush()) return e;
  }
  return Flush(target, window).end();
}

// Asks all, and then waits.
Error flush_all(Window& window) {
  if (window.others().empty() || window.part().is_mapped()) return {};
  std::deque<Flush> flushes;
  Error first;
  for (int target = 0; target < window.size(); ++target) {
    if (BegunLock::is_begun(target, window)) [[unlikely]] {
      Error error = BegunLock(target, window).flush();
      if (error && !first) first = std::move(error);
    }
    if (window.sent(target).is_unflushed()) flushes.emplace_back(target, window);
  }
  for (Flush& flush : flushes) {
    Error error = flush.end();
    if (error && !first) first = std::move(error);
  }
  return first;
}

void lock(int target, LockMode mode, Window& window) {
  BegunLock::begin(target, mode, window);
}

Error unlock(int target, LockMode mode, Window& window) {
  if (BegunLock::is_begun(target, window)) {
    BegunLock lock(target, window);
    if (lock.is_begun()) return lock.unlock();
  }
  Error failed = Flush(target, window).end();
  WindowPacket head = head_of(kUnlock, target, window);
  head.mode = static_cast<std::uint8_t>(mode);
  static_cast<void>(Way(target, window).send(head));
  return failed;
}

Error lock_all(Window& window) {
  if (window.part().is_mapped()) return {};
  std::deque<Asked> asked;
  for (const int member : window.others()) {
    asked.emplace_back().begin(head_of(kLockAll, member, window), window);
  }
  Error first;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const int member = window.others()[i];
    const WantedLock wanted{window, member, LockMode::kPass};
    Error error = asked[i].end(member, window, text_of_lock, &wanted);
    if (error && !first) first = std::move(error);
  }
  return first;
}

void unlock_all(Window& window) {
  if (window.part().is_mapped()) return;
  for (const int member : window.others()) {
    static_cast<void>(Way(member, window).send(head_of(kUnlockAll, member, window)));
  }
}

void post(int origin, Window& window) {
  WindowPacket head = head_of(kPost, window.rank(), window);
  head.origin = origin;
  static_cast<void>(Way(origin, window).send(head));
}

void complete(int target, Window& window) {
  static_cast<void>(Way(target, window).send(head_of(kComplete, target, window)));
}

}  // namespace heddle::rma::remote
