/* The stand-in, and the kernel threads that lend themselves to ults (src/exec/ult/wait/stand_in.h, decision 107).
 *
 * A program's thread starts some work twice, and each time either computes until it is done, or waits for it in MPI. A second
 * thread of the program may wait in MPI for something else until the first work is done. The work is one ult of the lent worker: its first turn asks another process; the answer arrives in a place that threads in MPI look at, and rings the bell;
 * the second turn ends the work. While it waits, a thread of the program polls, runs the ult if it is ready, and may sleep.
 *
 *   program  [B1] under_way + 1; [B2] the word is UNWATCHED: calls the stand-in; [P1] pushes the ult into the inbox;
 *            [P2] the word is not AWAKE: calls the stand-in
 *   waiter   [W1] waiting + 1; polls and runs; [W2] lists itself, takes the bell if it is free, looks once more, sleeps;
 *            [W3] passes a nudge on, if it goes before it has slept again; [W4] waiting - 1; [W5] it was the last, work is under way,
 *            and the word is UNWATCHED: calls the stand-in
 *   stand-in watches for a period: any time. Then [D1] the word = ATTENDED or UNWATCHED; [D2] looks into the inbox, with the
 *            worker; [D3] looks at the counters; sleeps
 *
 * Checked in every schedule: one thread at a time has the worker; no schedule ends before the work is done.
 *
 *   spin -run -safety models/stand_in.pml
 *   spin -DNO_SECOND_LOOK -run -safety models/stand_in.pml      must fail, and so must:
 *     NO_SECOND_LOOK  the stand-in does not look into the inbox after it has written the word
 *     NO_COUNTERS     the stand-in does not look at the counters after it has written the word
 *     NO_CALL         a push does not call the stand-in
 *     NO_FAREWELL     the last thread that waits does not call the stand-in when it goes
 *     NO_NUDGE        a thread that leaves the bell wakes no other one
 *     NO_PASSING_ON   a thread that was nudged goes its way, and the bell stays free while others sleep
 */

#define AWAKE 0
#define ATTENDED 1
#define UNWATCHED 2

#define WAITERS 2       /* threads 0 and 1 are the program's, 2 is the stand-in */
#define STAND_IN 2
#define NONE 9

byte word = AWAKE, under_way, waiting;
bool taken, inbox, ended;
byte ult;               /* turns that it has had: 2 is the end */
bool asked, arrived;
bool done, other_done;  /* what the threads 0 and 1 wait for */

bool woken[3], listed[3], bell_taken, bell_rung;
byte at_bell = NONE;

#define IS_WANTED (under_way != 0 && waiting == 0)

inline call_stand_in() { word = AWAKE; woken[STAND_IN] = true }

/* Once the bell has rung, the sleeper there looks. */
inline poll() {
  atomic {
    if
    :: arrived -> arrived = false; inbox = true; /* [P1] */
#ifndef NO_CALL
       if
       :: word != AWAKE -> call_stand_in() /* [P2] */
       :: else
       fi
#endif
    :: else
    fi
  }
}

inline run_ults() {
  if
  :: atomic { inbox && !taken -> taken = true };
     do
     :: atomic { inbox -> inbox = false; ult++; assert(taken) };
        if
        :: ult == 1 -> asked = true
        :: else -> under_way--; atomic { done = true; woken[0] = true }
        fi
     :: else -> break
     od;
     taken = false
  :: else
  fi
}

inline look() { poll(); run_ults() }

inline nudge() {
  if
  :: listed[0] -> listed[0] = false
  :: listed[1] -> listed[1] = false
  :: listed[2] -> listed[2] = false
  :: else
  fi
}

/* [W2] Returns when it was woken, rung or nudged. */
inline sleep_in_mpi(me) {
  atomic {
    listed[me] = true;
    if
    :: !bell_taken -> bell_taken = true; at_bell = me; bell_rung = false
    :: else
    fi
  }
  if
  :: atomic { arrived || inbox -> skip }
  :: else -> (woken[me] || !listed[me] || (at_bell == me && bell_rung))
  fi;
  atomic {
    owes = !listed[me];
    listed[me] = false;
    if
    :: at_bell == me -> owes = false; bell_taken = false; at_bell = NONE;
#ifndef NO_NUDGE
       nudge()
#endif
    :: else
    fi
  }
}

inline wait_in_mpi(me, condition) {
  waiting++;                        /* [W1] */
  do
  :: condition -> break
  :: else ->
     woken[me] = false;
     look();
     if
     :: condition
     :: else -> sleep_in_mpi(me)
     fi
  od;
#ifndef NO_PASSING_ON
  if
  :: owes -> atomic { owes = false; nudge() }   /* [W3] */
  :: else
  fi;
#endif
  atomic { waiting--; last = (waiting == 0) };  /* [W4] */
#ifndef NO_FAREWELL
  if
  :: last && under_way != 0 ->
     atomic {
       if
       :: word == UNWATCHED -> call_stand_in()  /* [W5] */
       :: else
       fi
     }
  :: else
  fi
#endif
}

active proctype Program() {
  byte round;
  bool last, owes;
  for (round : 1 .. 2) {
    under_way++;                    /* [B1] */
    atomic {
      if
      :: word == UNWATCHED -> call_stand_in()  /* [B2] */
      :: else
      fi
    }
    atomic {
      done = false; ult = 0; inbox = true;     /* [P1] */
#ifndef NO_CALL
      if
      :: word != AWAKE -> call_stand_in()        /* [P2] */
      :: else
      fi
#endif
    }
    if
    :: run_ults()
    :: skip
    fi;
    if
    :: skip -> done                 /* computes */
    :: wait_in_mpi(0, done)
    fi;
    atomic { other_done = true; woken[1] = true }
  }
  atomic { ended = true; woken[STAND_IN] = true }
}

active proctype Second() {
  bool last, owes;
  if
  :: wait_in_mpi(1, other_done)
  :: skip
  fi
}

active proctype OtherProcess() {
  do
  :: atomic { asked -> asked = false; arrived = true };
     atomic {
       if
       :: at_bell != NONE -> bell_rung = true
       :: else
       fi
     }
  :: ended -> break
  od
}

active proctype StandIn() {
  bool begun, owes;
  do
  :: ended -> break
  :: else ->
     woken[STAND_IN] = false;
     run_ults();
     if
     :: IS_WANTED ->
        word = ATTENDED                       /* [D1] */
     :: !IS_WANTED ->
        word = UNWATCHED                      /* [D1] */
     :: skip                                  /* watches */
     fi;
     if
     :: word != AWAKE ->
        begun = true;
#ifndef NO_SECOND_LOOK
        if
        :: atomic { !taken -> begun = !inbox } /* [D2] */
        :: else -> begun = false
        fi;
#endif
#ifndef NO_COUNTERS
        if
        :: word == UNWATCHED && IS_WANTED -> begun = false  /* [D3] */
        :: word == ATTENDED && !IS_WANTED -> begun = false
        :: else
        fi;
#endif
        if
        :: begun && word == ATTENDED -> poll(); sleep_in_mpi(STAND_IN);
#ifndef NO_PASSING_ON
           atomic {
             if
             :: owes -> owes = false; nudge()
             :: else
             fi
           }
#endif
        :: begun && word == UNWATCHED -> (woken[STAND_IN] || ended)
        :: else
        fi;
        word = AWAKE
     :: else
     fi
  od
}
