/* Why a ult that is away does not stop those that wait for its locks (src/exec/ult/preempt/away.h, decision 70).
 *
 * LOCK is one of libc's: a futex. A ult that does not get it sleeps in the kernel, and with it its worker, until it
 * leaves the worker or the call ends. SPIN is a spin lock of ours: a ult that does not get it keeps its worker.
 *
 * Two ults of one worker:
 *   FIRST    takes LOCK, makes a long call, lets go. In some schedules the call changes memory, as in malloc; in others
 *            it writes or reads.
 *   SECOND   takes LOCK inside MPI and lets go. In some schedules it holds SPIN meanwhile (malloc in a section without
 *            switch). Then the long call of FIRST is the allocator's.
 *   FIRST    then takes SPIN and lets go, as any ult may that runs while SECOND is away.
 * A kernel thread OTHER holds LOCK at the start in some schedules, so that both ults wait for it.
 *
 * A thread MAKER needs LOCK, too: it makes the spare threads. It has enough of them here.
 *
 * The monitor interrupts a call again and again: it begins anew, or its ult leaves. Which one is left to chance, and
 * so is when. A call that ends while its ult is away leaves the ult in the inbox (HOME).
 *
 * Checked: no schedule blocks before all have ended.
 *
 *   spin -run -safety models/away_locks.pml
 *   spin -DASKED_ONCE -run -safety models/away_locks.pml       must fail, and so must:
 *     ASKED_ONCE         a call that may not be left is not interrupted again
 *     STAYS_IN_MPI       a ult leaves only calls of its program
 *     LEAVES_SECTIONS    a ult that holds SPIN leaves
 *     MONITOR_MAKES      the monitor makes them itself, and interrupts no call while it waits for LOCK
 *     LEAVES_MEMORY      the allocator's holder leaves a call that changes memory
 */

#define FIRST 0
#define SECOND 1
#define OTHER 2
#define MAKER 3
#define NONE 9

mtype = { READY, RUNS, AWAY, HOME, ENDED };
mtype state[2] = { READY, READY };

/* The futex: 0 free, 1 held, 2 held and perhaps awaited. Who sleeps on it, in order. */
byte lock = 0;
chan sleepers = [3] of { byte };
bool woken[4];
bool asleep[2];
bool refused[2];

byte spin = NONE;
bool memory_call;     /* FIRST's */
bool second_in_section;
bool other_ended = false;
bool maker_sleeps = false;
#ifdef MONITOR_MAKES
#define MONITOR_SLEEPS maker_sleeps
#else
#define MONITOR_SLEEPS false
#endif

/* The worker runs the caller. All but AWAY needs it. */
#define get_worker(me, other) atomic { (state[other] != RUNS && (state[me] == READY || state[me] == HOME)) -> state[me] = RUNS }

#ifdef STAYS_IN_MPI
#define STAYS(in_mpi) (in_mpi)
#else
#define STAYS(in_mpi) false
#endif
#ifdef LEAVES_SECTIONS
#define IN_SECTION(me) false
#else
#define IN_SECTION(me) (spin == me)
#endif
#ifdef LEAVES_MEMORY
#define KEPT(memory) false
#else
#define KEPT(memory) (memory)
#endif
#define MAY_LEAVE(me, in_mpi, memory) (!IN_SECTION(me) && !STAYS(in_mpi) && !KEPT(memory))

#ifdef ASKED_ONCE
#define ASKED(me) (!refused[me])
#else
#define ASKED(me) (lock != 2) /* else the call that begins anew is as before: no step */
#endif

inline unlock() {
  atomic {
    if
    :: lock == 2 && len(sleepers) > 0 -> sleepers?next; woken[next] = true; lock = 0
    :: else -> lock = 0
    fi
  }
}

/* As libc does it: a ult that has slept takes the lock as awaited. */
inline take(me, other, in_mpi) {
  atomic { if :: lock == 0 -> lock = 1; got = true :: else -> got = false fi };
  refused[me] = false;
  do
  :: got -> break
  :: else ->
     atomic { if :: lock == 0 -> lock = 2; got = true :: else -> lock = 2 fi };
     if
     :: got -> skip
     :: else ->
        /* futex_wait(2) */
        atomic { if :: lock == 2 -> asleep[me] = true; woken[me] = false; sleepers!me :: else -> asleep[me] = false fi };
        do
        :: !asleep[me] -> break
        :: atomic { asleep[me] && woken[me] -> asleep[me] = false } /* it has left the queue */
        /* The monitor's signal: out of the queue, and the call begins anew, perhaps away. */
        :: atomic { asleep[me] && !woken[me] && state[me] == RUNS && !MONITOR_SLEEPS &&
                    (MAY_LEAVE(me, in_mpi, false) || ASKED(me)) ->
             sleepers??eval(me);
             if
             :: MAY_LEAVE(me, in_mpi, false) -> state[me] = AWAY
             :: else -> refused[me] = true
             fi;
             if :: lock == 2 -> sleepers!me :: else -> asleep[me] = false fi }
        od;
        if
        :: atomic { state[me] == AWAY -> state[me] = HOME };
           get_worker(me, other)
        :: state[me] == RUNS -> skip
        fi
     fi
  od
}

proctype First() {
  byte next;
  bool got;
  get_worker(FIRST, SECOND);
  take(FIRST, SECOND, false);
  /* the long call */
  if :: atomic { MAY_LEAVE(FIRST, false, memory_call) -> state[FIRST] = AWAY } :: skip fi;
  if
  :: atomic { state[FIRST] == AWAY -> state[FIRST] = HOME }; get_worker(FIRST, SECOND)
  :: state[FIRST] == RUNS -> skip
  fi;
  unlock();
  atomic { spin == NONE -> spin = FIRST };
  spin = NONE;
  state[FIRST] = ENDED
}

proctype Second() {
  byte next;
  bool got;
  get_worker(SECOND, FIRST);
  if :: second_in_section -> atomic { spin == NONE -> spin = SECOND } :: else fi;
  take(SECOND, FIRST, true);
  unlock();
  if :: second_in_section -> spin = NONE :: else fi;
  state[SECOND] = ENDED
}

proctype Other() {
  byte next;
  unlock();
  other_ended = true
}

proctype Maker() {
  byte next;
  bool got;
  atomic { if :: lock == 0 -> lock = 1; got = true :: else -> got = false fi };
  do
  :: got -> break
  :: else ->
     atomic {
       if
       :: lock == 0 -> lock = 2; got = true
       :: else -> lock = 2; woken[MAKER] = false; sleepers!MAKER; maker_sleeps = true
       fi
     };
     if
     :: got -> skip
     :: else -> woken[MAKER] -> maker_sleeps = false
     fi
  od;
  unlock()
}

init {
  atomic {
    if :: memory_call = true; second_in_section = true :: memory_call = true :: skip fi;
    if :: lock = 1; run Other() :: other_ended = true fi;
    run Maker();
    run First();
    run Second()
  }
}
