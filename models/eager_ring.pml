/* The eager ring in front of a lane: src/mpi/match/eager_ring.h.
 *
 * One rank receives from one source with two lanes. A sender, one thread of the source, sends three messages: of the
 * first lane, of the second, of the first; each by the ring if it can, or by the lane's lock. A second thread sends one
 * of the first lane by the lane's lock. One strand here posts two receives in the first lane, attends them and parks;
 * another posts a receive of any tag, or of the first lane without attending it, or cancels the first receive.
 *
 * Checked at the end of every schedule:
 *   I1     no receive waits for which a message is there, in a lane or a ring
 *   once   a message goes to one receive and a receive gets one message
 *   order  of two receives of one strand in one lane the earlier gets the earlier message of a thread; and no receive
 *          gets a message of it while an earlier one is left that it could have had
 *   M1     a closed ring is empty
 *   M2     a strand that has parked has no message before it that it would have to read itself
 *   no schedule blocks: who has parked with a receive that gets its message is woken
 *
 * A lock is one step. What happens under a lane's lock, and touches nothing but what that lock guards, is too; the
 * ring's lock is taken inside of it, and by the sender alone.
 *
 *   spin -run -safety models/eager_ring.pml
 *   spin -DNO_SECOND_LOOK -run -safety models/eager_ring.pml    and NO_CLOSE_TO_PARK, NO_LOOK_AT_WILDCARDS, NO_DRAIN,
 *                                                            NO_MAKE_WAY, NO_STAMPS, NO_CLOSE_TO_POST: must fail
 */

#define NONE 9
#define MESSAGES 4 /* 0 to 2: of the first thread; 3: of the second */
#define LANE(m) ((m) == 1) /* messages 0, 2, 3 in lane 0 */

#define FIRST 0 /* receives: two in lane 0, by the strand that attends */
#define SECOND 1
#define OTHER 2 /* of the other strand */

mtype = { absent, in_ring, kept, matched, waiting, cancelled }

mtype message[MESSAGES] = absent; /* in_ring: a message */
byte sent_at[MESSAGES], clock;
mtype receive[3] = absent;
byte got[3] = NONE;
byte posted_at[3], posts; /* order of posting in lane 0 */
bool other_is_any;

bool lane_lock[2], box_lock[2], context_lock;
bool open[2], listed[2];
byte first_slot[2] = NONE; /* a ring holds two messages at most */
byte second_slot[2] = NONE;
byte awaited;
bool parked;
byte running = 4;

inline lock(l) { atomic { !l -> l = true } }
inline unlock(l) { l = false }

#define ANY_WAITS (receive[OTHER] == waiting && other_is_any)
#define LEFT(m) (message[m] == kept || message[m] == in_ring)

inline pair(r, m) {
  assert(receive[r] != matched && message[m] != matched);
  receive[r] = matched; message[m] = matched; got[r] = m
}

/* The receive in lane l that was posted first, or NONE. */
inline first_posted(l, r) {
  r = NONE;
  if
  :: l == 0 && receive[FIRST] == waiting -> r = FIRST
  :: else
  fi;
  if
  :: l == 0 && receive[SECOND] == waiting && (r == NONE || posted_at[SECOND] < posted_at[r]) -> r = SECOND
  :: else
  fi;
  if
  :: l == 0 && receive[OTHER] == waiting && !other_is_any && (r == NONE || posted_at[OTHER] < posted_at[r]) -> r = OTHER
  :: else
  fi
}

/* The oldest message that is kept in lane l, or NONE. */
inline oldest(l, m) {
  m = NONE;
  if
  :: l == 0 && message[0] == kept -> m = 0
  :: l == 1 && message[1] == kept -> m = 1
  :: else
  fi;
  if
  :: l == 0 && message[2] == kept && (m == NONE || sent_at[2] < sent_at[m]) -> m = 2
  :: else
  fi;
  if
  :: l == 0 && message[3] == kept && (m == NONE || sent_at[3] < sent_at[m]) -> m = 3
  :: else
  fi
}

inline take_slot(l) {
  first_slot[l] = second_slot[l]; second_slot[l] = NONE
}

/* With the lane's lock: closes the ring, and then gives out what is there. */
inline close(l, m, r) {
  if
  :: open[l] ->
     atomic { !box_lock[l] -> open[l] = false };
     d_step {
#ifndef NO_DRAIN
       do
       :: first_slot[l] != NONE ->
          m = first_slot[l];
          take_slot(l);
          first_posted(l, r);
          if
          :: r != NONE -> pair(r, m)
          :: else ->
             message[m] = kept;
#ifdef NO_STAMPS
             sent_at[m] = clock; clock++
#endif
          fi
       :: else -> break
       od;
#endif
       m = NONE; r = NONE
     }
  :: else
  fi
}

/* With the lane's lock: gives messages to receives, as long as there are both. */
inline read_ring(l, m, r) {
  d_step {
    do
    :: open[l] && first_slot[l] != NONE ->
       first_posted(l, r);
       if
       :: r == NONE -> break
       :: else -> m = first_slot[l]; take_slot(l); pair(r, m)
       fi
    :: else -> break
    od;
    m = NONE; r = NONE
  }
}

/* For a message that is not by the ring. */
inline make_way(l, m, r, n) {
#ifndef NO_MAKE_WAY
  read_ring(l, n, r);
  d_step { first_posted(l, r) };
  if
  :: r == NONE -> close(l, n, r)
  :: else
  fi
#else
  skip
#endif
}

inline keep(l, m) {
  d_step { message[m] = kept; sent_at[m] = clock; clock++ }
}

/* By the lane's lock: to a receive in the lane, to one of any tag, or kept. */
inline arrive(l, m, r, n) {
  lock(lane_lock[l]);
  make_way(l, m, r, n);
  if
  :: awaited == 0 ->
     d_step {
       first_posted(l, r);
       if
       :: r != NONE -> pair(r, m)
       :: else -> listed[l] = true
       fi
     };
     if
     :: r == NONE && awaited == 0 -> keep(l, m); r = SECOND
     :: else
     fi
  :: else -> r = NONE
  fi;
  unlock(lane_lock[l]);
  if
  :: r == NONE ->
     lock(context_lock); lock(lane_lock[l]);
     make_way(l, m, r, n);
     d_step {
       first_posted(l, r);
       if
       :: ANY_WAITS && (r == NONE || posted_at[OTHER] < posted_at[r]) -> pair(OTHER, m); awaited--
       :: else ->
          if
          :: r != NONE -> pair(r, m)
          :: else -> listed[l] = true; keep(l, m)
          fi
       fi
     };
     unlock(lane_lock[l]); unlock(context_lock)
  :: else
  fi
}

/* By the ring; `left` says whether it could. */
inline leave(l, m, left) {
  left = false;
  if
  :: open[l] -> /* a guess */
     lock(box_lock[l]);
     if
#ifdef NO_SECOND_LOOK
     :: second_slot[l] == NONE ->
#else
     :: open[l] && second_slot[l] == NONE ->
#endif
        d_step {
          message[m] = in_ring; sent_at[m] = clock; clock++;
          if
          :: first_slot[l] == NONE -> first_slot[l] = m
          :: else -> second_slot[l] = m
          fi;
          left = true
        }
     :: else
     fi;
     unlock(box_lock[l])
  :: true
  fi
}

proctype sender() {
  byte m, l, r, n;
  bool left;
  m = 0;
  do
  :: m < 3 ->
     l = LANE(m);
     leave(l, m, left);
     if
     :: !left -> arrive(l, m, r, n)
     :: else
     fi;
     m++
  :: else -> break
  od;
  running--
}

proctype second_sender() {
  byte r, n;
  arrive(0, 3, r, n);
  running--
}

/* With the lane's lock. Also of lane 1, as a strand would that had posted there before. */
inline open_ring(l, m, r) {
  d_step { oldest(l, m); first_posted(l, r) };
  if
  :: m == NONE && r == NONE ->
     listed[l] = true;
     if
#ifdef NO_LOOK_AT_WILDCARDS
     :: true -> open[l] = true
#else
     :: awaited == 0 -> open[l] = true
     :: else
#endif
     fi
  :: else
  fi
}

inline post(r, attended, m, s) {
  lock(lane_lock[0]);
  if
  :: !attended ->
#ifndef NO_CLOSE_TO_POST
     close(0, m, s)
#else
     skip
#endif
  :: attended && !open[0] -> open_ring(0, m, s)
  :: attended && open[0] -> read_ring(0, m, s)
  fi;
  d_step {
    oldest(0, m);
    first_posted(0, s);
    if
    :: m != NONE -> pair(r, m)
    :: m == NONE && s == NONE && open[0] && first_slot[0] != NONE ->
       m = first_slot[0]; take_slot(0); pair(r, m)
    :: else -> receive[r] = waiting; posted_at[r] = posts; posts++
    fi;
    m = NONE; s = NONE
  };
  unlock(lane_lock[0])
}

proctype attending() {
  byte m, s;
  if
  :: lock(lane_lock[1]); open_ring(1, m, s); unlock(lane_lock[1])
  :: true
  fi;
  post(FIRST, true, m, s);
  post(SECOND, true, m, s);
  /* Spins for the second, as a wait for all does; or parks. */
  do
  :: receive[SECOND] != waiting -> break
  :: open[0] && first_slot[0] != NONE ->
     lock(lane_lock[0]); read_ring(0, m, s); unlock(lane_lock[0])
  :: true ->
#ifndef NO_CLOSE_TO_PARK
     lock(lane_lock[0]); close(0, m, s); unlock(lane_lock[0]);
#endif
     parked = true;
     break
  od;
  running--
}

proctype other() {
  byte l, m, s, found, first;
  if
  :: true -> /* of any tag: match context, announce, look at the listed lanes in either order */
     lock(context_lock);
     other_is_any = true;
     awaited++;
     found = NONE;
     if
     :: first = 0
     :: first = 1
     fi;
     l = first;
     do
     :: l != NONE ->
        if
        :: listed[l] ->
           lock(lane_lock[l]);
           close(l, m, s);
           d_step { oldest(l, m) };
           if
           :: m != NONE && (found == NONE || sent_at[m] < sent_at[found]) ->
              if
              :: found != NONE -> unlock(lane_lock[LANE(found)])
              :: else
              fi;
              found = m
           :: else -> unlock(lane_lock[l])
           fi
        :: else
        fi;
        l = (l == first -> 1 - first : NONE)
     :: else -> break
     od;
     atomic {
       if
       :: found != NONE -> pair(OTHER, found); awaited--
       :: else -> receive[OTHER] = waiting; posted_at[OTHER] = posts; posts++
       fi
     };
     if
     :: found != NONE -> unlock(lane_lock[LANE(found)])
     :: else
     fi;
     unlock(context_lock)
  :: true -> post(OTHER, false, m, s)
  :: true ->
     lock(lane_lock[0]);
     close(0, m, s);
     if
     :: receive[FIRST] == waiting -> receive[FIRST] = cancelled
     :: else
     fi;
     unlock(lane_lock[0])
  fi;
  running--
}

#define IN_LANE_0_WAITS (receive[FIRST] == waiting || receive[SECOND] == waiting || (receive[OTHER] == waiting && !other_is_any))

init {
  atomic { run sender(); run second_sender(); run attending(); run other() }
  running == 0;
  byte l, m, s;
  /* M1 */
  assert((open[0] || first_slot[0] == NONE) && (open[1] || first_slot[1] == NONE));
  /* M2: what waits in an open lane is attended, and nothing of any tag waits. */
  assert(!(open[0] && receive[SECOND] == waiting && parked));
  assert(!(open[0] && receive[OTHER] == waiting && !other_is_any));
  /* I1; the strand that attends did not park, or closed. */
  assert(!(IN_LANE_0_WAITS && (message[0] == kept || message[2] == kept || message[3] == kept)));
  assert(!(ANY_WAITS && (LEFT(0) || LEFT(1) || LEFT(2) || LEFT(3))));
  assert(!(receive[SECOND] == waiting && (message[0] == in_ring || message[2] == in_ring)));
  /* Order: of the first thread's messages 0 and 2 in lane 0; the second's message is alone. */
  assert(!(got[SECOND] == 0 && got[FIRST] == 2));
  assert(!((got[FIRST] == 2 || got[SECOND] == 2 || got[OTHER] == 2) && LEFT(0)));
  assert(!(got[OTHER] == 1 && other_is_any && LEFT(0)));
  assert(!(got[OTHER] == 2 && other_is_any && LEFT(1)));
  assert(awaited == ANY_WAITS)
}
