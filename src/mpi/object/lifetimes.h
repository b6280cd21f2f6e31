// lifetimes.h — what a rank has for the lifetimes of its objects; destroyed after all else of it.
//
// Thread safety: that of its members.

#pragma once

#include "exec/rank/rank.h"
#include "mpi/object/collector.h"
#include "mpi/object/transient_pool.h"

namespace heddle::object {

struct Lifetimes {
  Lifetimes() noexcept : pool(*new TransientPool(*Rank::current())), collector(pool) {}
  ~Lifetimes() {
    collector.finish();
    pool.close();
  }

  TransientPool& pool;
  Collector collector;
};

extern const RankLocal<Lifetimes> lifetimes_of_rank;

// The calling rank's. Requires Rank::current().
inline Lifetimes& lifetimes() noexcept {
  return lifetimes_of_rank.get();
}

}  // namespace heddle::object
