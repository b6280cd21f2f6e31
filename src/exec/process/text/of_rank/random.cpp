// rand, random and drand48 families: glibc's generators with a state of this rank.

#include <errno.h>
#include <stdlib.h>

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/state/of_rank/lock.h"

namespace heddle::process::of_rank {
namespace {

// glibc's default: additive feedback over 128 bytes, seeded by 1.
alignas(4) constinit char default_state[128] = {};
constinit random_data generator = {};
constinit bool seeded = false;
constinit drand48_data generator48 = {};

random_data& ready_generator() noexcept {
  if (!seeded) {
    initstate_r(1, default_state, sizeof default_state, &generator);
    seeded = true;
  }
  return generator;
}

// A state array begins with one word that says its type; `state` points behind it.
char* state_array(const random_data& data) noexcept {
  return reinterpret_cast<char*>(data.state - 1);
}

// The next number, by libc's function with the generator as an argument.
template <class Result, class Twin, class... Given>
Result drawn(Twin* twin, Given... given) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  Result result = 0;
  twin(given..., &generator48, &result);
  return result;
}

template <class Given>
void start(int (*twin)(Given, drand48_data*), Given given) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  twin(given, &generator48);
}

}  // namespace
}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

HEDDLE_EXPORT long random() noexcept {
  Guard guard(Guarded::kRandomNumbers);
  int32_t result = 0;
  random_r(&ready_generator(), &result);
  return result;
}

HEDDLE_EXPORT void srandom(unsigned seed) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  srandom_r(seed, &ready_generator());
}

HEDDLE_EXPORT char* initstate(unsigned seed, char* state, size_t size) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  char* previous = state_array(ready_generator());
  return initstate_r(seed, state, size, &generator) == 0 ? previous : nullptr;
}

HEDDLE_EXPORT char* setstate(char* state) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  char* previous = state_array(ready_generator());
  return setstate_r(state, &generator) == 0 ? previous : nullptr;
}

HEDDLE_EXPORT unsigned short* seed48(unsigned short seed[3]) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  seed48_r(seed, &generator48);
  return generator48.__old_x;
}

#include "random.inc"
