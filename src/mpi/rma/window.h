// window.h — what a window is (MPI 5.0 §12.2), as one rank sees it.
//
//   Window (of a rank) ──► Comm        a duplicate for the library's own collectives
//                      ──► Part        what all members have in common: memory, locks, counters
//                      ──► Epochs      which epochs the rank has open
//                      ──► own memory  of MPI_Win_allocate; of a dynamic window its regions
//
// At a member of the same process a put is a copy by the origin, which is over when the call
// returns, for origin and target. So no call that ends an epoch has anything to wait for but other
// ranks' calls. At a member of another process it is the same where its memory is mapped (part.h),
// else a packet (remote.h).
//
// Thread safety: what is constant needs no lock; name, errhandler, info and attributes are guarded
// inside; counts of starts and posts are those of the strand that makes such calls.

#pragma once

#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/spin_lock.h"
#include "mpi/attribute/attributes.h"
#include "mpi/comm/comm.h"
#include "mpi/error/errhandler.h"
#include "mpi/info/info.h"
#include "mpi/object/handle_table.h"
#include "mpi/rma/epochs.h"
#include "mpi/rma/part.h"
#include "mpi/rma/turnstile.h"

namespace heddle::rma {

struct PutAnswer;

class Window final : public object::Object {
 public:
  // `flavor`: MPI_WIN_FLAVOR_…. Joins the part, and makes no use of other members yet.
  Window(int flavor, object::Ref<comm::Comm> own, world::ContextId context);

  comm::Comm& comm() const noexcept { return *comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  int flavor() const noexcept { return flavor_; }
  world::ContextId context() const noexcept { return context_; }  // of its part

  Part& part() const noexcept { return part_; }
  Member& member(int rank) const noexcept { return part_.member(rank); }
  Member& mine() const noexcept { return member(rank_); }
  MemberWords& words() const noexcept { return part_.words().member(rank_); }  // of the rank
  Epochs& epochs() noexcept { return epochs_; }

  // Own memory, which ends with the window. Before the members meet.
  void keep_memory(void* memory) noexcept { memory_.reset(memory); }
  Regions& regions() noexcept { return regions_; }

  // What the rank has sent to a member of another process by accesses without an answer: bytes, and
  // how many of these a flush has found done. Both only grow: threads of the rank flush at once.
  struct Sent {
    std::atomic<std::uint64_t> bytes{0}, done{0};
    // What a put since the last flush waits for, and the next flush takes; null: none asked. A
    // window is freed outside of epochs, and so after a flush.
    std::atomic<PutAnswer*> answer{nullptr};
    // A lock that the rank has begun to take (begun_lock.h).
    enum class Lock : std::uint8_t { kNone, kWanted, kAsked };
    std::atomic<Lock> lock{Lock::kNone};
    LockMode mode = LockMode::kShared;

    bool is_unflushed() const noexcept {
      return done.load(std::memory_order_relaxed) < bytes.load(std::memory_order_relaxed);
    }
  };
  Sent& sent(int rank) noexcept { return sent_[static_cast<std::size_t>(rank)]; }
  Turnstile& turnstile() noexcept { return turnstile_; }  // of strands with begun locks
  // A member in each other process; none is known at first. Set once, while the window is made:
  // from then on their packets are looked after, also while the program computes.
  const std::vector<int>& others() const noexcept { return others_; }
  Error set_others(std::vector<int> members);
  bool is_looked_after() const noexcept { return is_looked_after_; }
  // Its end, or that of the rank's use of MPI.
  void end_looking_after() noexcept;

  // What the rank has started and posted. Of the strand that makes such calls.
  struct Exposure {
    std::vector<int> started;          // the targets of the open start, in the order of its group
    std::vector<std::uint32_t> taken;  // by target: starts that have named it
    std::uint32_t completes = 0;       // that have come, or will come for posts until now
  };
  Exposure& exposure() noexcept { return exposure_; }

  object::Ref<error::Errhandler> errhandler() const noexcept;
  void set_errhandler(object::Ref<error::Errhandler> handler) noexcept;
  std::string name() const;
  void set_name(std::string name);
  // The hints that are in use. Immutable: a change replaces them.
  object::Ref<info::Info> info() const noexcept;
  void set_info(object::Ref<info::Info> info) noexcept;
  bool has_no_locks() const noexcept { return no_locks_.load(std::memory_order_relaxed); }
  attribute::Attributes& attributes() noexcept { return attributes_; }

  // What the predefined attributes point to.
  struct Facts {
    MPI_Aint size;
    int unit, flavor, model;
  };
  Facts& facts() noexcept { return facts_; }

 private:
  ~Window() override;

  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };

  const object::Ref<comm::Comm> comm_;
  const int rank_, size_, flavor_;
  const world::ContextId context_;
  std::unique_ptr<void, Free> memory_;
  Regions regions_;
  Part& part_;
  Epochs epochs_;
  Exposure exposure_;
  std::vector<int> others_;
  bool is_looked_after_ = false;
  const std::unique_ptr<Sent[]> sent_;
  Turnstile turnstile_;
  Facts facts_{};
  std::atomic<bool> no_locks_{false};  // what the hint of that name says

  // Lock: guards name, error handler and info of one window.
  mutable SpinLock lock_;
  object::Ref<error::Errhandler> errhandler_ GUARDED_BY(lock_);
  object::Ref<info::Info> info_ GUARDED_BY(lock_);
  std::string name_ GUARDED_BY(lock_);
  attribute::Attributes attributes_;  // locks by itself
};

// nullptr if the handle is not a window of the calling rank, MPI_WIN_NULL included.
[[gnu::always_inline]] inline Window* from_handle(MPI_Win handle) noexcept {
  if (Window* own = object::find_at_once<Window>(object::Kind::kWin, handle)) return own;
  return object::find_as<Window>(object::Kind::kWin, handle);
}

// How error messages name it: its name in quotes, or "the window 0x…".
std::string describe(const Window& window);

}  // namespace heddle::rma
