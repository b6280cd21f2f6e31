/* The turns of members in several processes: src/mpi/coll/node_turns.h.
 *
 * Three members take turns. In each turn member 0 gives, or all do; then a member waits for what one of the others gives, or
 * for nothing, so it may run ahead of them. Before the first turn of a stretch it shows that it has left all turns before,
 * and waits until all others have shown the stretch before.
 *
 * Checked:
 *   I1     what a member reads is of its own turn, and stays until it has read it
 *   room   no schedule blocks: no number is missed
 *
 * How a member sleeps: models/awaited_words.pml.
 *
 *   spin -run -safety models/node_turns.pml
 *   spin -DNO_WAIT -run -safety models/node_turns.pml    and SHORT_RING, SHOWS_LATE: must fail
 */

#define MEMBERS 3
#define STRETCH 2
#define LAST 6
#ifdef SHORT_RING
#define TURNS 2
#else
#define TURNS 4
#endif

byte slot[MEMBERS * TURNS];  /* the number of a turn, and one; 0: none yet */
byte shown[MEMBERS];         /* the turns before this one are left */
byte gives[LAST];            /* who gives in a turn, a bit each: alike for all */

#define SLOT(turn, member) slot[((turn) % TURNS) * MEMBERS + (member)]

/* Numbers are small here and do not wrap around. */
#define SHOWN(other, turn) (shown[other] + STRETCH >= (turn))

inline await_room(me, turn) {
#ifdef SHOWS_LATE
  shown[me] = turn + STRETCH;
#else
  shown[me] = turn;
#endif
#ifdef NO_WAIT
  skip
#else
  SHOWN(0, turn); SHOWN(1, turn); SHOWN(2, turn)
#endif
}

proctype member(byte me) {
  byte turn = 0, other;
  do
  :: turn < LAST ->
     if
     :: turn % STRETCH == 0 -> await_room(me, turn)
     :: else
     fi;
     if
     :: gives[turn] & (1 << me) -> SLOT(turn, me) = turn + 1
     :: else
     fi;
     /* it waits for the member after it, for the one before it, or for none */
     if
     :: other = (me + 1) % MEMBERS
     :: other = (me + 2) % MEMBERS
     :: other = me
     fi;
     if
     :: other != me && (gives[turn] & (1 << other)) ->
        SLOT(turn, other) == turn + 1;
        assert(SLOT(turn, other) == turn + 1)  /* it reads the value */
     :: else
     fi;
     other = 0;
     turn++
  :: else -> break
  od;
  shown[me] = LAST + TURNS  /* the last turns need no room */
}

init {
  byte turn;
  for (turn : 0 .. LAST - 1) {
    if
    :: gives[turn] = 1
    :: gives[turn] = 7
    fi
  }
  atomic { run member(0); run member(1); run member(2) }
}
