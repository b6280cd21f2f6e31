// lost_count.cpp — a mutation: transient.cpp with counts of which each 50th is lost.
//
// References that are counted by ++ and -- in several threads lose one now and then. This loses them at known places,
// so that the test of collector_test.cpp that must fail does so each time.

#include "mpi/lifetime/transient.h"

namespace heddle::lifetime {

namespace {
constexpr int kLost = 50;
int counts = 0;
}  // namespace

void Transient::count() noexcept {
  for (int i = 0; i < kReferences; ++i) {
    const Managed* object = get(i);
    if (object != nullptr && ++counts % kLost != 0) object->count_transient();
  }
}

void Transient::discount() noexcept {
  for (int i = 0; i < kReferences; ++i) {
    if (const Managed* object = get(i)) object->discount_transient();
  }
}

}  // namespace heddle::lifetime
