#include "exec/process/locks/robust_mutexes.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/standing.h"
#include "exec/process/exports/libc.h"
#include "exec/process/locks/locks.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/locks/waiting.h"

namespace heddle::process {

namespace {

char* descriptor() noexcept {
  return reinterpret_cast<char*>(pthread_self());
}

// Where the list begins, counted from the beginning of a thread descriptor. 0: libc has told the
// kernel of none, or libc stands before this library, as in mpiexec where LD_PRELOAD names a tool
// that needs the library. No rank runs there.
std::ptrdiff_t find_list() noexcept {
  if (libc().syscall == nullptr) return 0;
  robust_list_head* head = nullptr;
  std::size_t bytes = 0;
  const long failed = libc().syscall(SYS_get_robust_list, 0, &head, &bytes);
  if (failed != 0 || head == nullptr || bytes != sizeof *head) return 0;
  return reinterpret_cast<char*>(head) - descriptor();
}
// When the library is loaded: by a thread in its own descriptor, which later a worker may not be.
const std::ptrdiff_t list_offset = find_list();

void mark(std::uint32_t* word, std::uint32_t owner) noexcept {
  std::uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  do {
    if ((seen & FUTEX_TID_MASK) != owner) return;
  } while (!__atomic_compare_exchange_n(word, &seen, (seen & FUTEX_WAITERS) | FUTEX_OWNER_DIED,
                                        false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  if ((seen & FUTEX_WAITERS) != 0) libc().syscall(SYS_futex, word, FUTEX_WAKE, 1);
  wake(word, 1);  // a mutex begins with its word
}

// The lowest bit says that the mutex inherits priorities.
robust_list* address(robust_list* entry) noexcept {
  return reinterpret_cast<robust_list*>(reinterpret_cast<std::uintptr_t>(entry) &
                                        ~std::uintptr_t{1});
}

}  // namespace

void give_up_robust_mutexes() noexcept {
  if (list_offset == 0 || !may(Act::kPark)) return;
  auto& head = *reinterpret_cast<robust_list_head*>(descriptor() + list_offset);
  const auto owner = static_cast<std::uint32_t>(own_number());
  const auto mark_entry = [&](robust_list* entry) {
    mark(reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(entry) + head.futex_offset),
         owner);
  };
  constexpr int kMost = 2048;  // as the kernel, which does not trust the program either
  robust_list* const pending = address(std::exchange(head.list_op_pending, nullptr));
  robust_list* entry = address(head.list.next);
  for (int i = 0; entry != &head.list && i < kMost; ++i) {
    robust_list* const next = address(entry->next);  // the mutex may be gone when it is marked
    if (entry != pending) mark_entry(entry);
    entry = next;
  }
  if (pending != nullptr) mark_entry(pending);
  head.list.next = &head.list;
}

}  // namespace heddle::process
