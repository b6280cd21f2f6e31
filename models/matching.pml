/* The protocol of src/mpi/match/matcher.h: posting, arrival, wildcards and cancellation at one rank.
 *
 * One rank sends with two tags, each of which has a lane here. Sender 0, a thread of it, sends a
 * message of each tag, 0 first; sender 1 sends one of each, 1 first. One strand here posts a receive
 * of tag 0 and one of any tag, in either order; another posts a receive of any tag and may cancel it.
 * Kept messages are fresh, under the lane's lock, or in stock, under the receivers'.
 *
 * Checked at the end of every schedule:
 *   I1     a message that was kept fits no receive that is still posted
 *   once   a message goes to one receive and a receive gets one message
 *   order  of two receives of one strand, the earlier gets the earlier message of a sender if it
 *          could have had either, and a message that fits both; and no receive gets a message while an earlier one of that sender,
 *          which it could have had, is left
 *   no schedule blocks
 *
 * A lock, and a read-modify-write on the news, is one step; plain accesses under a lock are too. The
 * read of `awaited` needs no order of its own: it happens with the lane's lock held, and after a
 * read-modify-write of the news if the lane was not listed (see "the handshake" in matcher.h).
 *
 *   spin -run -safety models/matching.pml
 *   spin -DNO_SECOND_LOOK -run -safety models/matching.pml    and NO_EPOCH, NO_STAMPS,
 *                                                             NO_LOOK_AT_FRESH: must fail
 */

#define LANES 2
#define MESSAGES 4 /* message m is number m % 2 of sender m / 2 */
#define NONE 9
#define LANE(m) ((m) == 1 || (m) == 2) /* tags 0, 1 of sender 0; 1, 0 of sender 1 */

#define TAG_ZERO 0 /* receives */
#define ANY_A 1
#define ANY_B 2

mtype = { absent, waiting, matched, cancelled }

mtype message[MESSAGES] = absent; /* waiting: kept at the receiver */
byte kept_at[MESSAGES], clock;
mtype receive[3] = absent; /* waiting: posted */
byte got[3] = NONE;

bool lane_lock[LANES], context_lock;
bool stock_lock[LANES], stocked[LANES], in_stock[MESSAGES];
bool new_in_stock; /* since lane 0's was searched */
bool listed[LANES], news[LANES], busy[LANES];
byte awaited, epoch;
byte order[3], epoch_of_tag_zero;
byte running = 4;
bool wildcard_first;

inline lock(l) { atomic { !l -> l = true } }
inline unlock(l) { l = false }

inline pair(r, m) {
  assert(receive[r] != matched && message[m] != matched);
  /* Of two that fit, the one posted first. */
  assert(!(r == ANY_A && !wildcard_first && LANE(m) == 0 && receive[TAG_ZERO] == waiting));
  assert(!(r == TAG_ZERO && wildcard_first && receive[ANY_A] == waiting));
  receive[r] = matched; message[m] = matched; got[r] = m
}

#define FRESH(m) (message[m] == waiting && !in_stock[m])
#define IN_STOCK(m) (message[m] == waiting && in_stock[m])
#define ANY_FRESH(l) (FRESH(l) || FRESH(3 - (l)))

/* With both locks: what is fresh goes to the stock. */
inline take_delivery(l) {
  d_step {
    if
    :: ANY_FRESH(l) ->
       new_in_stock = new_in_stock || (l) == 0;
       in_stock[l] = (message[l] == waiting);
       in_stock[3 - l] = (message[3 - l] == waiting);
       stocked[l] = true
    :: else
    fi
  }
}
/* By a sender with the lane's lock, who at times moves what has piled up to the stock. */
inline keep(l, m) {
  d_step { message[m] = waiting; kept_at[m] = clock; clock++ };
  if
  :: true
  :: d_step { !stock_lock[l] -> stock_lock[l] = true }; take_delivery(l); unlock(stock_lock[l])
  fi
}
/* One step: who has the receivers' lock waits for nobody. */
inline lock_both(l) {
  d_step { !lane_lock[l] && !stock_lock[l] -> lane_lock[l] = true; stock_lock[l] = true };
  take_delivery(l)
}
inline unlock_both(l) {
  d_step {
    stocked[l] = IN_STOCK(l) || IN_STOCK(3 - l);
    stock_lock[l] = false; lane_lock[l] = false
  }
}

/* The oldest message that is kept in a lane, or NONE. A lane holds one of each sender. */
inline oldest(l, m) {
  d_step {
    m = NONE;
    if
    :: message[l] == waiting -> m = l
    :: else
    fi;
    if
    :: message[3 - l] == waiting && (m == NONE || kept_at[3 - l] < kept_at[m]) -> m = 3 - l
    :: else
    fi
  }
}

proctype sender(byte s) {
  byte number = 0, m, l, any;
  do
  :: number < 2 ->
     m = 2 * s + number;
     l = LANE(m);
     lock(lane_lock[l]);
     if
     :: awaited != 0 -> skip
     :: else ->
        if
        :: l == 0 && receive[TAG_ZERO] == waiting ->
           pair(TAG_ZERO, m); unlock(lane_lock[l]); goto next
        :: else
        fi;
        if
        :: listed[l] -> keep(l, m); unlock(lane_lock[l]); goto next
        :: else ->
           listed[l] = true;
           news[l] = true; /* a1 */
#ifndef NO_SECOND_LOOK
           if
           :: awaited == 0 -> keep(l, m); unlock(lane_lock[l]); goto next /* a2 */
           :: else
           fi
#else
           keep(l, m); unlock(lane_lock[l]); goto next
#endif
        fi
     fi;
     unlock(lane_lock[l]);

     lock(context_lock); lock(lane_lock[l]);
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
     :: any != NONE && !(l == 0 && receive[TAG_ZERO] == waiting && order[any] > epoch_of_tag_zero) ->
#else
     :: any != NONE ->
#endif
        pair(any, m); awaited--
     :: else ->
        if
        :: l == 0 && receive[TAG_ZERO] == waiting -> pair(TAG_ZERO, m)
        :: else ->
           keep(l, m);
           if
           :: !listed[l] -> listed[l] = true; busy[l] = true
           :: else
           fi
        fi
     fi;
     unlock(lane_lock[l]); unlock(context_lock);
next:
     number++
  :: else -> break
  od;
  running--
}

/* With the receivers' lock, which it lets go of. One step, since all that it touches is the lock's. */
inline take_from_stock(m) {
  atomic {
    m = (IN_STOCK(0) && !(IN_STOCK(3) && kept_at[3] < kept_at[0]) -> 0 : (IN_STOCK(3) -> 3 : NONE));
    if
    :: m != NONE -> pair(TAG_ZERO, m); stocked[0] = IN_STOCK(0) || IN_STOCK(3)
    :: else
    fi;
    new_in_stock = false;
    stock_lock[0] = false
  }
}

inline post_tag_zero(m) {
  m = NONE;
  if
  :: stocked[0] -> lock(stock_lock[0]); take_from_stock(m)
  :: true /* it is a guess */
  fi;
  do
  :: m == NONE ->
     lock(lane_lock[0]);
     if
#ifdef NO_LOOK_AT_FRESH
     :: !stocked[0] || !new_in_stock ->
#else
     :: !ANY_FRESH(0) && (!stocked[0] || !new_in_stock) ->
#endif
        epoch_of_tag_zero = epoch;
        receive[TAG_ZERO] = waiting;
        unlock(lane_lock[0]);
        break
     :: else ->
        if
        :: !stocked[0] -> /* the first fresh one; the others to the stock */
           oldest(0, m);
           pair(TAG_ZERO, m);
           if
           :: ANY_FRESH(0) -> lock(stock_lock[0]); take_delivery(0); unlock(stock_lock[0])
           :: else
           fi;
           unlock(lane_lock[0])
        :: true -> /* or the first is another tag's */
           lock(stock_lock[0]); take_delivery(0); unlock(lane_lock[0]);
           take_from_stock(m)
        fi
     fi
  :: else -> break
  od
}

/* Looks at the lanes in the order first, 1 - first: that of the list of busy ones. */
inline post_any(r, first, l, m, found) {
  lock(context_lock);
  epoch++; order[r] = epoch;
  awaited++; /* p1 */
  d_step { /* p2 */
    busy[0] = busy[0] || news[0]; news[0] = false;
    busy[1] = busy[1] || news[1]; news[1] = false
  };
  found = NONE;
  l = first;
  do
  :: l != NONE ->
     if
#ifdef NO_STAMPS
     :: busy[l] && found == NONE ->
#else
     :: busy[l] ->
#endif
        lock_both(l);
        oldest(l, m);
        if
        :: m != NONE && (found == NONE || kept_at[m] < kept_at[found]) ->
           if
           :: found != NONE -> unlock_both(LANE(found))
           :: else
           fi;
           found = m
        :: else ->
           if
           :: m == NONE -> busy[l] = false; listed[l] = false
           :: else
           fi;
           unlock_both(l)
        fi
     :: else
     fi;
     l = (l == first -> 1 - first : NONE)
  :: else -> break
  od;
  if
  :: found != NONE -> awaited--; l = LANE(found); pair(r, found); unlock_both(l)
  :: else -> receive[r] = waiting
  fi;
  unlock(context_lock)
}

proctype poster_a() {
  byte first, l, m, found;
  if
  :: first = 0
  :: first = 1
  fi;
  if
  :: wildcard_first = true; post_any(ANY_A, first, l, m, found); post_tag_zero(m)
  :: wildcard_first = false; post_tag_zero(m); post_any(ANY_A, first, l, m, found)
  fi;
  running--
}

proctype poster_b() {
  byte l, m, found;
  post_any(ANY_B, 0, l, m, found);
  if
  :: true -> skip
  :: true ->
     lock(context_lock);
     if
     :: receive[ANY_B] == waiting -> receive[ANY_B] = cancelled; awaited--
     :: else
     fi;
     unlock(context_lock)
  fi;
  running--
}

#define LEFT(m) (message[m] == waiting)
#define ANY_WAITS (receive[ANY_A] == waiting || receive[ANY_B] == waiting)
#define ONE_SENDER(a, b) (got[a] != NONE && got[b] != NONE && got[a] / 2 == got[b] / 2)

init {
  atomic { run sender(0); run sender(1); run poster_a(); run poster_b() }
  running == 0;
  assert(!((LEFT(0) || LEFT(3)) && (ANY_WAITS || receive[TAG_ZERO] == waiting)));
  assert(!((LEFT(1) || LEFT(2)) && ANY_WAITS));
  if
  :: ONE_SENDER(ANY_A, TAG_ZERO) && wildcard_first -> assert(got[ANY_A] < got[TAG_ZERO])
  :: ONE_SENDER(ANY_A, TAG_ZERO) && !wildcard_first && LANE(got[ANY_A]) == 0 ->
     assert(got[TAG_ZERO] < got[ANY_A])
  :: else
  fi;
  assert(!(got[ANY_A] == 1 && LEFT(0)) && !(got[ANY_B] == 1 && LEFT(0)));
  assert(!(got[ANY_A] == 3 && LEFT(2)) && !(got[ANY_B] == 3 && LEFT(2)));
  /* A wildcard that waits in vain: awaited counts exactly those. */
  assert(awaited == (receive[ANY_A] == waiting) + (receive[ANY_B] == waiting))
}
