// settings.h — the values of the settings in this process.
//
// All are read from the environment at the first question for one of them, which comes while the
// library is loaded. Code on a hot path keeps the value in a constant. docs/reference/settings.md
// lists them.
//
// Thread safety: any thread; values never change.

#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/settings_table.h"

namespace heddle::settings {

constexpr const Setting& setting_of(Id id) noexcept {
  return kTable[static_cast<std::size_t>(id)];
}

// A number, or the index of a choice. The fallback if the environment has no value or a wrong one.
std::int64_t value(Id id) noexcept;

// The path of a file; empty: the environment names none.
const std::string& text(Id id) noexcept;

// Fails if the environment had a wrong value. Called before anything else happens in a job.
Error check();

}  // namespace heddle::settings
