// handle_table.h — from the ABI's pointer-sized handles to this rank's objects and back.
//
// Predefined handles are the ABI's small constants (< 0x1000) and are not in this table; each class
// has its own from_handle() that knows them. A handle of ours:
//
//   63            32 31 30   27 26                       0
//   ┌───────────────┬──┬───────┬──────────────────────────┐
//   │  generation   │0 │ kind  │          index           │
//   └───────────────┴──┴───────┴──────────────────────────┘
//                    └── the int of MPI_Comm_toint and of Fortran ──┘
//
// One object is all ranks', and no table gives out its handle, kFinishedHandle: the generation and
// the index are all ones, and the kind is kRequest.
//
// Each rank has a table for each kind, and each table starts to count generations elsewhere, so
// that another rank's handle is not mistaken for one of ours.
//
//   slot      object    generation                   leaves by
//   --------  --------  ---------------------------  -------------------------
//   free      null      that of its next handle      publish [R1]
//   live      set       that of its handle           the last retire
//   worn out  null      its first one, come around   never: it is not used again
//   reserved  null or   as above                     never: it belongs to one Transient, whose
//             set                                    requests come and go without the lock
//
// Invariants
//   I1  A slot's generation grows with each use and never comes around, so a freed handle is never
//       found again.
//   I2  kind >= 1, so a handle's low half is never below 1 << 27 and never a predefined constant.
//   I3  Slots never move: a direct block plus indirect blocks, each twice as large, like an inode.
//   I4  An object has one handle of a rank at a time; publishing it again hands out the same
//       handle, which must then be retired as often as it was published. A reserved slot's object
//       is published once. All slots of the table of requests are reserved, and no others.
//
// Thread safety: find() any strand of the rank, wait-free; publish and retire lock the table;
// publish_at and retire_at take no lock.
//
// Memory order
//   [R1] release, pairs with [A1] acquire: a strand that finds an object sees it whole.
//   [R2] release, pairs with [A2] acquire: a strand that sees an indirect block sees its slots.

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "mpi/object/object.h"

namespace heddle::object {

constexpr std::uint32_t kIndexBits = 27;

// The handle of the request for all that is finished (mpi/request/finished.h).
constexpr HandleBits kFinishedHandle =
    ~HandleBits{0} << 32 | HandleBits{static_cast<std::uint32_t>(Kind::kRequest)} << kIndexBits |
    ((HandleBits{1} << kIndexBits) - 1);

// Gives `object` a handle of the calling rank. Takes over the caller's reference. An object that
// has one of the ABI's constants keeps it and is not counted (its reference is released).
HandleBits publish(Object* object) noexcept;

// The object, or nullptr if the handle is freed, foreign, garbage or of another kind.
inline Object* find(Kind kind, HandleBits handle) noexcept;

// find(), and a reference for the caller: another strand may be about to free the object. Not for
// requests, whose slots are reserved.
Object* find_and_retain(Kind kind, HandleBits handle) noexcept;

// Takes back one publish() and hands its reference to the caller; nullptr like find(). The handle
// becomes invalid with the last one. Of several strands that retire a handle which was published
// once, exactly one gets the object.
Object* retire(Kind kind, HandleBits handle) noexcept;

// The int of the `_toint` functions for one of our handles, and back (0 where nothing is there, or
// no rank calls).
int to_int(HandleBits handle) noexcept;
inline HandleBits from_int(int value) noexcept;

// Objects of this kind that the rank has not freed: for the report at MPI_Finalize and for tests.
std::size_t live_count(Kind kind) noexcept;

// The first of the rank's objects of this kind for which is_wanted(object, wanted) is true; null:
// none. For reports.
Object* find_by(Kind kind, bool (*is_wanted)(const Object& object, std::uint64_t wanted),
                std::uint64_t wanted) noexcept;

// An entry of a table.
struct HandleSlot {
  std::atomic<Object*> object{nullptr};
  std::atomic<std::uint32_t> generation{0};
  // Free: the index of the next free slot. Live: publishes less retires. Reserved: the generation
  // at which it is worn out.
  std::uint32_t next_or_users = 0;
};

class HandleTable {
 public:
  HandleTable() = default;
  ~HandleTable();
  HandleTable(HandleTable&&) = delete;

  // Called before anything else. Handles start with `generation`.
  void prepare(Kind kind, std::uint32_t generation) noexcept;

  HandleBits publish(Object* object) noexcept;
  Object* find_and_retain(HandleBits handle) noexcept;
  Object* retire(HandleBits handle) noexcept;
  // 0 where there is no object.
  HandleBits from_int(std::uint32_t low_half) const noexcept {
    const HandleSlot* const slot = slot_at(index_of(low_half));
    if (slot == nullptr || slot->object.load(std::memory_order_acquire) == nullptr)
      return 0;  // [A1]
    return HandleBits{slot->generation.load(std::memory_order_relaxed)} << 32 | low_half;
  }
  std::size_t live_count() const noexcept;
  Object* find_by(bool (*is_wanted)(const Object& object, std::uint64_t wanted),
                  std::uint64_t wanted) const noexcept;

  // A slot that is the caller's from now on, and the low half of its handles.
  struct Reservation {
    HandleSlot* slot = nullptr;
    std::uint32_t low_half = 0;
  };
  Reservation reserve() noexcept;

  // Like publish() and retire(), in a reserved slot. A lock-free pair: the slot has one owner at a
  // time.
  static HandleBits publish_at(Reservation reserved, Object* object) noexcept {
    const HandleBits handle = HandleBits{reserved.slot->generation.load(std::memory_order_relaxed)}
                                  << 32 |
                              reserved.low_half;
    object->set_handle(handle);
    reserved.slot->object.store(object, std::memory_order_release);  // [R1]
    return handle;
  }
  // False if the handle is retired already. *worn_out: the slot has had its last handle.
  static bool retire_at(HandleSlot& slot, HandleBits handle, bool* worn_out) noexcept {
    auto generation = static_cast<std::uint32_t>(handle >> 32);
    // relaxed: nothing is handed to a reader by taking something away. The strand that moves the
    // generation on has the object, and the slot is used again when it has given back the
    // Transient.
    if (!slot.generation.compare_exchange_strong(generation, generation + 1,
                                                 std::memory_order_relaxed)) {
      return false;
    }
    slot.object.store(nullptr, std::memory_order_relaxed);
    *worn_out = generation + 1 == slot.next_or_users;
    return true;
  }
  // The reserved slot of a handle that find() knows; nullptr if it does not.
  HandleSlot* slot_of(HandleBits handle) noexcept {
    return find(handle) == nullptr ? nullptr : &used_slot(index_of(handle));
  }

  // Requires that `handle` has this table's kind.
  Object* find(HandleBits handle) const noexcept {
    const HandleSlot* slot = slot_at(index_of(handle));
    // relaxed: a reader that was given the handle knows the generation already; garbage may see
    // any, and then finds null or a live object.
    if (slot == nullptr || slot->generation.load(std::memory_order_relaxed) != handle >> 32) {
      return nullptr;
    }
    return slot->object.load(std::memory_order_acquire);  // [A1]
  }

  // find() in the direct block only: nullptr if the handle is of another kind, or not in that
  // block.
  [[gnu::always_inline]] Object* find_direct(Kind kind, HandleBits handle) const noexcept {
    constexpr std::uint32_t kWithin = kDirect - 1;
    const auto low = static_cast<std::uint32_t>(handle);
    const HandleSlot& slot = direct_[low & kWithin];
    if ((low & ~kWithin) != static_cast<std::uint32_t>(kind) << kIndexBits ||
        slot.generation.load(std::memory_order_relaxed) != handle >> 32) {
      return nullptr;
    }
    return slot.object.load(std::memory_order_acquire);  // [A1]
  }

  // Gives up the objects that the program has not freed.
  void release_all() noexcept;

  // True if the free list ends, and is made of slots that were used and have no object.
  bool is_valid() const noexcept;

 private:
  static constexpr std::uint32_t kDirect = 16;  // slots in the direct block, a power of two
  static constexpr std::uint32_t kIndirect = kIndexBits - std::bit_width(kDirect - 1);
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  static std::uint32_t index_of(HandleBits handle) noexcept {
    return static_cast<std::uint32_t>(handle) & ((1u << kIndexBits) - 1);
  }
  // Block b holds the indices [kDirect << b, kDirect << (b + 1)).
  static std::uint32_t block_of(std::uint32_t index) noexcept {
    return std::bit_width(index / kDirect) - 1u;
  }

  // nullptr if no handle has had this index.
  const HandleSlot* slot_at(std::uint32_t index) const noexcept {
    if (index < kDirect) return &direct_[index];
    const std::uint32_t block = block_of(index);
    const HandleSlot* slots = indirect_[block].load(std::memory_order_acquire);  // [A2]
    return slots == nullptr ? nullptr : &slots[index - (kDirect << block)];
  }
  // The slot of an index that take_free() has given, so that its block exists.
  HandleSlot& used_slot(std::uint32_t index) noexcept {
    const HandleSlot* const slot = slot_at(index);
    if (slot == nullptr) __builtin_unreachable();
    return const_cast<HandleSlot&>(*slot);
  }

  HandleBits compose(std::uint32_t index, std::uint32_t generation) const noexcept {
    return HandleBits{generation} << 32 |
           HandleBits{static_cast<std::uint32_t>(kind_)} << kIndexBits | index;
  }
  std::uint32_t take_free() noexcept;
  void add_block(std::uint32_t block) noexcept;

  Kind kind_{};                         // constant
  std::uint32_t first_generation_ = 0;  // constant
  // Lock: guards the rest, except what the atomics publish: allocation and freeing of one rank's
  // handles; lookups take none, and requests keep their slots.
  mutable SpinLock lock_;
  std::uint32_t used_ = 0;      // indices below it have had a handle
  std::uint32_t free_ = kNone;  // last freed first, because its memory is warm
  std::array<HandleSlot, kDirect> direct_;
  std::array<std::atomic<HandleSlot*>, kIndirect> indirect_{};
};

// A rank's tables, indexed by kind; destroyed with the rank.
class HandleTables {
 public:
  HandleTables() noexcept;
  ~HandleTables();
  HandleTable& of(Kind kind) noexcept { return tables_[static_cast<std::size_t>(kind)]; }

 private:
  std::array<HandleTable, kKinds> tables_;
};

extern const RankLocal<HandleTables, Place::kHandles> tables_of_rank;

// The ABI's constants, in all classes.
inline bool is_constant(HandleBits handle) noexcept {
  return handle < 0x1000;
}

// 0 and numbers that are no Kind for what is no handle of ours.
inline std::uint32_t kind_bits(HandleBits handle) noexcept {
  return static_cast<std::uint32_t>(handle) >> kIndexBits;
}

// Each call of Fortran with a handle that is no constant makes it. The table of kind 0 is empty.
inline HandleBits from_int(int value) noexcept {
  const auto low_half = static_cast<std::uint32_t>(value);
  const std::uint32_t kind = kind_bits(low_half);
  HandleTables* const tables = tables_of_rank.find();
  if (tables != nullptr && kind < std::uint32_t{kKinds}) {
    const HandleBits handle = tables->of(static_cast<Kind>(kind)).from_int(low_half);
    if (handle != 0) return handle;
  }
  return low_half == static_cast<std::uint32_t>(kFinishedHandle) ? kFinishedHandle : 0;
}

inline Object* find(Kind kind, HandleBits handle) noexcept {
  if (kind_bits(handle) != static_cast<std::uint32_t>(kind)) return nullptr;
  return tables_of_rank.get().of(kind).find(handle);
}

// find() for what every message names: short enough to be inlined, because it knows the direct
// block only. So nullptr may mean that find() knows more.
template <class T, class Handle>
[[gnu::always_inline]] inline T* find_at_once(Kind kind, Handle handle) noexcept {
  const auto bits = reinterpret_cast<HandleBits>(handle);
  return static_cast<T*>(tables_of_rank.get().of(kind).find_direct(kind, bits));
}

// find() for a class that has exactly one kind.
template <class T, class Handle>
T* find_as(Kind kind, Handle handle) noexcept {
  return static_cast<T*>(find(kind, reinterpret_cast<HandleBits>(handle)));
}

}  // namespace heddle::object
