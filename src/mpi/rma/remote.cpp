#include "mpi/rma/remote.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "base/standing.h"
#include "exec/ult/stillness.h"
#include "mpi/rma/answer.h"
#include "mpi/rma/element_runs.h"
#include "mpi/rma/way.h"

namespace heddle::rma::remote {

using datatype::Address;
using datatype::Buffer;
using datatype::ConstBuffer;

namespace {

constexpr std::size_t kAtOnce = 16;  // answers that a call waits for

std::string text_of_answer(const void* subject) {
  return "an answer from the process of rank " + std::to_string(*static_cast<const int*>(subject)) +
         " of the window";
}

Error error_of(int status, int target, const Window& window) {
  if (status == MPI_SUCCESS) return {};
  return Error::make(status,
                     "an access of rank %d in %s failed there: it touched bytes that are not in "
                     "the window",
                     target, describe(window).c_str());
}

// Asks, and waits for the answer; `text` and `subject` are for reports.
Error ask(const WindowPacket& head, Window& window, std::string (*text)(const void*),
          const void* subject) {
  const ult::NotedWait noted({Standing::mine.call, text, subject});
  int status = MPI_SUCCESS;
  if (!ask_and_wait(head, window, &status)) return no_memory();
  return error_of(status, head.target, window);
}

// An access, cut into packets.
class Transfer {
 public:
  Transfer(Access access, const Place& place, MPI_Aint offset, MPI_Count bytes,
           const Combination* what, Window& window)
      : way_(place.rank, window), head_(head_of(kAccess, place.rank, window)) {
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

  bool is_over() const noexcept { return next_ == runs_.size(); }

  // The next packet's part of the packed form.
  struct Part {
    MPI_Count skip, bytes;
  };
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

  // Sends what was taken; `write(data)` writes `bytes` of data. False: there is no memory.
  template <class Write>
  bool send(std::uint64_t waiting, std::size_t bytes, Write write) {
    head_.runs = static_cast<std::uint32_t>(taken_.size());
    head_.waiting = waiting;
    const std::size_t table = taken_.size() * sizeof(TargetRun);
    channel::PackedPacket* const packet = way_.make(head_, table + bytes);
    if (packet == nullptr) return false;
    std::memcpy(packet->body(), taken_.data(), table);
    if (bytes != 0) write(packet->body() + table);
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
  std::size_t unit_ = 1;                 // bytes that stay together
  std::vector<TargetRun> runs_, taken_;  // in packed order; of whole elements
  std::size_t next_ = 0;
  MPI_Count done_ = 0;
};

// Sends all of it with the origin's data; a flush asks whether it has been done.
Error give(Transfer& transfer, ConstBuffer origin, int target, Window& window) {
  while (!transfer.is_over()) {
    const Transfer::Part part = transfer.take();
    const bool sent = transfer.send(0, static_cast<std::size_t>(part.bytes), [&](std::byte* data) {
      datatype::pack(origin, part.skip, data, part.bytes);
    });
    if (!sent) return no_memory();
    Window::Sent& sent_there = window.sent(target);
    // relaxed, as in flush(): a thread that flushes what another one has put has been told of it.
    const std::uint64_t bytes = sent_there.bytes.fetch_add(static_cast<std::uint64_t>(part.bytes),
                                                           std::memory_order_relaxed) +
                                static_cast<std::uint64_t>(part.bytes);
    if (bytes - sent_there.done.load(std::memory_order_relaxed) > kMostUnflushed) {
      if (Error e = remote::flush(target, window)) return e;
    }
  }
  return {};
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
Error exchange(Transfer& transfer, ConstBuffer origin, Buffer result, int target, Window& window) {
  const ult::NotedWait noted({Standing::mine.call, text_of_answer, &target});
  std::deque<Answer> answers;
  int status = MPI_SUCCESS;
  while (!transfer.is_over() && status == MPI_SUCCESS) {
    const Transfer::Part part = transfer.take();
    const std::uint64_t waiting = name(answers.emplace_back(result, part.skip, part.bytes));
    const std::size_t carried = origin.type != nullptr ? static_cast<std::size_t>(part.bytes) : 0;
    const bool sent = transfer.send(waiting, carried, [&](std::byte* data) {
      datatype::pack(origin, part.skip, data, part.bytes);
    });
    if (!sent) {
      forget(waiting);
      answers.pop_back();
      status = MPI_ERR_NO_MEM;
    }
    if (answers.size() == kAtOnce) status = wait_for(answers, status);
  }
  status = wait_for(answers, status);
  return status == MPI_ERR_NO_MEM ? no_memory() : error_of(status, target, window);
}

// For reports of a lock that is waited for.
struct WantedLock {
  const Window& window;
  int target;
  LockMode mode;
};

std::string text_of_lock(const void* subject) {
  const auto& wanted = *static_cast<const WantedLock*>(subject);
  if (wanted.mode == LockMode::kPass) {
    return "the end of exclusive locks in the process of rank " + std::to_string(wanted.target) +
           " in " + describe(wanted.window);
  }
  return std::string(wanted.mode == LockMode::kExclusive ? "the exclusive" : "a shared") +
         " lock of rank " + std::to_string(wanted.target) + " in " + describe(wanted.window);
}

}  // namespace

Error put(ConstBuffer origin, const Place& place, MPI_Aint offset, MPI_Count bytes,
          Window& window) {
  Transfer transfer(Access::kPut, place, offset, bytes, nullptr, window);
  return give(transfer, origin, place.rank, window);
}

Error get(Buffer origin, const Place& place, MPI_Aint offset, MPI_Count bytes, Window& window) {
  Transfer transfer(Access::kGet, place, offset, bytes, nullptr, window);
  return exchange(transfer, {}, origin, place.rank, window);
}

Error combine(ConstBuffer origin, Buffer result, const Place& place, MPI_Aint offset,
              MPI_Count bytes, const Combination& what, Window& window) {
  const bool fetches = result.type != nullptr;
  Transfer transfer(fetches ? Access::kFetch : Access::kCombine, place, offset, bytes, &what,
                    window);
  return fetches ? exchange(transfer, origin, result, place.rank, window)
                 : give(transfer, origin, place.rank, window);
}

Error swap_if_equal(const void* origin, const void* compare, void* result, const Place& place,
                    MPI_Aint offset, Window& window) {
  const MPI_Count bytes = place.type->size();
  const auto length = static_cast<std::size_t>(bytes);
  Transfer transfer(Access::kSwap, place, offset, bytes, nullptr, window);
  const ult::NotedWait noted({Standing::mine.call, text_of_answer, &place.rank});
  transfer.take();
  Answer answer({result, 1, place.type}, 0, bytes);
  const std::uint64_t waiting = name(answer);
  const bool sent = transfer.send(waiting, 2 * length, [&](std::byte* data) {
    std::memcpy(data, compare, length);
    std::memcpy(data + length, origin, length);
  });
  if (!sent) {
    forget(waiting);
    return no_memory();
  }
  answer.wait();
  return error_of(answer.status(), place.rank, window);
}

Error flush(int target, Window& window) {
  Window::Sent& sent = window.sent(target);
  const std::uint64_t bytes = sent.bytes.load(std::memory_order_relaxed);
  std::uint64_t done = sent.done.load(std::memory_order_relaxed);
  if (done >= bytes) return {};
  Error failed = ask(head_of(kFlush, target, window), window, text_of_answer, &target);
  // Only now: until then another thread's flush must ask, too.
  while (done < bytes && !sent.done.compare_exchange_weak(done, bytes, std::memory_order_relaxed)) {
  }
  return failed;
}

Error flush_all(Window& window) {
  if (window.others().empty() || window.part().is_mapped()) return {};
  Error first;
  for (int target = 0; target < window.size(); ++target) {
    Error error = remote::flush(target, window);
    if (error && !first) first = std::move(error);
  }
  return first;
}

Error lock(int target, LockMode mode, Window& window) {
  WindowPacket head = head_of(kLock, target, window);
  head.mode = static_cast<std::uint8_t>(mode);
  const WantedLock wanted{window, target, mode};
  return ask(head, window, text_of_lock, &wanted);
}

void unlock(int target, LockMode mode, Window& window) {
  WindowPacket head = head_of(kUnlock, target, window);
  head.mode = static_cast<std::uint8_t>(mode);
  static_cast<void>(Way(target, window).send(head));
}

Error lock_all(Window& window) {
  if (window.part().is_mapped()) return {};
  for (const int member : window.others()) {
    const WantedLock wanted{window, member, LockMode::kPass};
    if (Error e = ask(head_of(kLockAll, member, window), window, text_of_lock, &wanted)) return e;
  }
  return {};
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
