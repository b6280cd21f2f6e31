// main_strands.h — the main strands of the ranks that this process carries, as reports look at
// them: of one that has ended there is nothing to see.
//
// Thread safety: any thread.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace heddle::ult {
class Ult;
}

namespace heddle::runtime {

// All have been spawned.
void list_main_strands(const std::vector<ult::Ult*>& mains);

// The list, null where a strand has been forgotten. None is forgotten while `use` runs, which takes
// no memory.
void with_main_strands(const std::function<void(const std::vector<ult::Ult*>&)>& use);

// The list, without the lock: while no strand runs that could end.
const std::vector<ult::Ult*>& main_strands_at_rest() noexcept;

// Called by the strand at its end: reports look at it no more.
void forget_main_strand(std::size_t index) noexcept;
// All of them, also those that stay: before the ways to other hosts are closed.
void forget_all_main_strands() noexcept;

}  // namespace heddle::runtime
