#include "runtime/singleton.h"

#include <atomic>

#include "base/settings.h"
#include "exec/rank/rank.h"
#include "exec/ult/ult.h"
#include "runtime/members.h"
#include "runtime/other_launcher.h"

namespace heddle::runtime {

namespace {

struct Singleton {
  Members members{Layout(1), 0};
  Rank rank{0};
};

// Never destroyed: the program's atexit handlers may still ask MPI_Finalized.
std::atomic<Singleton*> the_singleton{nullptr};

}  // namespace

Error start_singleton() {
  if (Error e = settings::check()) return e;
  if (Error e = check_started_alone()) return e;
  auto* made = new Singleton();
  Rank::enter(&made->rank);
  made->members.settle(made->rank);
  Singleton* expected = nullptr;
  // release: a thread that adopts the rank sees a whole one; pairs with [A1].
  if (!the_singleton.compare_exchange_strong(expected, made, std::memory_order_acq_rel)) {
    Rank::enter(&expected->rank);
    delete made;
  }
  return {};
}

bool adopt_strand() noexcept {
  Singleton* singleton = the_singleton.load(std::memory_order_acquire);  // [A1]
  if (singleton == nullptr) return false;
  Rank::enter(&singleton->rank);
  return true;
}

}  // namespace heddle::runtime
