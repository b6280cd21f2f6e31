// traffic.h — a rank's part of a plan: its sends and receives, and what must have come.
//
//   Traffic traffic(rank, local, buffered);    how a rank does its part, it draws from `local`: datatypes, whether a
//                                              request is waited for, tested or freed, and when
//   traffic.post_early(plan);                  before the first step of any rank
//   traffic.perform(step);                     one after the other
//   traffic.finish(0);
//   … all ranks have finished …                before it ends
//
// Thread safety: of its strand.

#pragma once

#include <mpi.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "tests/random/dice.h"
#include "tests/random/layout.h"
#include "tests/random/plan.h"

namespace heddle::testing {

class Traffic {
 public:
  // At most `buffered` sends of kBufferedBytes are buffered ones; the attached buffer has room for so many.
  // before_call() runs before each call of MPI that sends, receives, looks or waits.
  Traffic(
      int world_rank, Dice& local, int buffered, std::function<void()> before_call = [] {});
  ~Traffic();
  Traffic(const Traffic&) = delete;

  static constexpr int kBufferedBytes = 4096;

  void post_early(const Plan& plan);
  void perform(const Step& step);
  // Waits for some in an order and by calls of the rank's own choice, until so many are left.
  void finish(int left);

 private:
  // One send or receive, or both.
  struct Transfer {
    Step step;        // a copy: the plan may be gone when a freed request ends
    Message message;  // of those of the step: what is received, or else sent
    bool receives = false;
    int time = 0;
    std::unique_ptr<Layout> layout;
    std::unique_ptr<Room> room;
    int count = 0;  // elements
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status = {};
    bool persistent = false;
    std::unique_ptr<Transfer> beside;  // what MPI_Sendrecv sends
  };
  using Owned = std::unique_ptr<Transfer>;

  Owned outgoing(const Step& step, const Message& message);
  Owned incoming(const Step& step, const Message& message);
  // The payload, or what must come of it.
  static void fill(Transfer& transfer, int time);

  void send(const Step& step, const Message& message);
  Mode mode_for(const Step& step, const Message& message);
  void receive(const Step& step, const Message& message);
  // Receives the next message of the sender or of any; with kNonblocking the request is open still.
  void receive_next(Transfer& transfer, int source, int tag);
  void receive_after_look(Transfer& transfer, int source, int tag);
  void start(Transfer& transfer);
  void burst(const Step& step);
  void cycle(const Step& step);
  void cancel_send(const Step& step);
  void cancel_receive(const Step& step);
  void expect_cancelled(Transfer& transfer);

  void wait(Transfer& transfer);
  void finish_one();
  void finish_all();
  void finish_some();
  void check(Transfer& transfer);
  void check_status(const Transfer& transfer);
  void expect_success(int code, const Step& step);

  const int me_;
  Dice& local_;
  int buffered_;
  const std::function<void()> before_call_;
  std::vector<Owned> pending_, forgotten_;
  std::deque<Owned> early_;
};

}  // namespace heddle::testing
