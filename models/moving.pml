/* A ult that moves between workers (src/exec/ult/run/ult_record.h, decision 100): who tells it of wake-ups and alerts, and
 * in which inbox its record lies.
 *
 * Three workers. Strands of each wake the ult once, a kernel thread wakes it twice and alerts it once. Its worker may move
 * it twice, to any worker, when it has just taken it from its run queue.
 *
 *   wake   by a strand of the ult's worker: counts in `counted`, without atomics
 *          by any other strand: [W1] adds to `news`; if it was zero, reads `worker` [W2] and pushes the record into that
 *          worker's inbox [W3]
 *   alert  by any strand: as a wake-up from afar, with a bit of its own in `news`
 *   move   by its worker: [M1] `news` from 0 to the bit `moved`; if it is not 0, something is on its way here, and the ult
 *          stays this time. [M2] worker = none; [M3] pushes the record into the other inbox
 *   take   by a worker, the record from its inbox: [T1] worker = this one; [T2] exchanges `news` for 0
 *
 * Checked in every schedule: the record is in one inbox at a time; a waker never finds `none`; what belongs to the worker
 * is touched by one worker at a time; no wake-up and no alert is lost, so every schedule ends with the ult parked.
 *
 *   spin -run -safety models/moving.pml
 *   spin -DREAD_FIRST -run -safety models/moving.pml      must fail, and so must:
 *     READ_FIRST      a waker reads the worker before it adds
 *     EXCHANGE_FIRST  the new worker takes the news before it shows itself
 *     MOVE_ANYWAY     the mover does not look whether something is on its way
 *     KEEP_WORKER     the mover leaves itself as the worker
 *     TAKE_MOVE       the new worker counts the move as a wake-up
 */

#define NONE 9
#define WORKERS 3
#define AFAR 2  /* wake-ups by the kernel thread */
#define MOVES 2
#define WAKES (AFAR + WORKERS)

#define PARKED 0
#define READY 1

byte worker = 0;
byte wakes;              /* `news`, in one word: how many wake-ups, */
bool alert, moved;       /* and two bits */
#define NEWS (wakes != 0 || alert || moved)

bool inbox[WORKERS];
bool linked = false;     /* the record is in an inbox */

byte state = PARKED, counted, consumed, moves;
bool alerted = false;
byte holder = 0;         /* the worker that may touch state and counted */

inline push(to) {
  atomic { assert(to != NONE && !linked); linked = true; inbox[to] = true }
}

/* [W1] to [W3] */
inline tell(more_wakes, an_alert) {
#ifdef READ_FIRST
  to = worker;
  atomic { first = !NEWS; wakes = wakes + more_wakes; alert = alert || an_alert }
#else
  atomic { first = !NEWS; wakes = wakes + more_wakes; alert = alert || an_alert }
#endif
  if
  :: first ->
#ifndef READ_FIRST
     to = worker;
#endif
     push(to)
  :: else
  fi
}

active proctype Afar() {
  byte i, to;
  bool first;
  for (i : 1 .. AFAR) { tell(1, false) }
  tell(0, true)
}

inline take(me) {
  atomic { inbox[me] = false; linked = false }
#ifdef EXCHANGE_FIRST
  atomic { n = wakes; a = alert; m = moved; wakes = 0; alert = false; moved = false };
  worker = me;
#else
  worker = me;
  atomic { n = wakes; a = alert; m = moved; wakes = 0; alert = false; moved = false };
#endif
  if :: m -> holder = me :: else fi;
  assert(holder == me && worker == me);
#ifdef TAKE_MOVE
  if :: m -> n++ :: else fi;
#endif
  atomic {
    counted = counted + n;
    if :: a -> alerted = true :: else fi;
    if
    :: m -> assert(state == READY)
    :: !m && state == PARKED && (n > 0 || a) -> state = READY
    :: else
    fi
  }
}

inline move() {
  moves++;
#ifdef MOVE_ANYWAY
  atomic { first = true; moved = true };
#else
  atomic { first = !NEWS; if :: first -> moved = true :: else fi };  /* [M1] */
#endif
  if
  :: first ->
#ifndef KEEP_WORKER
     worker = NONE;                                                  /* [M2] */
#endif
     holder = NONE;
     if :: to = 0 :: to = 1 :: to = 2 fi;
     push(to)                                                        /* [M3] */
  :: else
  fi
}

proctype Worker(byte me) {
  byte to, n;
  bool first, a, m, woke = false;
  do
  :: inbox[me] -> take(me)
  :: !woke -> /* a strand of this worker wakes the ult */
     woke = true;
     if
     :: worker == me ->
        assert(holder == me);
        counted++;
        if :: state == PARKED -> state = READY :: else fi
     :: else -> tell(1, false)
     fi
  :: worker == me && holder == me && state == READY -> /* taken from the run queue */
     if
     :: counted > 0 -> counted--; consumed++
     :: counted == 0 -> state = PARKED
     :: moves < MOVES -> move()
     fi
  :: consumed == WAKES && alerted && state == PARKED && !linked -> break
  od;
  assert(counted == 0 && !NEWS)
}

init {
  atomic { run Worker(0); run Worker(1); run Worker(2) }
}
