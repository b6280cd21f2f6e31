// lending.h — which kernel thread runs the ults of the lent worker (lend.h), and which threads are
// there to do so.
//
// A thread takes the worker, runs ults until none is ready, and gives it back; it never sleeps with
// it. A push into the worker's inbox that comes just then is found by a thread that waits, at its
// next look, or by the stand-in (stand_in.h).
//
// Memory order: the release of give_worker_back pairs with the acquire of take_worker: the next
// thread finds the worker as this one has left it. The counters are seq_cst, with the worker's word
// (stand_in.h).
//
// Thread safety: any thread.

#pragma once

namespace heddle::ult {

class LentWorker;

// False: another thread has it.
bool take_worker() noexcept;
void give_worker_back() noexcept;

// Runs what is ready. True: some ults have run.
bool run_ready(LentWorker& worker) noexcept;
// Asked before a sleep: true if look_after_ults() would find something.
bool ults_want_a_thread() noexcept;

// While a kernel thread waits in MPI: it looks after the ults again and again, or sleeps where
// packets wake it.
class Attendance {
 public:
  Attendance() noexcept;
  ~Attendance();
  Attendance(Attendance&&) = delete;

 private:
  LentWorker* const worker_;
};

// The calling thread becomes the stand-in: its own looks and waits do not count.
void become_stand_in() noexcept;
int work_under_way() noexcept;
int threads_that_wait() noexcept;
// True if another thread has looked after the ults since the last call of forget_looks.
bool others_have_looked() noexcept;
void forget_looks() noexcept;

}  // namespace heddle::ult
