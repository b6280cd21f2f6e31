// pool.h — kernel threads that perform nonblocking accesses, so that their ranks compute meanwhile.
//
//   strand           hand_to_pool(work) ──► list ──► a thread: work.run()
//
// A thread is started when work comes and none is idle, up to kMostThreads. They stay; they belong
// to no rank and run no code of the program. A pool of ours and not io_uring: the kernel hands
// buffered writes to threads of its own, too, copies cached reads in the call that submits them,
// and containers often forbid it (decision 181).
//
// Thread safety: any strand.

#pragma once

namespace heddle::io {

class Work {
 public:
  // On a thread of the pool. The work may be gone when it returns.
  virtual void run() noexcept = 0;

 protected:
  ~Work() = default;

 private:
  friend class Pool;
  Work* next_ = nullptr;
};

// False, and nothing is done, if there is no thread.
bool hand_to_pool(Work& work) noexcept;

// True while work waits or runs: ranks that wait for it do not wait in vain.
bool pool_is_busy() noexcept;

}  // namespace heddle::io
