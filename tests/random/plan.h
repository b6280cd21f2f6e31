// plan.h — what ranks send each other in one phase of a random program, as all of them know it.
//
//   step 0   a message          from one rank to one rank
//   step 1   a burst            several messages to one rank, which receives them from MPI_ANY_SOURCE
//   step 2   a cycle            MPI_Sendrecv and its kin, of some ranks of a communicator
//   step 3   a cancelled send or receive, alone in a communicator of its own
//   …
//
// Each rank performs its part of the steps in their order. So no rank waits for one that waits for a later step, and
// the k-th message of a sender with a tag is that of the receiver's k-th receive: the program has one outcome,
// MPI_ANY_TAG included. Receives that are posted before all steps have tags of their own; so have bursts, or they are
// the only messages to their receiver in a communicator.
//
// Thread safety: of its strand; constant once made.

#pragma once

#include <string>
#include <vector>

#include "tests/random/communicators.h"
#include "tests/random/layout.h"
#include "tests/random/way.h"

namespace heddle::testing {

enum class Mode { kStandard, kSynchronous, kBuffered, kReady };
enum class Looks { kNot, kProbe, kIprobe, kMprobe, kImprobe };  // before a message is received

struct Message {
  unsigned long number = 0;         // of all messages that the program ever sends
  int side = 0;                     // the sender's, in an intercommunicator
  int from = 0, to = 0;             // ranks of the communicator's groups
  int source = 0, destination = 0;  // the same, as ranks of MPI_COMM_WORLD
  int tag = 0;
  int units = 0;  // how often the signature
  Mode mode = Mode::kStandard;
  Way sent = Way::kBlocking, received = Way::kBlocking;
  Looks looks = Looks::kNot;
  bool any_tag = false;
  bool early = false;  // its receive is posted before the first step
  int times = 1;       // it is sent again and again

  // Word i of the payload.
  long value(int time, int i) const;
};

struct Step {
  enum class Kind { kMessage, kBurst, kCycle, kCancelledSend, kCancelledReceive };

  Kind kind = Kind::kMessage;
  Node node;  // a copy: the communicator may be freed while messages are under way
  Signature signature;
  std::vector<Message> messages;

  std::string describe() const;
};

// Of one strand of each rank: what they may use.
struct Means {
  std::vector<Node> nodes;     // any
  std::vector<Node> reserved;  // at least two, of all ranks, and of no other strands
  int first_tag = 0;           // of 1000
  bool alone = true;           // no other strands use the nodes
};

class Plan {
 public:
  Plan(const Means& means, int steps, Dice& dice);

  const std::vector<Step>& steps() const { return steps_; }

 private:
  void add_message(Step& step, Dice& dice);
  void add_burst(Step& step, Dice& dice);
  void add_cycle(Step& step, Dice& dice);
  void add_cancelled(Step& step, Dice& dice);
  Message message(const Step& step, int from, int to, Dice& dice);
  int own_tag() { return means_.first_tag + kSharedTags + next_own_tag_++; }

  static constexpr int kSharedTags = 3;

  const Means& means_;
  int next_own_tag_ = 0;
  // Whether a rank gets one there, for each reserved communicator but the last, which is for what is cancelled.
  std::vector<std::vector<bool>> burst_to_;
  std::vector<Step> steps_;
};

}  // namespace heddle::testing
