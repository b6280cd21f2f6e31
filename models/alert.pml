/* A ult that is alerted while it waits (src/exec/ult/alert.h, decision 88).
 *
 * The ult waits for a completion, then for two phases of an event. Others set the completion and the event from afar.
 * Its answer to an alert waits, too, for a completion of its own. An ALERTER alerts it at any time, twice, until the ult
 * forbids it before it ends. The worker takes from its inbox whenever the ult does not run; in which order is left to chance.
 *
 * Checked: every wait ends, and only when what it waits for has happened; a ult that leaves the event leaves no list in
 * the inbox; at its end nothing of it is in the inbox, and no wake-up is left.
 *
 *   spin -run -safety models/alert.pml
 *   spin -DNO_WITHDRAW -run -safety models/alert.pml      must fail, and so must:
 *     NO_WITHDRAW     the answer runs while the ult is enrolled
 *     NO_ABSORB       a ult that withdraws too late does not absorb its wake-up
 *     LOOK_AT_WORD    after the answer the ult leaves the event if the list's word says that it is set
 *     STAYS_LISTED    the worker makes the ult ready and leaves it in the event's list
 *     NO_DRAIN        the ult ends without a look at its alert
 */

mtype = { RUNS, READY, PARKED, FROZEN };
mtype state = RUNS;
byte local_wakes, remote_wakes;
bool woken_in_inbox, list_in_inbox, alert_in_inbox;
bool alerted, queued, forbidden, ended;

/* Completions: 0 pending, 1 enrolled, 2 done. */
#define OUTER 0
#define INNER 1
byte word[2];
bool answering;

/* The waiters of one worker: their phase, whether a waker must hand them over, their list of one ult, how often that was thawed. */
byte set_phase, thaws, came;
bool awaited, listed, taken_out;

/* One item; blocks while there is none. */
inline take_from_inbox() {
  if
  :: atomic { woken_in_inbox -> woken_in_inbox = false; local_wakes = local_wakes + remote_wakes; remote_wakes = 0;
       if :: state == PARKED -> state = READY :: else fi }
  :: atomic { list_in_inbox -> list_in_inbox = false; thaws++;
       if :: listed -> listed = false; assert(state == FROZEN); state = READY :: else fi }
  :: atomic { alert_in_inbox -> alert_in_inbox = false }
     queued = false;
     atomic { alerted = true;
       if
       :: state == PARKED -> state = READY
       :: state == FROZEN && listed ->
#ifndef STAYS_LISTED
          listed = false;
#endif
          taken_out = true; state = READY
       :: else
       fi }
  fi
}

/* The worker runs something else until the ult is ready. */
inline leave() {
  do
  :: state == READY -> state = RUNS; break
  :: state != READY -> take_from_inbox()
  od
}

inline park() {
  do
  :: local_wakes == 0 -> state = PARKED; leave()
  :: else -> break
  od;
  local_wakes--
}

/* Strand::park_unless_alerted; `woken` is its result. */
inline park_unless_alerted() {
  if
  :: local_wakes == 0 && alerted -> woken = false
  :: local_wakes == 0 && !alerted ->
     state = PARKED; leave();
     if :: local_wakes == 0 -> woken = false :: else -> local_wakes--; woken = true fi
  :: else -> local_wakes--; woken = true
  fi
}

inline enroll(which) {
  atomic { if :: word[which] == 0 -> word[which] = 1; enrolled = true :: else -> enrolled = false fi }
}

/* The handler waits once, for INNER. Other ults may run. */
inline answer() {
  alerted = false;
  answering = true;
  enroll(INNER);
  if :: enrolled -> park() :: else fi;
  assert(word[INNER] == 2)
}

proctype set(byte which) {
  bool wakes;
  which == OUTER || answering || ended;
  atomic { wakes = word[which] == 1; word[which] = 2 }
  if
  :: wakes ->
     atomic { remote_wakes++; wakes = remote_wakes == 1 }
     if :: wakes -> woken_in_inbox = true :: else fi
  :: else
  fi
}

proctype open() {
  byte phase = 1;
  bool hand_over;
  do
  :: phase <= 2 ->
     came >= phase;
     atomic { set_phase = phase; hand_over = awaited; awaited = false }
     if :: hand_over -> assert(!list_in_inbox); list_in_inbox = true :: else fi;
     phase++
  :: else -> break
  od
}

proctype alerter() {
  byte times = 2;
  bool first;
  do
  :: times > 0 ->
     times--;
     if
     :: atomic { !forbidden -> first = !queued; queued = true }
        if :: first -> assert(!ended); alert_in_inbox = true :: else fi
     :: forbidden -> break
     fi
  :: else -> break
  od
}

active proctype ult() {
  bool woken, enrolled, done;
  byte phase = 1, seen;
  run set(OUTER); run set(INNER); run open(); run alerter();
  do
  :: word[OUTER] == 2 -> break
  :: else ->
     enroll(OUTER);
     if :: !enrolled -> break :: else fi;
     park_unless_alerted();
     if :: woken -> break :: else fi;
#ifndef NO_WITHDRAW
     atomic { done = word[OUTER] == 2; if :: !done -> word[OUTER] = 0 :: else fi }
     if
     :: done ->
#ifndef NO_ABSORB
        park();
#endif
        break
     :: else
     fi;
#endif
     answer()
  od;
  assert(word[OUTER] == 2);
  do
  :: phase <= 2 ->
     came = phase;
     do
     :: alerted -> answer()
     :: else -> break
     od;
     atomic { done = set_phase >= phase; awaited = !done }
     if
     :: done
     :: else ->
        seen = thaws;
        do
        :: taken_out = false; assert(!listed); listed = true; state = FROZEN;
           leave();
           if :: !taken_out -> break :: else fi;
           answer();
#ifdef LOOK_AT_WORD
           if :: set_phase >= phase -> break :: else fi
#else
           if :: thaws != seen -> break :: else fi
#endif
        od
     fi;
     assert(set_phase >= phase);
     assert(!list_in_inbox && !listed);
     phase++
  :: else -> break
  od;
  forbidden = true;
#ifndef NO_DRAIN
  do
  :: !queued -> break
  :: queued -> state = READY; take_from_inbox()
  od;
#endif
  ended = true;
  assert(!alert_in_inbox && !woken_in_inbox);
  assert(local_wakes == 0)
}
