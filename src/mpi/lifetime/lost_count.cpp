// lost_count.cpp — a mutation: transient.cpp, except that one operation of fifty counts nothing.
//
// References that are counted by ++ and -- in several threads lose one now and then. This loses
// those of known operations. Such an operation gives nothing back either, so an object whose count
// falls to 0 too early is still needed by it, and the object's end fails the test's check. Of a
// single ++ that is lost the program's own last step may take the count below 0: it would use freed
// memory with no check before.
//
// Thread safety: none; the test has one thread.

#include <unordered_set>

#include "mpi/lifetime/transient.h"

namespace heddle::lifetime {

namespace {
constexpr int kOneOf = 50;
int operations = 0;
std::unordered_set<const Transient*> lost;
}  // namespace

void Transient::count() noexcept {
  if (++operations % kOneOf == 0) {
    lost.insert(this);
    return;
  }
  for (int i = 0; i < kReferences; ++i) {
    if (const Managed* object = get(i)) object->count_transient();
  }
}

void Transient::discount() noexcept {
  if (lost.erase(this) != 0) return;
  for (int i = 0; i < kReferences; ++i) {
    if (const Managed* object = get(i)) object->discount_transient();
  }
}

}  // namespace heddle::lifetime
