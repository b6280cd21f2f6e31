#include "exec/ult/shared_work.h"

#include <setjmp.h>

#include <array>
#include <bit>
#include <cassert>

#include "base/platform/signals.h"
#include "base/schedule_point.h"
#include "base/standing.h"
#include "exec/ult/completion.h"
#include "exec/ult/idle/help.h"
#include "exec/ult/idle/sleepers.h"
#include "exec/ult/idle/whereabouts.h"
#include "exec/ult/strand.h"

namespace heddle::ult {

constinit WantedHelp wanted_help;

namespace {

// More share a memory bus that a few of them fill.
constexpr std::uint32_t kMostHelpers = 7;

// From this number of parts on, enough are left when a core has woken up.
constexpr std::uint32_t kWorthWaking = 128;

constexpr std::uint32_t kHelpers = 0xffff;
constexpr std::uint32_t kOpen = 1U << 16;
constexpr std::uint32_t kOwned = 1U << 17;

}  // namespace

struct alignas(platform::kCacheLine) WorkSlot {
  std::atomic<std::uint32_t> members{0};
  SharedWork* work = nullptr;
  std::atomic<int> numa_node{0};  // a helper looks at it before it joins
  Completion all_left;

  // The parts that are not taken: from the front in the lower half to before the back in the upper.
  // relaxed throughout: a helper that takes one has joined.
  alignas(platform::kCacheLine) std::atomic<std::uint64_t> parts{0};

  // For the owner when all have left. No helper takes another part when there is one, so there are
  // at most as many as there are helpers at a time. relaxed, as `parts`.
  std::atomic<std::uint32_t> given_back_count{0};
  std::array<std::uint32_t, kMostHelpers> given_back{};
};

namespace {

constexpr std::size_t kSlots = 32;
constinit std::array<WorkSlot, kSlots> slots;

// Where this thread was before the part of another strand's work that it is doing.
thread_local constinit sigjmp_buf* before_part = nullptr;

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::uint64_t kBackOne = std::uint64_t{1} << 32;

std::uint32_t front_of(std::uint64_t parts) noexcept {
  return static_cast<std::uint32_t>(parts);
}
std::uint32_t back_of(std::uint64_t parts) noexcept {
  return static_cast<std::uint32_t>(parts >> 32);
}

// The owner's: it may go past the back, once.
std::uint32_t take_front(WorkSlot& slot) noexcept {
  schedule_point();
  const std::uint64_t parts = slot.parts.fetch_add(1, std::memory_order_relaxed);
  return front_of(parts) < back_of(parts) ? front_of(parts) : kNone;
}

std::uint32_t take_back(WorkSlot& slot) noexcept {
  std::uint64_t parts = slot.parts.load(std::memory_order_relaxed);
  do {
    if (front_of(parts) >= back_of(parts)) return kNone;
  } while (!slot.parts.compare_exchange_weak(parts, parts - kBackOne, std::memory_order_relaxed));
  return back_of(parts) - 1;
}

std::uint32_t bit_of(const WorkSlot& slot) noexcept {
  return 1U << (&slot - slots.data());
}

// Called by members of the slot only, so that it is never another work's wish.
void stop_wanting(const WorkSlot& slot) noexcept {
  const std::uint32_t bit = bit_of(slot);
  if ((wanted_help.slots.load(std::memory_order_relaxed) & bit) != 0) {
    wanted_help.slots.fetch_and(~bit, std::memory_order_relaxed);
  }
}

// nullptr: others have them all.
WorkSlot* find_free(int worker) noexcept {
  const auto start = static_cast<std::size_t>(worker);
  for (std::size_t i = 0; i < kSlots; ++i) {
    WorkSlot& slot = slots[(start + i) % kSlots];  // usually the one of last time
    std::uint32_t free = 0;
    // acquire pairs with the release that gave it back.
    if (slot.members.compare_exchange_strong(free, kOwned, std::memory_order_acquire)) return &slot;
  }
  return nullptr;
}

WorkSlot* publish(SharedWork& work, std::uint32_t parts, const Whereabouts& here) noexcept {
  WorkSlot* slot = find_free(here.worker);
  if (slot == nullptr) return nullptr;
  slot->work = &work;
  // relaxed: a helper that sees an earlier one helps all the same, or not this time.
  slot->numa_node.store(here.numa_node, std::memory_order_relaxed);
  slot->parts.store(parts * kBackOne, std::memory_order_relaxed);
  slot->members.store(kOwned | kOpen, std::memory_order_release);        // [R1]
  wanted_help.slots.fetch_or(bit_of(*slot), std::memory_order_seq_cst);  // before rouse_helper()
  if (parts >= kWorthWaking) rouse_helper(here.numa_node);
  return slot;
}

// Returns when all helpers have left.
void close(WorkSlot& slot) noexcept {
  stop_wanting(slot);
  schedule_point();
  const std::uint32_t members = slot.members.fetch_sub(kOpen, std::memory_order_acquire);  // [A2]
  if ((members & kHelpers) != 0) {
    slot.all_left.wait();
    slot.all_left.reset();
  }
}

void do_given_back(WorkSlot& slot) noexcept {
  const std::uint32_t count = slot.given_back_count.exchange(0, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < count; ++i) slot.work->do_part(slot.given_back[i]);
}

bool join(WorkSlot& slot) noexcept {
  std::uint32_t members = slot.members.load(std::memory_order_relaxed);
  do {
    if ((members & kOpen) == 0 || (members & kHelpers) == kMostHelpers) return false;
  } while (!slot.members.compare_exchange_weak(members, members + 1,
                                               std::memory_order_acquire,  // [A1]
                                               std::memory_order_relaxed));
  if ((members & kHelpers) + 1 == kMostHelpers) stop_wanting(slot);
  return true;
}

// Calls take(slot) for those of the node until it returns true; false if it never does.
template <class Take>
bool find_wish(std::uint32_t wanted, int numa_node, Take take) noexcept {
  for (; wanted != 0; wanted &= wanted - 1) {
    WorkSlot& slot = slots[static_cast<std::size_t>(std::countr_zero(wanted))];
    if (slot.numa_node.load(std::memory_order_relaxed) == numa_node && take(slot)) return true;
  }
  return false;
}

void do_alone(SharedWork& work, std::uint32_t parts) noexcept {
  for (std::uint32_t part = 0; part < parts; ++part) {
    if (part != 0) yield_to_ready();
    work.do_part(part);
  }
}

}  // namespace

void share(SharedWork& work, std::uint32_t parts) noexcept {
  const Whereabouts here = whereabouts();
  WorkSlot* slot = here.workers > 1 && parts > 1 ? publish(work, parts, here) : nullptr;
  if (slot == nullptr) return do_alone(work, parts);
  for (std::uint32_t part; (part = take_front(*slot)) != kNone;) {
    work.do_part(part);
    yield_to_ready();
  }
  close(*slot);
  do_given_back(*slot);
  slot->members.store(0, std::memory_order_release);
}

Help::Help(int numa_node) noexcept {
  find_wish(wanted_help.slots.load(std::memory_order_relaxed), numa_node, [this](WorkSlot& slot) {
    if (!join(slot)) return false;
    slot_ = &slot;
    return true;
  });
}

bool help_is_wanted_by_now(int numa_node) noexcept {
  const std::uint32_t wanted = wanted_help.slots.load(std::memory_order_seq_cst);
  return find_wish(wanted, numa_node, [](WorkSlot&) { return true; });
}

Help::~Help() {
  if (slot_ == nullptr) return;
  if (slot_->members.fetch_sub(1, std::memory_order_acq_rel) == kOwned + 1) {  // [R2]
    slot_->all_left.set();
  }
}

bool Help::do_part() noexcept {
  if (slot_ == nullptr || slot_->given_back_count.load(std::memory_order_relaxed) != 0)
    return false;
  const std::uint32_t part = take_back(*slot_);
  if (part == kNone) {
    stop_wanting(*slot_);
    return false;
  }
  if (try_part(part)) return true;
  stop_wanting(*slot_);
  slot_->given_back[slot_->given_back_count.fetch_add(1, std::memory_order_relaxed)] = part;
  return false;
}

bool Help::try_part(std::uint32_t part) noexcept {
  sigjmp_buf before;
  if (sigsetjmp(before, 0) != 0) {
    before_part = nullptr;
    return false;
  }
  before_part = &before;
  Standing::enter(Standing::kSection);
  slot_->work->do_part(part);
  Standing::leave(Standing::kSection);
  before_part = nullptr;
  return true;
}

void give_part_back(const siginfo_t& crash, const sigset_t& mask) noexcept {
  // A code above 0 is the kernel's: others are sent, by abort() in a handler of the program for
  // example.
  const bool fault = (crash.si_signo == SIGSEGV || crash.si_signo == SIGBUS) && crash.si_code > 0;
  if (before_part == nullptr || !fault) return;
  Standing::leave(Standing::kSection);
  platform::change_mask_of_this_thread(SIG_SETMASK, mask, nullptr);
  siglongjmp(*before_part, 1);
}

}  // namespace heddle::ult
