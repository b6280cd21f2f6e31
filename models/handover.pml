/* The partitions of one message between two ranks of a host (src/mpi/partitioned/handover.h, decision 113).
 *
 * A sender and a receiver go through two rounds. Two threads of the sender mark one partition each, in any order with
 * the receiver's start; the first one is the sender itself, and waits for the end of the round.
 *
 *   sender    [S1] missing = partitions; each thread: [M0] waits while its partition is taken, of the last round; [M1] absent ->
 *             ready; [M2] has the receiver begun the round? takes
 *   receiver  [R1] begun = round; [R2] takes every partition that is ready
 *   take      [T1] ready -> taken, by one; copies; [T2] missing - 1; the last completes the receiver, then the sender;
 *             [T3] -> there
 *
 * A side that sees itself complete may begin the next round, or end: then the memory of its request is gone.
 *
 * Checked in every schedule: each partition is copied once a round, with the data of that round and into a buffer of that
 * round; no request is completed twice or after its end; where all partitions are there the receiver is complete; no schedule ends before both rounds are over.
 *
 *   spin -run -safety models/handover.pml
 *   spin -DLOOK_FIRST -run -safety models/handover.pml      must fail, and so must:
 *     LOOK_FIRST     a thread looks whether the receiver has begun before it marks the partition
 *     NO_SWEEP       the receiver does not look at what was ready before it began
 *     TAKE_ANYWAY    a partition is taken without a claim
 *     THERE_FIRST    a partition is there before its copy is counted
 *     NO_WAIT        a thread does not wait for the end of the last round at its partition
 *     LATE_MISSING   the sender sets the count after its threads may mark
 */

#define PARTS 2
#define ROUNDS 2

#define READY(round) (4 * (round) + 1)
#define TAKEN(round) (4 * (round) + 2)
#define THERE(round) (4 * (round) + 3)

byte state[PARTS] = THERE(0);
byte begun, missing;
byte copies[PARTS];     /* in this round of the sender */

byte sending, receiving;        /* the round of each side's request, which is active */
bool sender_done, receiver_done;

byte marks[PARTS];      /* rounds in which a thread may mark its partition */

inline copy(part, round) {
  assert(sending == round && receiving == round && !sender_done && !receiver_done);
  copies[part]++;
  assert(copies[part] == 1)
}

inline take(part, round) {
  claimed = false;
#ifdef TAKE_ANYWAY
  if
  :: state[part] == READY(round) -> claimed = true
  :: else
  fi;
  if
  :: claimed -> state[part] = TAKEN(round)
  :: else
  fi;
#else
  atomic {
    if
    :: state[part] == READY(round) -> state[part] = TAKEN(round); claimed = true /* [T1] */
    :: else
    fi
  }
#endif
  if
  :: claimed ->
     atomic { copy(part, round) }
#ifdef THERE_FIRST
     state[part] = THERE(round);
#endif
     atomic { missing--; last = (missing == 0) } /* [T2] */
     if
     :: last -> finish(round)
     :: else
     fi;
#ifndef THERE_FIRST
     state[part] = THERE(round) /* [T3] */
#endif
  :: else
  fi
}

inline finish(round) {
  atomic { assert(receiving == round && !receiver_done); receiver_done = true }
  atomic { assert(sending == round && !sender_done); sender_done = true }
}

inline mark(part, round) {
#ifdef LOOK_FIRST
  looked = (begun >= round);
#endif
#ifndef NO_WAIT
  state[part] != TAKEN(round - 1); /* [M0] */
#endif
  atomic { assert(state[part] == THERE(round - 1)); state[part] = READY(round) } /* [M1] */
#ifndef LOOK_FIRST
  looked = (begun >= round); /* [M2] */
#endif
  if
  :: looked -> take(part, round)
  :: else
  fi
}

active proctype sender() {
  byte round = 1, i;
  bool claimed, last, looked;
  do
  :: round <= ROUNDS ->
     atomic { sender_done = false; sending = round; copies[0] = 0; copies[1] = 0 }
#ifdef LATE_MISSING
     marks[1] = round;
     missing = PARTS;
#else
     missing = PARTS; /* [S1] */
     marks[1] = round;
#endif
     mark(0, round);
     sender_done;
     round++
  :: else -> break
  od
}

active proctype thread() {
  byte round = 1;
  bool claimed, last, looked;
  do
  :: round <= ROUNDS ->
     marks[1] == round;
     mark(1, round);
     round++
  :: else -> break
  od
}

active proctype receiver() {
  byte round = 1, i;
  bool claimed, last;
  do
  :: round <= ROUNDS ->
     atomic { receiver_done = false; receiving = round }
     begun = round; /* [R1] */
#ifndef NO_SWEEP
     i = 0;
     do
     :: i < PARTS -> take(i, round); i++ /* [R2] */
     :: else -> break
     od;
#endif
     if
     :: atomic { state[0] >= THERE(round) && state[1] >= THERE(round) -> assert(receiver_done) }
     :: receiver_done
     fi;
     receiver_done;
     round++
  :: else -> break
  od
}
