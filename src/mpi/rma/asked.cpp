#include "mpi/rma/asked.h"

#include "base/standing.h"
#include "exec/ult/stillness.h"
#include "mpi/rma/way.h"

namespace heddle::rma {

bool Asked::begin(WindowPacket head, const Window& window) {
  head.waiting = name(answer_);
  began_ = Way(head.target, window).send(head);
  if (!began_) forget(head.waiting);
  return began_;
}

Error Asked::end(int target, const Window& window, std::string (*text)(const void*),
                 const void* subject) {
  if (!began_) return no_memory();
  const ult::NotedWait noted({Standing::mine.call, text, subject});
  answer_.wait();
  began_ = false;
  return error_of(answer_.status(), target, window);
}

Error error_of(int status, int target, const Window& window) {
  if (status == MPI_SUCCESS) return {};
  return Error::make(status,
                     "an access of rank %d in %s failed there: it touched bytes that are not in "
                     "the window",
                     target, describe(window).c_str());
}

std::string text_of_answer(const void* subject) {
  return "an answer from the process of rank " + std::to_string(*static_cast<const int*>(subject)) +
         " of the window";
}

std::string text_of_lock(const void* subject) {
  const auto& wanted = *static_cast<const WantedLock*>(subject);
  if (wanted.mode == LockMode::kPass) {
    return "the end of exclusive locks in the process of rank " + std::to_string(wanted.target) +
           " in " + describe(wanted.window);
  }
  return std::string(wanted.mode == LockMode::kExclusive ? "the exclusive" : "a shared") +
         " lock of rank " + std::to_string(wanted.target) + " in " + describe(wanted.window);
}

}  // namespace heddle::rma
