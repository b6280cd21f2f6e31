#include "mpi/rma/mapped.h"

#include <algorithm>
#include <cstdint>

#include "mpi/rma/way.h"

namespace heddle::rma::mapped {

void look(int rank, const Window& window) noexcept {
  static_cast<void>(Way(rank, window).send(head_of(kLook, rank, window)));
}

void all_have_left(const Window& window) noexcept {
  if (!window.part().is_mapped()) return;
  for (const int member : window.others()) {
    static_cast<void>(Way(member, window).send(head_of(kAllLeft, member, window)));
  }
}

Error wait_for_lock(int rank, LockMode mode, int lost, bool* has_lock, const Window& window) {
  WindowPacket head = head_of(kLock, rank, window);
  head.mode = static_cast<std::uint8_t>(mode);
  head.lost = static_cast<std::uint8_t>(std::min(lost, UINT8_MAX));
  int status = MPI_SUCCESS;
  if (!ask_and_wait(head, window, &status)) return no_memory();
  *has_lock = status == MPI_SUCCESS;
  return {};
}

}  // namespace heddle::rma::mapped
