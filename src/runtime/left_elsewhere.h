// left_elsewhere.h — ranks of other hosts that have ended with status 0 without MPI_Finalize
// (decision 75), in a job of several hosts: does a rank of this host wait for them?
//
//   another host      this one
//   its rank left ──► hear() ──► a thread looks, with pauses: ends the job once a rank of this host
//                                is in MPI_Finalize, or all of them have used no processor time for
//                                half a minute and one is inside MPI
//
// Until a word comes the thread sleeps.
//
// Thread safety: hear() any thread.

#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace heddle::runtime {

class LeftElsewhere {
 public:
  // What is asked of the ranks of this host.
  struct Ranks {
    bool (*finalize)(const void* context) = nullptr;  // one of them has called MPI_Finalize
    bool (*stay)(const void* context) = nullptr;      // one of them is inside MPI, and has not left
    void (*end_job)() = nullptr;                      // does not return
    const void* context = nullptr;
  };

  explicit LeftElsewhere(const Ranks& ranks);
  ~LeftElsewhere();
  LeftElsewhere(const LeftElsewhere&) = delete;
  LeftElsewhere& operator=(const LeftElsewhere&) = delete;

  // A rank of another host has left. Also before there is an object.
  static void hear() noexcept;

 private:
  static void* run(void* self) noexcept;
  void look() const noexcept;

  const Ranks ranks_;
  pthread_t thread_ = {};
  bool runs_ = false;
};

}  // namespace heddle::runtime
