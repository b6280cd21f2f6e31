// rank.h — an MPI process as this host sees it: a number, a main ult, and private state.
//
// The layers above keep what belongs to a rank in RankLocal<T> variables, so that exec/rank need
// not know what they are. Every strand of a rank (its main ult, its pthreads) finds its rank
// through current(), one thread_local read.
//
// Thread safety: a Rank's fields are constant after construction unless they say otherwise;
// RankLocal<T>::get() may be called by all strands of the rank at once, T locks by itself.

#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>

#include "base/standing.h"

namespace heddle {

// A pointer of a rank: what a RankLocal destroys when the rank ends, or what RankPointers lead to.
struct RankSlot {
  std::atomic<void*> value{nullptr};
};

// The places in a rank of what each message looks up, so that they are constants. Other values get
// the next place that is free.
enum class Place : std::size_t { kHandles, kWorld, kSelf, kProcess, kNext };

class Rank {
 public:
  static constexpr std::size_t kSlots = 48;

  explicit Rank(int number) noexcept : number_(number) {}
  // Destroys its RankLocal values, the one reserved last first, and takes the calling strand out of
  // it.
  ~Rank();
  Rank(Rank&&) = delete;

  // The calling strand's rank, or nullptr outside of every rank.
  static Rank* current() noexcept { return Standing::mine.rank; }

  // Makes the calling strand one of `rank` (nullptr: of none). A ult that a rank spawns and a
  // kernel thread that a rank creates call this before anything else.
  static void enter(Rank* rank) noexcept { Standing::mine.rank = rank; }

  int number() const noexcept { return number_; }

  // Which thread of its rank the calling strand is, for reports; 0: the main one.
  static thread_local constinit int current_thread;

  // How many uses of the library it has begun and not ended. Here, since each call of MPI asks;
  // runtime/life/uses.cpp counts.
  std::atomic<int> uses{0};

  RankSlot& slot(std::size_t index) noexcept { return slots_[index]; }

 private:
  const int number_;  // in the job: its rank in MPI_COMM_WORLD
  std::array<RankSlot, kSlots> slots_;
};

// Reserves a slot in every rank, with the function that destroys its value, and returns its index.
// Called during static initialization only.
std::size_t reserve_rank_slot(Place place, void (*destroy)(void*)) noexcept;

// The T of `slot`, made by T() if there is none yet. Strands that ask at once may make several; one
// of them stays, the others are deleted unseen. Apart, so that what calls it stays small enough to
// be inlined.
template <class T>
[[gnu::cold, gnu::noinline]] T& make_once(std::atomic<void*>& slot) noexcept {
  void* expected = nullptr;
  T* made = new T();
  // [R1] release: other strands of this rank see a whole T.
  if (slot.compare_exchange_strong(expected, made, std::memory_order_release,
                                   std::memory_order_acquire)) {
    return *made;
  }
  delete made;
  return *static_cast<T*>(expected);
}

template <class T>
void delete_value(void* value) noexcept {
  T* const ended = static_cast<T*>(value);
  if constexpr (requires { ended->end_with_rank(); }) ended->end_with_rank();
  delete ended;
}

// A T for each rank, made by T() when first asked for (make_once), destroyed with the rank. A
// namespace-scope
// variable:  RankLocal<HandleTables> tables;
//
// As several may be made, T's constructor and destructor leave alone what is not its own. What a T
// does with the rest of its rank at the end goes into T::end_with_rank(), if it has one, called
// before its destructor.
template <class T, Place kPlace = Place::kNext>
class RankLocal {
 public:
  RankLocal() noexcept : index_(reserve_rank_slot(kPlace, delete_value<T>)) {}

  // Requires Rank::current().
  [[gnu::always_inline]] T& get() const noexcept { return of(*Rank::current()); }

  // The calling strand's, or nullptr where there is no rank or it was never asked for; in signal
  // handlers, too.
  T* find() const noexcept {
    Rank* const rank = Rank::current();
    if (rank == nullptr) return nullptr;
    return static_cast<T*>(rank->slot(index()).value.load(std::memory_order_acquire));  // with [R1]
  }

  [[gnu::always_inline]] T& of(Rank& rank) const noexcept {
    std::atomic<void*>& slot = rank.slot(index()).value;
    void* value = slot.load(std::memory_order_acquire);  // pairs with [R1]
    return value != nullptr ? *static_cast<T*>(value) : make_once<T>(slot);
  }

 private:
  std::size_t index() const noexcept {
    return kPlace == Place::kNext ? index_ : static_cast<std::size_t>(kPlace);
  }

  const std::size_t index_;
};

// Pointers of each rank to what others keep, in the places from kFirst on; null at first. What sets
// them clears them before its objects end. Requires Rank::current().
template <class T, Place kFirst>
class RankPointers {
 public:
  [[gnu::always_inline]] T* get(std::size_t which) const noexcept {
    return static_cast<T*>(slot(which).load(std::memory_order_acquire));  // [A2]
  }
  // [R2] release, pairs with [A2]: other strands of the rank see a whole T.
  void set(std::size_t which, T* object) const noexcept {
    slot(which).store(object, std::memory_order_release);
  }

 private:
  [[gnu::always_inline]] static std::atomic<void*>& slot(std::size_t which) noexcept {
    return Rank::current()->slot(static_cast<std::size_t>(kFirst) + which).value;
  }
};

}  // namespace heddle
