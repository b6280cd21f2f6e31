/* The protocol of src/exec/ult/preempt/away.h and call_monitor.h: a ult that stands in a system call keeps
 * its kernel thread and gives its worker away.
 *
 * One worker has two ults, CALLER and OTHER. CALLER makes two calls. Each returns only after OTHER, which
 * becomes ready meanwhile, has run, so that the worker must be given away; or, in some schedules, from any
 * moment on by itself.
 * Two kernel threads, FIRST and SECOND, run the worker; each is spare when it does not. The monitor looks as
 * long as CALLER has not ended, and sleeps while the worker does.
 *
 * Checked in every schedule:
 *   one     one kernel thread at a time runs the worker, and only one is in CALLER
 *   call    CALLER goes away only in the call that was seen, and each call returns once
 *   gift    a spare kernel thread is given one worker at a time
 *   ends    no schedule blocks before both ults have ended
 *
 *   spin -run -safety models/away.pml
 *   spin -DNO_SWITCHES -run -safety models/away.pml       must fail, and so must:
 *     NO_SWITCHES       the handler does not ask whether it is still the call that was seen
 *     NO_TAKEN          the monitor writes the request again while the handler reads it
 *     KEEP_GIFT         the monitor counts the spare thread as its own after it was used
 *     HOME_TOO_EARLY    CALLER is in the inbox while its kernel thread is still on its stack
 *     NO_SECOND_LOOK    the monitor sleeps without a look at the worker after it has said so
 *     NO_WAKE           a worker that leaves its sleep does not wake the monitor
 */

#define CALLER 0
#define OTHER 1
#define NOBODY 9
#define FIRST 0
#define SECOND 1

#define RUNS 0 /* states of CALLER */
#define IN_CALL 1
#define AWAY 2
#define READY 3
#define ENDED 4

#define IDLE 0 /* the request */
#define ASKED 1
#define TAKEN 2

byte caller = RUNS;
byte call = 0;      /* which of the calls it is in or will make */
bool by_itself = false;
byte other_runs = 0;
bool other_ready = false;
#define MAY_RETURN (by_itself || other_runs > call)

byte runner = FIRST;  /* the kernel thread that runs the worker; NOBODY: on its way to another one */
byte given[2];        /* how often a worker was given to it that it has not taken up */
bool spare[2];        /* in the list, from where the monitor takes it */
byte in_caller = 0;   /* kernel threads on CALLER's stack */
bool worker_sleeps = false;
bool home = false; /* CALLER is in the inbox */

byte request = IDLE;
byte wanted;        /* the call that the request names */
byte gift = NOBODY; /* the spare thread in the request */
bool writes = false;
bool signalled = false;

bool monitor_sleeps = false;
bool all_ended = false;

/* CALLER's kernel thread `me`, interrupted by the signal, in its call or anywhere else. */
inline handle(me) {
  atomic { assert(in_caller == 1); signalled = false }
  if
  :: atomic { request == ASKED -> request = TAKEN }
#ifdef NO_TAKEN
     request = IDLE;
#endif
     seen = wanted;
     assert(!writes); /* gift and call belong together */
     to = NOBODY;
     if
#ifdef NO_SWITCHES
     :: true ->
#else
     :: caller == IN_CALL && seen == call ->
#endif
        to = gift;
#ifndef KEEP_GIFT
        gift = NOBODY
#endif
     :: else -> skip
     fi;
     atomic { request = IDLE };
     if
     :: to != NOBODY ->
        atomic {
          assert(caller == IN_CALL && seen == call); /* call */
          assert(runner == me);                      /* one */
          caller = AWAY;
          runner = NOBODY;
          given[to]++;
          assert(given[to] == 1 && to != me) /* gift */
        }
        /* the call, again, outside of the worker */
        MAY_RETURN;
        atomic { assert(caller == AWAY); call++ }
#ifdef HOME_TOO_EARLY
        home = true;
        in_caller--;
#else
        atomic { in_caller--; home = true }
#endif
        goto become_spare
     :: else -> skip
     fi
  :: else -> skip
  fi
}

proctype Thread(byte me) {
  byte seen, to;
  if
  :: me == FIRST -> goto enter_caller
  :: else -> goto become_spare
  fi;

become_spare:
  spare[me] = true;
  if
  :: atomic { given[me] > 0 -> assert(runner == NOBODY); given[me]--; runner = me }
  :: all_ended -> goto end
  fi;

pick:
  if
  :: atomic { home -> home = false; assert(caller == AWAY); caller = READY }; goto pick
  :: caller == READY && !home -> goto enter_caller
  :: other_ready && caller != READY && !home -> goto run_other
  :: !home && !other_ready && (caller == AWAY) -> /* nothing to run: sleep until CALLER is home */
     worker_sleeps = true;
     home;
     worker_sleeps = false;
#ifndef NO_WAKE
     monitor_sleeps = false;
#endif
     goto pick
  :: caller == ENDED && !other_ready -> all_ended = true; goto end
  fi;

run_other:
  atomic {
    assert(runner == me); /* one */
    other_runs++;
    other_ready = false
  }
  goto pick;

enter_caller:
  atomic {
    assert(runner == me && in_caller == 0); /* one */
    in_caller++;
    caller = RUNS
  }
in_program:
  do
  :: signalled -> handle(me)
  :: call < 2 -> break
  :: call >= 2 -> atomic { caller = ENDED; in_caller-- }; goto pick
  od;
  atomic { caller = IN_CALL; other_ready = true }
  do
  :: signalled -> handle(me)
  :: atomic { MAY_RETURN -> call++; caller = RUNS }; goto in_program
  od;

end:
  skip
}

proctype Monitor() {
  byte seen;
  do
  :: all_ended -> break
  :: else ->
     /* sleep with the worker */
     monitor_sleeps = true;
     if
#ifdef NO_SECOND_LOOK
     :: true -> (!monitor_sleeps || all_ended)
#else
     :: worker_sleeps -> (!monitor_sleeps || all_ended)
#endif
     :: !worker_sleeps -> skip
     fi;
     monitor_sleeps = false;
     /* one look, which finds the call that it has found at the look before */
     if
#ifdef NO_TAKEN
     :: atomic { true -> request = IDLE }
#else
     :: atomic { request != TAKEN -> request = IDLE }
#endif
        if
        :: atomic { caller == IN_CALL -> seen = call }
           if
           :: atomic { gift == NOBODY && spare[FIRST] -> gift = FIRST; spare[FIRST] = false }
           :: atomic { gift == NOBODY && spare[SECOND] -> gift = SECOND; spare[SECOND] = false }
           :: gift != NOBODY -> skip
           :: else -> goto look_again
           fi;
           writes = true;
           wanted = seen;
           writes = false;
           request = ASKED;
           signalled = (in_caller > 0)
        :: else -> skip
        fi
     :: request == TAKEN -> skip
     fi;
look_again:
     skip
  od
}

proctype Environment() {
  if
  :: by_itself = true
  :: skip
  fi
}

init {
  atomic {
    run Environment();
    run Thread(FIRST);
    run Thread(SECOND);
    run Monitor()
  }
}
