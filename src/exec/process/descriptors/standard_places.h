// standard_places.h — the descriptors that a child of a rank, or the program that replaces it,
// needs as 0, 1 and 2 where the process has others there.
//
// Thread safety: one object, one thread.

#pragma once

#include <array>

#include "exec/process/state/rank_state.h"

namespace heddle::process {

class StandardPlaces {
 public:
  // Duplicates what lies at another place of 0 to 2, so that places can be filled in any order.
  explicit StandardPlaces(const RankState& state) noexcept;
  ~StandardPlaces();
  StandardPlaces(StandardPlaces&&) = delete;

  // The descriptor that belongs at place i; -1 if the right one, or none, is there already.
  int at(int i) const noexcept { return found_[static_cast<std::size_t>(i)].descriptor; }
  bool is_empty(int i) const noexcept { return found_[static_cast<std::size_t>(i)].is_nothing; }

  // Moves the descriptors to their places, for the whole process.
  void fill() const noexcept;

 private:
  struct Found {
    int descriptor = -1;
    bool is_made = false;  // by this object
    bool is_nothing = false;
  };
  std::array<Found, 3> found_;
};

}  // namespace heddle::process
