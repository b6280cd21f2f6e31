/* The protocol of src/mpi/match/matcher.h: posting, arrival, wildcards and cancellation at one rank.
 *
 * Two senders, one a lane, send two messages each. One strand posts a receive from sender 0 and one
 * from any source, in either order; another posts a receive from any source and may cancel it. All
 * tags are the same, so every receive could have what its source allows.
 *
 * Checked at the end of every schedule:
 *   I1     a message that was kept fits no receive that is still posted
 *   once   a message goes to one receive and a receive gets one message
 *   order  of two receives of one strand, the earlier gets the earlier message of a sender if it
 *          could have had either
 *   no schedule blocks
 *
 * A lock, and a read-modify-write on the news, is one step; plain accesses under a lock are too. The
 * read of `awaited` needs no order of its own: it happens with the lane's lock held, and after a
 * read-modify-write of the news if the lane was not listed (see "the handshake" in matcher.h).
 *
 *   spin -run -safety models/matching.pml         mutations that must fail: -DNO_SECOND_LOOK, -DNO_EPOCH
 */

#define LANES 2
#define MESSAGES 4 /* message m is number m % 2 of sender m / 2 */
#define NONE 9

#define FROM_ZERO 0 /* receives */
#define ANY_A 1
#define ANY_B 2

mtype = { absent, waiting, matched, cancelled }

mtype message[MESSAGES] = absent; /* waiting: kept at the receiver */
mtype receive[3] = absent;        /* waiting: posted */
byte got[3] = NONE;

bool lane_lock[LANES], scope_lock;
bool listed[LANES], news[LANES], busy[LANES];
byte awaited, epoch;
byte order[3], epoch_of_from_zero;
byte running = 4;
bool wildcard_first;

inline lock(l) { atomic { !l -> l = true } }
inline unlock(l) { l = false }

inline pair(r, m) {
  assert(receive[r] != matched && message[m] != matched);
  receive[r] = matched; message[m] = matched; got[r] = m
}

/* The oldest message that is kept in a lane, or NONE. */
inline oldest(l, m) {
  if
  :: message[2 * l] == waiting -> m = 2 * l
  :: else ->
     if
     :: message[2 * l + 1] == waiting -> m = 2 * l + 1
     :: else -> m = NONE
     fi
  fi
}

proctype sender(byte l) {
  byte number = 0, m;
  byte any;
  do
  :: number < 2 ->
     m = 2 * l + number;
     lock(lane_lock[l]);
     if
     :: awaited != 0 -> skip
     :: else ->
        if
        :: l == 0 && receive[FROM_ZERO] == waiting ->
           pair(FROM_ZERO, m); unlock(lane_lock[l]); goto next
        :: else
        fi;
        if
        :: listed[l] -> message[m] = waiting; unlock(lane_lock[l]); goto next
        :: else ->
           listed[l] = true;
           news[l] = true; /* a1 */
#ifndef NO_SECOND_LOOK
           if
           :: awaited == 0 -> message[m] = waiting; unlock(lane_lock[l]); goto next /* a2 */
           :: else
           fi
#else
           message[m] = waiting; unlock(lane_lock[l]); goto next
#endif
        fi
     fi;
     unlock(lane_lock[l]);

     lock(scope_lock); lock(lane_lock[l]);
     d_step {
       any = NONE;
       if
       :: receive[ANY_A] == waiting && (receive[ANY_B] != waiting || order[ANY_A] < order[ANY_B]) -> any = ANY_A
       :: else ->
          if
          :: receive[ANY_B] == waiting -> any = ANY_B
          :: else
          fi
       fi
     };
     if
#ifndef NO_EPOCH
     :: any != NONE && !(l == 0 && receive[FROM_ZERO] == waiting && order[any] > epoch_of_from_zero) ->
#else
     :: any != NONE ->
#endif
        pair(any, m); awaited--
     :: else ->
        if
        :: l == 0 && receive[FROM_ZERO] == waiting -> pair(FROM_ZERO, m)
        :: else ->
           message[m] = waiting;
           if
           :: !listed[l] -> listed[l] = true; busy[l] = true
           :: else
           fi
        fi
     fi;
     unlock(lane_lock[l]); unlock(scope_lock);
next:
     number++
  :: else -> break
  od;
  running--
}

inline post_from_zero(m) {
  lock(lane_lock[0]);
  epoch_of_from_zero = epoch;
  oldest(0, m);
  if
  :: m != NONE -> pair(FROM_ZERO, m)
  :: else -> receive[FROM_ZERO] = waiting
  fi;
  unlock(lane_lock[0])
}

inline post_any(r, l, m) {
  lock(scope_lock);
  epoch++; order[r] = epoch;
  awaited++; /* p1 */
  d_step { /* p2 */
    busy[0] = busy[0] || news[0]; news[0] = false;
    busy[1] = busy[1] || news[1]; news[1] = false
  };
  l = 0; m = NONE;
  do
  :: l < LANES && m == NONE ->
     if
     :: busy[l] ->
        lock(lane_lock[l]);
        oldest(l, m);
        if
        :: m != NONE -> awaited--; pair(r, m)
        :: else -> busy[l] = false; listed[l] = false
        fi;
        unlock(lane_lock[l])
     :: else
     fi;
     l++
  :: else -> break
  od;
  if
  :: m == NONE -> receive[r] = waiting
  :: else
  fi;
  unlock(scope_lock)
}

proctype poster_a() {
  byte l, m;
  if
  :: wildcard_first = true; post_any(ANY_A, l, m); post_from_zero(m)
  :: wildcard_first = false; post_from_zero(m); post_any(ANY_A, l, m)
  fi;
  running--
}

proctype poster_b() {
  byte l, m;
  post_any(ANY_B, l, m);
  if
  :: true -> skip
  :: true ->
     lock(scope_lock);
     if
     :: receive[ANY_B] == waiting -> receive[ANY_B] = cancelled; awaited--
     :: else
     fi;
     unlock(scope_lock)
  fi;
  running--
}

#define KEPT(l) (message[2 * l] == waiting || message[2 * l + 1] == waiting)
#define ANY_WAITS (receive[ANY_A] == waiting || receive[ANY_B] == waiting)

init {
  atomic { run sender(0); run sender(1); run poster_a(); run poster_b() }
  running == 0;
  assert(!(KEPT(0) && (ANY_WAITS || receive[FROM_ZERO] == waiting)));
  assert(!(KEPT(1) && ANY_WAITS));
  /* Both of the first strand's receives got messages of sender 0. */
  if
  :: got[ANY_A] < 2 && got[FROM_ZERO] < 2 ->
     assert(wildcard_first -> got[ANY_A] < got[FROM_ZERO] : got[FROM_ZERO] < got[ANY_A])
  :: else
  fi;
  /* A wildcard that waits in vain: awaited counts exactly those. */
  assert(awaited == (receive[ANY_A] == waiting) + (receive[ANY_B] == waiting))
}
