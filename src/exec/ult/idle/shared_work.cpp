#include "exec/ult/shared_work.h"

#include <setjmp.h>

#include <array>
#include <bit>
#include <cassert>

#include "base/platform/signals.h"
#include "base/schedule_point.h"
#include "base/section_without_switch.h"
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

// With so many parts, enough are left when a core has woken up.
constexpr std::uint32_t kWorthWaking = 128;

constexpr std::uint32_t kHelpers = 0xffff;
constexpr std::uint32_t kOpen = 1U << 16;
constexpr std::uint32_t kOwned = 1U << 17;

}  // namespace

struct alignas(platform::kCacheLine) Place {
  std::atomic<std::uint32_t> members{0};
  SharedWork* work = nullptr;
  std::atomic<int> numa_node{0};  // a helper looks at it before it joins
  Completion all_left;

  // The parts that are not taken: from the front in the lower half to before the back in the upper.
  // relaxed throughout: a helper that takes one has joined.
  alignas(platform::kCacheLine) std::atomic<std::uint64_t> parts{0};

  // For the owner when all have left. No helper takes another part when there is one, so there are at most
  // as many as there are helpers at a time. relaxed, as `parts`.
  std::atomic<std::uint32_t> given_back_count{0};
  std::array<std::uint32_t, kMostHelpers> given_back{};
};

namespace {

constexpr std::size_t kPlaces = 32;
constinit std::array<Place, kPlaces> places;

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
std::uint32_t take_front(Place& place) noexcept {
  schedule_point();
  const std::uint64_t parts = place.parts.fetch_add(1, std::memory_order_relaxed);
  return front_of(parts) < back_of(parts) ? front_of(parts) : kNone;
}

std::uint32_t take_back(Place& place) noexcept {
  std::uint64_t parts = place.parts.load(std::memory_order_relaxed);
  do {
    if (front_of(parts) >= back_of(parts)) return kNone;
  } while (!place.parts.compare_exchange_weak(parts, parts - kBackOne, std::memory_order_relaxed));
  return back_of(parts) - 1;
}

std::uint32_t bit_of(const Place& place) noexcept {
  return 1U << (&place - places.data());
}

// By members of the place only, so that it is never another work's wish.
void stop_wanting(const Place& place) noexcept {
  const std::uint32_t bit = bit_of(place);
  if ((wanted_help.places.load(std::memory_order_relaxed) & bit) != 0) {
    wanted_help.places.fetch_and(~bit, std::memory_order_relaxed);
  }
}

// nullptr: others have them all.
Place* find_free(int worker) noexcept {
  const auto start = static_cast<std::size_t>(worker);
  for (std::size_t i = 0; i < kPlaces; ++i) {
    Place& place = places[(start + i) % kPlaces];  // usually the one of last time
    std::uint32_t free = 0;
    // acquire pairs with the release that gave it back.
    if (place.members.compare_exchange_strong(free, kOwned, std::memory_order_acquire))
      return &place;
  }
  return nullptr;
}

Place* publish(SharedWork& work, std::uint32_t parts, const Whereabouts& here) noexcept {
  Place* place = find_free(here.worker);
  if (place == nullptr) return nullptr;
  place->work = &work;
  // relaxed: a helper that sees an earlier one helps all the same, or not this time.
  place->numa_node.store(here.numa_node, std::memory_order_relaxed);
  place->parts.store(parts * kBackOne, std::memory_order_relaxed);
  place->members.store(kOwned | kOpen, std::memory_order_release);         // [R1]
  wanted_help.places.fetch_or(bit_of(*place), std::memory_order_seq_cst);  // before rouse_helper()
  if (parts >= kWorthWaking) rouse_helper(here.numa_node);
  return place;
}

// Returns when all helpers have left.
void close(Place& place) noexcept {
  stop_wanting(place);
  schedule_point();
  const std::uint32_t members = place.members.fetch_sub(kOpen, std::memory_order_acquire);  // [A2]
  if ((members & kHelpers) != 0) {
    place.all_left.wait();
    place.all_left.reset();
  }
}

void do_given_back(Place& place) noexcept {
  const std::uint32_t count = place.given_back_count.exchange(0, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < count; ++i) place.work->do_part(place.given_back[i]);
}

bool join(Place& place) noexcept {
  std::uint32_t members = place.members.load(std::memory_order_relaxed);
  do {
    if ((members & kOpen) == 0 || (members & kHelpers) == kMostHelpers) return false;
  } while (!place.members.compare_exchange_weak(members, members + 1,
                                                std::memory_order_acquire,  // [A1]
                                                std::memory_order_relaxed));
  if ((members & kHelpers) + 1 == kMostHelpers) stop_wanting(place);
  return true;
}

// Calls take(place) for those of the node until it returns true; false if it never does.
template <class Take>
bool find_wish(std::uint32_t wanted, int numa_node, Take take) noexcept {
  for (; wanted != 0; wanted &= wanted - 1) {
    Place& place = places[static_cast<std::size_t>(std::countr_zero(wanted))];
    if (place.numa_node.load(std::memory_order_relaxed) == numa_node && take(place)) return true;
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
  Place* place = here.workers > 1 && parts > 1 ? publish(work, parts, here) : nullptr;
  if (place == nullptr) return do_alone(work, parts);
  for (std::uint32_t part; (part = take_front(*place)) != kNone;) {
    work.do_part(part);
    yield_to_ready();
  }
  close(*place);
  do_given_back(*place);
  place->members.store(0, std::memory_order_release);
}

Help::Help(int numa_node) noexcept {
  find_wish(wanted_help.places.load(std::memory_order_relaxed), numa_node, [this](Place& place) {
    if (!join(place)) return false;
    place_ = &place;
    return true;
  });
}

bool help_is_wanted_by_now(int numa_node) noexcept {
  const std::uint32_t wanted = wanted_help.places.load(std::memory_order_seq_cst);
  return find_wish(wanted, numa_node, [](Place&) { return true; });
}

Help::~Help() {
  if (place_ == nullptr) return;
  if (place_->members.fetch_sub(1, std::memory_order_acq_rel) == kOwned + 1) {  // [R2]
    place_->all_left.set();
  }
}

bool Help::do_part() noexcept {
  if (place_ == nullptr || place_->given_back_count.load(std::memory_order_relaxed) != 0)
    return false;
  const std::uint32_t part = take_back(*place_);
  if (part == kNone) {
    stop_wanting(*place_);
    return false;
  }
  if (try_part(part)) return true;
  stop_wanting(*place_);
  place_->given_back[place_->given_back_count.fetch_add(1, std::memory_order_relaxed)] = part;
  return false;
}

bool Help::try_part(std::uint32_t part) noexcept {
  sigjmp_buf before;
  if (sigsetjmp(before, 0) != 0) {
    before_part = nullptr;
    return false;
  }
  before_part = &before;
  enter_section_without_switch();
  place_->work->do_part(part);
  leave_section_without_switch();
  before_part = nullptr;
  return true;
}

void give_part_back(const siginfo_t& crash, const sigset_t& mask) noexcept {
  // A code above 0 is the kernel's: others are sent, by abort() in a handler of the program for example.
  const bool fault = (crash.si_signo == SIGSEGV || crash.si_signo == SIGBUS) && crash.si_code > 0;
  if (before_part == nullptr || !fault) return;
  leave_section_without_switch();
  platform::change_mask_of_this_thread(SIG_SETMASK, mask, nullptr);
  siglongjmp(*before_part, 1);
}

}  // namespace heddle::ult
