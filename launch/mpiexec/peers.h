// peers.h — the options of other launchers that mpiexec does not have: MPICH's hydra, Open MPI's
// mpirun and Intel's mpiexec.
//
// Those that change nothing here are rows of the table in options.cpp. Those here would change what
// the user sees, so they are refused, with a sentence that says what to do in place of them.
//
// Thread safety: plain functions over constants.

#pragma once

#include <string_view>

namespace heddle::launch {

// What to do in place of that option (without its dashes); null: no launcher is known to have it.
const char* in_place_of(std::string_view option) noexcept;

}  // namespace heddle::launch
