// setting.h — the description of one setting, and how its text becomes a value.
//
//   type     text                          value
//   -------  ----------------------------  --------------------------------
//   size     8192, 8k, 1M, 2G              the number
//   choice   one of `choices`              its index there
//   command  anything                      0; the command that runs reads it itself
//   file     a path                        0 if it is empty, else 1; settings::text() has the path
//
// Thread safety: constant.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace heddle::settings {

enum class Type : std::uint8_t { kSize, kChoice, kCommand, kFile };

// The readers that the setting is meant for.
enum class Audience : std::uint8_t { kUser, kTuner, kDeveloper };

constexpr std::size_t kMostChoices = 5;

struct Setting {
  const char* name;    // of the environment variable
  const char* option;  // of mpiexec, which sets the same; empty: none
  const char* topic;
  const char* text;  // one sentence
  Type type;
  Audience audience;
  bool of_library;       // else of a compiler wrapper
  const char* fallback;  // what holds where it is not set
  const char* unit;
  std::int64_t least, most;                       // of a size
  std::array<const char*, kMostChoices> choices;  // from the first to a null

  constexpr int choice_count() const noexcept {
    int count = 0;
    for (const char* choice : choices) count += choice != nullptr;
    return count;
  }
};

// Fails with MPI_ERR_ARG and a sentence that begins with `called`: the name by which the user gave
// the setting ("HEDDLE_LIFETIME", "argument --posix-threads").
Error parse(const Setting& setting, std::string_view called, std::string_view text,
            std::int64_t* value);

}  // namespace heddle::settings
