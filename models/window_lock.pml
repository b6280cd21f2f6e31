/* The locks of a window (src/mpi/rma/target_lock.h): one target's lock, and the count of those that have locked all.
 *
 * Strands 0 and 3 are in the target's process, 1 and 2 in another one, which maps the words (mapped.h): what these ask of
 * the lock's queue, the poll of the target's process does. Strands 0 and 1 lock the target alone, 3 locks all. With
 * -DSHARER strand 2 shares the lock, in place of strand 0; with -DALL_TOO strand 0 locks all, too; with -DTWICE those that lock
 * all do so twice.
 * Steps are those of the code: one for each atomic operation, and the sections under the queues' locks step by step, since
 * attempts without these locks come in between.
 *
 * Checked: an exclusive holder is alone; no strand waits for ever (an end in which one waits is an invalid end).
 *
 *   spin -run -safety models/window_lock.pml
 *   spin -DALL_LOOKS_FIRST -run -safety models/window_lock.pml      must fail, and so must:
 *     ALL_LOOKS_FIRST      lock_all looks for an exclusive holder, and then counts itself
 *     ALONE_LOOKS_FIRST    an exclusive one looks at the count, and then takes the lock
 *     KEEPS_LOCK           an exclusive one that finds the count keeps its lock while it waits
 *     FLAG_LATE            a waiter tries, and then says that it is queued
 *     NO_LOOK              a strand that passes by a queue does not look at it afterwards
 *     COUNT_UNSEEN         a waiter for the count does not look at it again
 *     NO_CALL              an unlock in the other process does not call the poll
 *     ANSWER_LATE          the poll looks at the queue, and then clears `called`
 *     CLEAR_LATE           the last one to leave wakes what waits for the count, and then clears `awaited`
 *     CLEARED_BY_WAITER    a waiter that finds the count 0 clears `awaited`
 */

#define STRANDS 4
#define SHARED 0
#define ALONE 1
#define PASS 2
#define NONE STRANDS
#define is_away(me) (me == 1 || me == 2)

#define PATIENCE 1

/* What a mutation needs to show. */
#ifdef CLEAR_LATE
#define ALL_TOO
#endif
#ifdef CLEARED_BY_WAITER
#define TWICE
#endif

#ifdef TWICE
#define ROUNDS 2
#else
#define ROUNDS 1
#endif

bool alone, queued, called, closed;  /* the word of the target's lock */
byte sharers;
byte count;                          /* of those that have locked all */
bool awaited;

bool lock;                           /* of the lock's queue */
byte queue[STRANDS], length;
bool count_lock[2];                  /* of the queues for the count: of the target's process, of the other one */
bool waits_for_count[STRANDS];
bool woken[STRANDS], has_lock[STRANDS];
byte mode[STRANDS], lost[STRANDS];

bool look_is_sent, asks[STRANDS];    /* packets */

byte in_alone, in_shared, in_all;

/* A newcomer respects those that wait. */
inline try(how, newcomer) {
  atomic {
    if
    :: how == ALONE && !alone && sharers == 0 && !(newcomer && closed) -> alone = true; got = true
    :: how == SHARED && !alone && !(newcomer && queued) -> sharers++; got = true
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

/* A step is one access to the word, with what no other strand sees of the steps around it. */
inline look_at_queue() {
  atomic {
    !lock -> lock = true;
    front = NONE; got = false; hindered = false;
    if :: length > 0 -> front = queue[0] :: else fi
  }
  if
  :: front != NONE && lost[front] >= PATIENCE -> try(mode[front], false); hindered = !got
  :: front != NONE && lost[front] < PATIENCE -> hindered = alone || (mode[front] == ALONE && sharers > 0)
  :: else
  fi;
  if
  :: hindered ->
     atomic {
       if :: closed = true :: skip fi;  /* sooner or later */
       front = NONE; hindered = false; got = false; lock = false
     }
  :: else ->
     if
     :: front != NONE ->
        atomic {
          has_lock[front] = got; pop();
          closed = false
        }
     :: else
     fi;
     atomic {
       if :: length == 0 -> queued = false :: else fi;
       lock = false;
       if :: front != NONE -> woken[front] = true; front = NONE :: else fi;
       got = false
     }
  fi
}

/* `got`: the lock is taken. Else the strand is in the queue. */
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
    :: else -> push(me)
    fi;
#ifdef FLAG_LATE
    if :: !got -> queued = true :: else fi;
#endif
    first = false; lock = false
  }
}

inline look(me) {
  if
  :: is_away(me) ->
     atomic { was_called = called; called = true }
#ifndef NO_CALL
     atomic { if :: !was_called -> look_is_sent = true :: else fi; was_called = false }
#endif
  :: else -> look_at_queue()
  fi
}

inline acquire(me, how) {
  atomic { mode[me] = how; try(how, true) }
  if
  :: got
  :: else ->
     do
     :: if
        :: is_away(me) ->
           asks[me] = true;
           atomic { woken[me]; got = has_lock[me]; woken[me] = false; has_lock[me] = false }
        :: else ->
           queue_up(me);
           if
           :: got
           :: else -> atomic { woken[me]; got = has_lock[me]; woken[me] = false; has_lock[me] = false }
           fi
        fi;
        if :: got -> break :: else fi;
        try(how, false);
        if :: got -> break :: else fi;
        if :: lost[me] < PATIENCE -> lost[me]++ :: else fi
     od;
     lost[me] = 0; mode[me] = 0;
#ifndef NO_LOOK
     if :: how != ALONE -> look(me) :: else fi
#endif
  fi;
  got = false
}

inline release(me, how) {
  atomic {
    was_queued = queued;
    if :: how == ALONE -> alone = false :: else -> sharers-- fi
  }
  if :: was_queued -> was_queued = false; look(me) :: else fi
}

inline wait_for_count(me) {
  atomic { !count_lock[me] -> count_lock[me] = true }
  atomic { first = (count == 0); awaited = true }
#ifdef COUNT_UNSEEN
  first = false;
#endif
  if
  :: first ->
#ifdef CLEARED_BY_WAITER
     awaited = false;
#endif
     atomic { first = false; count_lock[me] = false }
  :: else ->
     atomic { waits_for_count[me] = true; count_lock[me] = false }
     atomic { woken[me]; woken[me] = false }
  fi
}

/* The queue of each process: strand 0 waits in one, strand 1 in the other. */
inline wake_for_count(me) {
  atomic {
    !count_lock[me] ->
    if :: waits_for_count[me] -> waits_for_count[me] = false; woken[me] = true :: else fi
  }
}

/* Of the target's process: packets of different strands come in any order. */
active proctype poll() {
  bool got, first, hindered;
  byte i, front, asker;
end:
  do
  :: atomic { look_is_sent -> look_is_sent = false }
#ifdef ANSWER_LATE
     look_at_queue();
     called = false
#else
     called = false;
     look_at_queue()
#endif
  :: atomic { asks[1] -> asks[1] = false; asker = 1 }
     queue_up(asker);
     atomic { if :: got -> has_lock[asker] = true; woken[asker] = true; got = false :: else fi; asker = 0 }
  :: atomic { asks[2] -> asks[2] = false; asker = 2 }
     queue_up(asker);
     atomic { if :: got -> has_lock[asker] = true; woken[asker] = true; got = false :: else fi; asker = 0 }
  od
}

#define enter_alone() atomic { in_alone++; assert(in_alone == 1 && in_shared == 0 && in_all == 0) }

#if !defined(SHARER) && !defined(ALL_TOO)
active proctype locks_alone() {
  bool got, first, was_queued, was_called, hindered;
  byte i, front;
  byte me = 0;
#ifdef ALONE_LOOKS_FIRST
  count == 0;
  acquire(me, ALONE);
#else
  do
  :: acquire(me, ALONE);
     if
     :: count == 0 -> break
     :: else ->
#ifdef KEEPS_LOCK
        wait_for_count(me);
        break
#else
        release(me, ALONE);
        wait_for_count(me)
#endif
     fi
  od;
#endif
  enter_alone();
  in_alone--;
  release(me, ALONE)
}

#endif

active proctype locks_alone_too() {
  bool got, first, was_queued, was_called, hindered;
  byte i, front;
  byte me = 1;
  do
  :: acquire(me, ALONE);
     if
     :: count == 0 -> break
     :: else -> release(me, ALONE); wait_for_count(me)
     fi
  od;
  enter_alone();
  in_alone--;
  release(me, ALONE)
}

#ifdef SHARER
active proctype shares() {
  bool got, first, was_queued, was_called, hindered;
  byte i, front;
  byte me = 2;
  acquire(me, SHARED);
  atomic { in_shared++; assert(in_alone == 0) }
  in_shared--;
  release(me, SHARED)
}
#endif

proctype locks_all(byte me) {
  bool got, first, was_queued, was_called, hindered;
  byte i, front, rounds = ROUNDS;
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
     atomic { in_all++; assert(in_alone == 0) }
     atomic { in_all--; was_queued = awaited && count == 1; count-- }
     if
     :: was_queued ->
        was_queued = false;
#ifdef CLEAR_LATE
        wake_for_count(0);
        wake_for_count(1);
        awaited = false
#else
        awaited = false;
        wake_for_count(0);
        wake_for_count(1)
#endif
     :: else
     fi
  :: else -> break
  od
}

init {
  atomic {
    run locks_all(3);
#ifdef ALL_TOO
    run locks_all(0)
#endif
  }
}
