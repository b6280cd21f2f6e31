// rand, random and drand48 families: glibc's generators with a state of this rank.

#include <errno.h>
#include <stdlib.h>

#include "exec/libc/of_rank/hosted.h"
#include "exec/libc/of_rank/lock.h"

namespace heddle::libc_of_rank {
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

}  // namespace
}  // namespace heddle::libc_of_rank

using namespace heddle::libc_of_rank;

HEDDLE_EXPORT long random() noexcept {
  Guard guard(Guarded::kRandomNumbers);
  int32_t result = 0;
  random_r(&ready_generator(), &result);
  return result;
}

HEDDLE_EXPORT int rand() noexcept {
  return static_cast<int>(random());
}

HEDDLE_EXPORT void srandom(unsigned seed) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  srandom_r(seed, &ready_generator());
}

HEDDLE_EXPORT void srand(unsigned seed) noexcept {
  srandom(seed);
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

HEDDLE_EXPORT double drand48() noexcept {
  Guard guard(Guarded::kRandomNumbers);
  double result = 0;
  drand48_r(&generator48, &result);
  return result;
}

HEDDLE_EXPORT double erand48(unsigned short numbers[3]) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  double result = 0;
  erand48_r(numbers, &generator48, &result);
  return result;
}

HEDDLE_EXPORT long lrand48() noexcept {
  Guard guard(Guarded::kRandomNumbers);
  long result = 0;
  lrand48_r(&generator48, &result);
  return result;
}

HEDDLE_EXPORT long nrand48(unsigned short numbers[3]) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  long result = 0;
  nrand48_r(numbers, &generator48, &result);
  return result;
}

HEDDLE_EXPORT long mrand48() noexcept {
  Guard guard(Guarded::kRandomNumbers);
  long result = 0;
  mrand48_r(&generator48, &result);
  return result;
}

HEDDLE_EXPORT long jrand48(unsigned short numbers[3]) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  long result = 0;
  jrand48_r(numbers, &generator48, &result);
  return result;
}

HEDDLE_EXPORT void srand48(long seed) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  srand48_r(seed, &generator48);
}

HEDDLE_EXPORT unsigned short* seed48(unsigned short seed[3]) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  seed48_r(seed, &generator48);
  return generator48.__old_x;
}

HEDDLE_EXPORT void lcong48(unsigned short parameters[7]) noexcept {
  Guard guard(Guarded::kRandomNumbers);
  lcong48_r(parameters, &generator48);
}
