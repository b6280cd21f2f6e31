/* The ring of turns: src/mpi/coll/turn_ring.h.
 *
 * Two members go through some phases, with one turn after each. In a turn both give, member 0 always waits for member 1's
 * value, member 1 sometimes for that of member 0. A member that has to wait may park. What a member writes into its slot
 * goes through a store buffer, which is emptied at any time, and by a fence.
 *
 * Checked:
 *   I1     a member that reads a slot finds the number of its own turn there, or an older one, never a later one
 *   parks  no member sleeps whose value is there: no schedule blocks
 *   I3     a bell is rung only for one that parks or is about to, and once for each time
 *
 *   spin -run -safety models/turn_ring.pml
 *   spin -DNO_FENCE -run -safety models/turn_ring.pml    and NO_SECOND_LOOK, NO_TAKE_BACK, FEW_ROUNDS: must fail
 */

#define PHASES 5
#define AHEAD 2
#ifdef FEW_ROUNDS
#define ROUNDS 2
#else
#define ROUNDS 4
#endif

byte begun[2];          /* the phase that a member has begun last */
byte slot[2 * ROUNDS];  /* the number of what a member gave last in a round: the phase before */
byte buffered[2];       /* a number that has not come to memory yet; 0: none */
bool sleeps[2];
byte rings[2];          /* of a bell, that the member has not heard */

#define SLOT(phase, member) slot[((phase) % ROUNDS) * 2 + (member)]

/* A store that is buffered comes to memory. */
inline flush(m) {
  d_step {
    if
    :: buffered[m] != 0 -> SLOT(buffered[m], m) = buffered[m]; buffered[m] = 0
    :: else
    fi
  }
}

proctype buffer(byte m) {
  do
  :: atomic { buffered[m] != 0 -> flush(m) }
  :: atomic { begun[m] == PHASES + 1 && buffered[m] == 0 -> break }
  od
}

/* Takes the member off the sleepers; `taken` says whether it was there. */
inline take_off(one, took_off) {
  d_step { took_off = sleeps[one]; sleeps[one] = false }
}

inline give(me, now, took) {
  /* one store at a time, as in memory order */
  atomic { buffered[me] == 0 -> buffered[me] = now };
  if
  :: sleeps[1 - me] ->
     take_off(1 - me, took);
     if
     :: took -> d_step { assert(rings[1 - me] == 0); rings[1 - me]++ }
     :: else
     fi
  :: else
  fi
}

#define THERE(phase, other) (SLOT(phase, other) == (phase))

inline take(me, now, took) {
  do
  :: THERE(now, 1 - me) -> break
  :: !THERE(now, 1 - me) ->
     assert(SLOT(now, 1 - me) <= now);
     sleeps[me] = true;
#ifndef NO_FENCE
     atomic { flush(0); flush(1) };
#endif
#ifndef NO_SECOND_LOOK
     if
     :: THERE(now, 1 - me) ->
#ifdef NO_TAKE_BACK
        break
#else
        take_off(me, took);
        if
        :: took -> break
        :: else
        fi
#endif
     :: else
     fi;
#endif
     atomic { rings[me] != 0 -> rings[me]-- }
  od
}

proctype member(byte m) {
  byte phase = 1;
  bool taken;
  do
  :: phase <= PHASES ->
     /* the phase: the one AHEAD before it has met, when all have begun it */
     atomic { phase <= AHEAD || (begun[0] >= phase - AHEAD && begun[1] >= phase - AHEAD) -> begun[m] = phase };
     give(m, phase, taken);
     if
     :: take(m, phase, taken)
     :: m == 1
     fi;
     phase++
  :: else -> break
  od;
  begun[m] = PHASES + 1
}

init {
  atomic { run member(0); run member(1); run buffer(0); run buffer(1) }
}
