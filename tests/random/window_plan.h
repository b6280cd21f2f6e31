// window_plan.h — what ranks do with each other's windows in one phase of a random program, as all of them know it, and
// what the windows hold afterwards.
//
//   WindowModel   the bytes of all members, and of which basic type each is
//   WindowPlan    an epoch of a kind, with the accesses of each rank's threads in it
//
// A phase has one outcome: each byte of a window has one use in it.
//
//   free       not touched
//   read       by any number of threads
//   owned      by one thread. Its accesses are ordered by flushes, or are accumulates of one type
//   combined   by accumulates of any threads, with one operation and type, whose order does not matter
//   guarded    read and then written under exclusive locks
//
// So accesses touch each other and lie in each other's gaps; what is read, combined or guarded overlaps.
//
// Thread safety: of its strand; constant once made.

#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/random/layout.h"

namespace heddle::testing {

enum class EpochKind { kFence, kStart, kLocks, kLockAll };

struct WindowModel {
  explicit WindowModel(const std::vector<int>& sizes);

  int size() const { return static_cast<int>(memory.size()); }

  std::vector<std::vector<char>> memory;  // by member
  std::vector<std::vector<unsigned char>>
      basics;  // of each byte: 1 + index in kBasics; 0: never written, all types' zero
};

struct Access {
  enum class Kind {
    kPut,
    kGet,
    kAccumulate,
    kGetAccumulate,
    kFetch,
    kSwap,
    kAdd,
    kFlush,
    kFlushLocal
  };

  Kind kind = Kind::kPut;
  int origin = 0, thread = 0, target = 0;
  std::ptrdiff_t at = 0;  // bytes from the target's base; a multiple of 8
  Signature signature;
  int units = 1;                  // how often the signature
  std::shared_ptr<Layout> there;  // null: `units` basic elements
  int elements = 1;               // of `there`
  MPI_Op op = MPI_OP_NULL;
  bool with_request = false;
  unsigned long number = 0;
  long compare = 0;  // of kSwap
  bool is_exact =
      true;  // what is fetched is `old`; else it is between `old` and what the model has at the end
  std::vector<long> old;  // word by word

  bool fetches() const {
    return kind == Kind::kGet || (kind >= Kind::kGetAccumulate && kind <= Kind::kAdd);
  }
  int words() const { return units * static_cast<int>(signature.size()); }
  const Basic& basic() const { return *signature[0]; }  // of accumulates
  // Word i of the origin's data, and where it goes: bytes from the target's base.
  long value(int i) const;
  std::ptrdiff_t offset(int i) const;
  std::string describe() const;
};

class WindowPlan {
 public:
  WindowPlan(WindowModel& model, int threads, bool locks, int steps, Dice& dice);

  EpochKind epoch() const { return epoch_; }
  bool reaches(int origin, int target) const { return reaches_[index(origin, target)]; }
  bool is_alone(int origin, int target) const { return alone_[index(origin, target)]; }
  const std::vector<Access>& accesses() const { return accesses_; }
  // Words that each member stores in its own memory before the epoch.
  struct Store {
    int rank;
    std::ptrdiff_t at;
    long value;
  };
  const std::vector<Store>& stores() const { return stores_; }

 private:
  // What a byte is used for.
  struct Claim {
    int code = 0;     // free
    int flushes = 0;  // of the owner, before its last access
    int access = 0;   // what that was
  };
  struct Use {
    int code;
    int actor;
    int access;
  };

  std::size_t index(int origin, int target) const {
    return static_cast<std::size_t>(origin * model_.size() + target);
  }
  int& flushes(const Access& access) {
    return flushes_[index(access.origin, access.target) * static_cast<std::size_t>(threads_) +
                    static_cast<std::size_t>(access.thread)];
  }
  int actor(const Access& access) const { return access.origin * threads_ + access.thread; }

  void draw_epoch(bool locks, Dice& dice);
  void add_store(Dice& dice);
  void add_access(Dice& dice);
  void draw_kind(Access& access, Dice& dice) const;
  void draw_data(Access& access, Dice& dice) const;
  bool find_place(Access& access, const Use& use, Dice& dice);
  Use use_of(const Access& access, bool shares) const;
  bool fits(const Access& access, const Use& use);
  void claim(const Access& access, const Use& use);
  void apply(Access& access);

  WindowModel& model_;
  const int threads_;
  EpochKind epoch_ = EpochKind::kFence;
  std::vector<bool> reaches_, alone_;
  std::vector<int> flushes_;
  std::vector<std::vector<char>> before_;
  std::vector<std::vector<Claim>> claims_;
  std::vector<Access> accesses_;
  std::vector<Store> stores_;
};

}  // namespace heddle::testing
