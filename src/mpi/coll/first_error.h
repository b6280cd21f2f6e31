// first_error.h — the error of a collective made of steps in which others wait for this rank.
//
// A step that fails here, perhaps because the other group sends too much, does not release the
// ranks that wait for this rank's next step: so each rank makes all steps, and then tells what went
// wrong first. What it passes on may be garbage, but no rank waits for it in vain.
//
// Thread safety: none; it belongs to one call.

#pragma once

#include <utility>

#include "base/error.h"

namespace heddle::coll {

class FirstError {
 public:
  void note(Error error) noexcept {
    if (error && !first_) first_ = std::move(error);
  }
  bool any() const noexcept { return bool(first_); }
  Error take() noexcept { return std::move(first_); }

 private:
  Error first_;
};

}  // namespace heddle::coll
