// hints.h — hints of windows and files (MPI 5.0 §10, §12.2.1, §14.2.8): the known ones among those
// that a program gives.
//
// Thread safety: plain functions.

#pragma once

#include <span>

#include "mpi/info/info.h"

namespace heddle::info {

struct Hint {
  const char* key;
  bool (*fits)(std::string_view value);  // does the value make sense?
  const char* usual;                     // null: not told unless the program has given it
};

// All known hints with their values: what `given` says, else what `before` says, else the usual
// one. Both may be null. Unknown hints, and values that make no sense, are dropped, as MPI allows.
object::Ref<Info> hints_in_use(std::span<const Hint> known, const Info* before, const Info* given);

// What values may be.
bool is_number(std::string_view value) noexcept;
bool is_boolean(std::string_view value) noexcept;
inline bool is_anything(std::string_view) noexcept {
  return true;
}

}  // namespace heddle::info
