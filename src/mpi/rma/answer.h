// answer.h — a strand that waits for an answer of another process, and where the answer's data go;
// and how that process answers.
//
// Thread safety: made by its strand; came() by the thread that polls, once, which ends its name
// first (gateway::IdTable). send_answer() any thread.

#pragma once

#include <cstdint>

#include "exec/ult/completion.h"
#include "mpi/datatype/buffer.h"
#include "net/gateway/gateway.h"
#include "net/transport/transport.h"

namespace heddle::rma {

class Answer {
 public:
  Answer() = default;
  // The answer has bytes [skip, skip + bytes) of the packed form of `into`.
  Answer(datatype::Buffer into, MPI_Count skip, MPI_Count bytes) noexcept
      : into_(into), skip_(skip), bytes_(bytes) {}

  void came(int status, transport::Bytes data) noexcept {
    status_ = status;
    if (bytes_ != 0 && data.size() == static_cast<std::size_t>(bytes_)) {
      datatype::unpack(into_, skip_, data.data(), bytes_);
    } else if (bytes_ != 0 && status == MPI_SUCCESS) {
      status_ = MPI_ERR_INTERN;  // no host of this build answers so
    }
    done_.set();
  }
  // May switch.
  void wait() noexcept { done_.wait(); }
  int status() const noexcept { return status_; }

 private:
  datatype::Buffer into_;
  MPI_Count skip_ = 0, bytes_ = 0;
  int status_ = MPI_SUCCESS;
  ult::Completion done_;
};

// The answer of a put, which a flush waits for later.
struct PutAnswer {
  Answer answer;
  std::uint64_t name = 0;
  // If just so many bytes have been put at the target, all are done when it comes; 0: unknown.
  std::uint64_t covers = 0;
};

// A strand of another process that waits for an answer: the way back, and its name there.
struct Asker {
  int channel, host;
  std::uint64_t waiting;
};

void send_answer(gateway::Gateway& gateway, const Asker& asker, int status,
                 transport::Bytes data = {}) noexcept;

}  // namespace heddle::rma
