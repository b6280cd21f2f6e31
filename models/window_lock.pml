/* The locks of a window (src/mpi/rma/target_lock.h): one target's lock, and the count of those that have locked all.
 *
 * Two processes lock the target alone, one shares it, one locks all. Steps are those of the code: one for each
 * atomic operation, and the sections under the queues' locks step by step, since attempts without these locks come in between.
 *
 * Checked: an exclusive holder is alone; no process waits for ever (an end in which one waits is an invalid end).
 *
 *   spin -run -safety models/window_lock.pml
 *   spin -DALL_LOOKS_FIRST -run -safety models/window_lock.pml      must fail, and so must:
 *     ALL_LOOKS_FIRST      lock_all looks for an exclusive holder, and then counts itself
 *     ALONE_LOOKS_FIRST    an exclusive one looks at the count, and then takes the lock
 *     KEEPS_LOCK           an exclusive one that finds the count keeps its lock while it waits
 *     FLAG_LATE            a waiter tries, and then says that it is queued
 *     NO_LOOK              who passes by a queue does not look at it afterwards
 *     COUNT_UNSEEN         a waiter for the count does not look at it again
 */

#define PROCESSES 4
#define SHARED 0
#define ALONE 1
#define PASS 2

#ifndef PATIENCE
#define PATIENCE 1
#endif

bool alone, queued;      /* the word of the target's lock */
byte sharers;
byte count;              /* of those that have locked all */
bool awaited;

bool lock, count_lock;   /* of the queues */
byte queue[PROCESSES], length;
bool waits_for_count[PROCESSES];
bool woken[PROCESSES], granted[PROCESSES];
byte mode[PROCESSES], lost[PROCESSES];

byte in_alone, in_shared, in_all;

inline try(how, respects) {
  atomic {
    if
    :: how == ALONE && !alone && sharers == 0 -> alone = true; got = true
    :: how == SHARED && !alone && !(respects && queued) -> sharers++; got = true
    :: how == PASS && !alone -> got = true
    :: else -> got = false
    fi
  }
}

inline push(me) {
  d_step {
    if
    :: lost[me] > 0 ->
       i = length;
       do :: i > 0 -> queue[i] = queue[i - 1]; i-- :: else -> break od;
       queue[0] = me
    :: else -> queue[length] = me
    fi;
    length++; i = 0
  }
}

inline pop() {
  d_step {
    i = 1;
    do :: i < length -> queue[i - 1] = queue[i]; i++ :: else -> break od;
    length--; i = 0
  }
}

/* A step is one access to the word, with what no other process sees of the steps around it. */
inline look_at_queue() {
  atomic {
    !lock -> lock = true;
    front = PROCESSES;
    hindered = length > 0 && (alone || (mode[queue[0]] == ALONE && sharers > 0));
    if :: length > 0 && !hindered -> front = queue[0]; granted[front] = false :: else fi
  }
  if
  :: front < PROCESSES ->
     atomic {
       if :: lost[front] >= PATIENCE -> try(mode[front], false); granted[front] = got :: else fi;
       pop()
     }
  :: else
  fi;
  atomic {
    if :: length == 0 -> queued = false :: else fi;
    lock = false;
    if :: front < PROCESSES -> woken[front] = true :: else fi
  }
}

/* `got`: the lock is taken. Else the process is in the queue. */
inline queue_up(me) {
  atomic {
    !lock -> lock = true;
    first = lost[me] > 0 || length == 0;
#ifndef FLAG_LATE
    queued = true;
#endif
    got = false
  }
  if :: first -> try(mode[me], false) :: else fi;
  atomic {
    if
    :: got -> if :: length == 0 -> queued = false :: else fi
    :: else -> woken[me] = false; push(me)
    fi;
#ifdef FLAG_LATE
    if :: !got -> queued = true :: else fi;
#endif
    lock = false
  }
}

inline acquire(me, how) {
  mode[me] = how;
  lost[me] = 0;
  try(how, true);
  if
  :: got
  :: else ->
     do
     :: queue_up(me);
        if :: got -> break :: else fi;
        woken[me];
        if :: granted[me] -> break :: else fi;
        try(how, false);
        if :: got -> break :: else fi;
        if :: lost[me] < PATIENCE -> lost[me]++ :: else fi
     od;
#ifndef NO_LOOK
     if :: how != ALONE -> look_at_queue() :: else fi
#endif
  fi
}

inline release(how) {
  atomic {
    was_queued = queued;
    if :: how == ALONE -> alone = false :: else -> sharers-- fi
  }
  if :: was_queued -> look_at_queue() :: else fi
}

inline wait_for_count(me) {
  atomic { !count_lock -> count_lock = true; first = (count == 0); awaited = true }
#ifdef COUNT_UNSEEN
  first = false;
#endif
  if
  :: first -> awaited = false; count_lock = false
  :: else -> woken[me] = false; waits_for_count[me] = true; count_lock = false; woken[me]
  fi
}

active proctype locks_alone() {
  bool got, first, was_queued, hindered;
  byte i, front, rounds = 1;
  byte me = 0;
  do
  :: rounds > 0 ->
     rounds--;
     do
     :: 
#ifdef ALONE_LOOKS_FIRST
        count == 0;
        acquire(me, ALONE);
        break
#else
        acquire(me, ALONE);
        if
        :: count == 0 -> break
        :: else ->
#ifndef KEEPS_LOCK
           release(ALONE);
           wait_for_count(me)
#else
           wait_for_count(me);
           break
#endif
        fi
#endif
     od;
     in_alone++;
     assert(in_alone == 1 && in_shared == 0 && in_all == 0);
     in_alone--;
     release(ALONE)
  :: else -> break
  od
}

active proctype locks_alone_too() {
  bool got, first, was_queued, hindered;
  byte i, front, rounds = 1;
  byte me = 1;
  do
  :: rounds > 0 ->
     rounds--;
     do
     :: acquire(me, ALONE);
        if
        :: count == 0 -> break
        :: else -> release(ALONE); wait_for_count(me)
        fi
     od;
     in_alone++;
     assert(in_alone == 1 && in_shared == 0 && in_all == 0);
     in_alone--;
     release(ALONE)
  :: else -> break
  od
}

active proctype shares() {
  bool got, first, was_queued, hindered;
  byte i, front, rounds = 1;
  byte me = 2;
  do
  :: rounds > 0 ->
     rounds--;
     acquire(me, SHARED);
     in_shared++;
     assert(in_alone == 0);
     in_shared--;
     release(SHARED)
  :: else -> break
  od
}

active proctype locks_all() {
  bool got, first, was_queued, hindered;
  byte i, front, rounds = 1;
  byte me = 3;
  do
  :: rounds > 0 ->
     rounds--;
#ifdef ALL_LOOKS_FIRST
     if :: alone -> acquire(me, PASS) :: else fi;
     count++;
#else
     count++;
     if :: alone -> acquire(me, PASS) :: else fi;
#endif
     in_all++;
     assert(in_alone == 0);
     in_all--;
     atomic { was_queued = awaited && count == 1; count-- }
     if
     :: was_queued ->
        atomic {
          !count_lock -> awaited = false;
          do
          :: i < PROCESSES && waits_for_count[i] -> waits_for_count[i] = false; woken[i] = true; i++
          :: i < PROCESSES && !waits_for_count[i] -> i++
          :: else -> break
          od;
          i = 0
        }
     :: else
     fi
  :: else -> break
  od
}
