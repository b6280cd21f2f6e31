// asked.h — a packet that its target answers, from the call that sends it to the call that waits;
// and what reports and errors say of it.
//
// Thread safety: of its strand. end() may switch.

#pragma once

#include <string>

#include "base/error.h"
#include "mpi/rma/answer.h"
#include "mpi/rma/packets.h"
#include "mpi/rma/target_lock.h"
#include "mpi/rma/window.h"

namespace heddle::rma {

// The answer is waited for by end(), or before the end.
class Asked {
 public:
  Asked() = default;
  ~Asked() {
    if (began_) answer_.wait();
  }
  Asked(Asked&&) = delete;

  // False: there is no memory.
  bool begin(WindowPacket head, const Window& window);
  // `text` and `subject` are for reports.
  Error end(int target, const Window& window, std::string (*text)(const void*),
            const void* subject);

 private:
  Answer answer_;
  bool began_ = false;
};

// The status of an answer to an access of `target`.
Error error_of(int status, int target, const Window& window);

// For reports of an answer that is waited for: the subject is the target's rank, an int.
std::string text_of_answer(const void* subject);

// For reports of a lock that is waited for: the subject is one of these.
struct WantedLock {
  const Window& window;
  int target;
  LockMode mode;
};
std::string text_of_lock(const void* subject);

}  // namespace heddle::rma
