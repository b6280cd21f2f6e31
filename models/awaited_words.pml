/* Words in shared memory and the strands that wait for them: src/net/gateway/awaited_words.h.
 *
 * Two strands of a host wait, each for a word of its own. A process elsewhere stores the first word and rings the host's
 * bell, a strand of the host stores the second one and looks. One thread polls, and sleeps on the bell when it finds nothing.
 * What orders words, list and bell is seq_cst, so memory is as it is written.
 *
 * Checked:
 *   parks  no strand sleeps whose word is there: no schedule blocks
 *   once   a strand that parks is woken once
 *
 *   spin -run -safety models/awaited_words.pml
 *   spin -DNO_LOOK -run -safety models/awaited_words.pml
 *                              and COUNT_LATE, LOCKED_IS_NOTHING, NO_SECOND_POLL, NO_RING, NO_OWN_LOOK: must fail
 */

bool there[2];       /* a word has come to the number */
bool in_list[2];
byte listed;         /* as many as are in the list; written with the lock */
bool locked;
byte woken[2];
bool asleep, rung;   /* base/platform/bell.h */
byte left = 2;       /* strands that wait */

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

/* With the lock. One word after the other: what is stored meanwhile is seen or not. */
inline take_reached(first, second) {
  first = in_list[0] && there[0];
  second = in_list[1] && there[1];
  if
  :: first || second ->
     d_step {
       if :: first -> in_list[0] = false :: else fi;
       if :: second -> in_list[1] = false :: else fi;
       listed = in_list[0] + in_list[1]
     }
  :: else
  fi
}

inline wake(first, second) {
  if :: first -> woken[0]++; assert(woken[0] == 1) :: else fi;
  if :: second -> woken[1]++; assert(woken[1] == 1) :: else fi
}

inline look_at_all(first, second) {
  lock();
  take_reached(first, second);
  unlock();
  wake(first, second)
}

proctype waiter(byte me) {
  bool first, second;
  if
  :: there[me]  /* it has spun for it */
  :: true ->
     lock();
     in_list[me] = true;
#ifndef COUNT_LATE
     listed++;
#endif
     unlock();
#ifndef NO_LOOK
     look_at_all(first, second);
#endif
#ifdef COUNT_LATE
     lock();
     listed = in_list[0] + in_list[1];
     unlock();
#endif
     woken[me] != 0
  fi;
  left--
}

proctype elsewhere() {
  there[0] = true;
#ifndef NO_RING
  if
  :: asleep -> asleep = false; rung = true
  :: else
  fi
#endif
}

proctype here() {
  bool first, second;
  there[1] = true;
#ifndef NO_OWN_LOOK
  if
  :: listed != 0 -> look_at_all(first, second)
  :: else
  fi
#endif
}

/* Sets `any` if the thread may not sleep. */
inline poll(any, first, second) {
  any = false;
  if
  :: listed == 0
  :: else ->
     if
     :: atomic { !locked -> locked = true };
        take_reached(first, second);
        unlock();
        any = first || second;
        wake(first, second)
     :: locked ->
#ifndef LOCKED_IS_NOTHING
        any = true
#else
        skip
#endif
     fi
  fi
}

proctype thread() {
  bool any, first, second;
  do
  :: left == 0 -> break
  :: else ->
     rung = false;
     asleep = true;
#ifndef NO_SECOND_POLL
     poll(any, first, second);
#endif
     if
     :: any -> asleep = false
     :: else -> (rung || left == 0); asleep = false
     fi;
     poll(any, first, second)
  od
}

init {
  atomic { run waiter(0); run waiter(1); run elsewhere(); run here(); run thread() }
}
