/* The protocol of src/mpi/lifetime/collector.h: objects end while operations that are not counted
 * refer to them.
 *
 * A rank has two objects, PART and WHOLE, which is built on it. One thread is in a blocking call that
 * uses PART, with its strand's own Transient; another has an operation whose Transient refers to
 * PART, which becomes another operation (a matched message its receive), or makes a Ref of it, or lends it
 * a handle once more, by which a callback begins another operation; a third
 * has an operation that uses WHOLE and so PART; a fourth frees both handles, PART's as soon as it can
 * know that the operations have begun. Two strands run cycles meanwhile; a last one runs them until
 * nothing ends any more.
 *
 * Checked in every schedule:
 *   used    what a Transient or a Ref refers to has not ended, nor what it is built on; nothing ends
 *           twice; a cycle looks at nothing that has ended
 *   ends    at the end both objects have ended: none stays
 *   no schedule blocks
 *
 * Not checked: that Ge is taken before the Transients are looked at. Both objects have had handles, and
 * what has lost one during a cycle stays anyway.
 *
 * What happens under the collector's lock is one step, except for drop(), whose count a cycle reads
 * without the lock; and so is a look at a Transient. What the steps publish to each other is taken from
 * the orders that the headers give.
 *
 *   spin -run -safety models/collector.pml
 *   spin -DNO_IN_CALL -run -safety models/collector.pml       must fail, and so must:
 *     NO_IN_CALL         does not look at those of blocking calls
 *     NO_ORPHAN_CHECK    ends in the same cycle what became eligible in it, whenever it was freed
 *     NO_LENT_CHECK      ends in the same cycle what has lost a handle that was lent to it
 *     ORPHAN_TOO_EARLY   notes the cycle of the object's beginning in place of its handle's end
 *     NO_COUNT_CHECK     ends what a Ref was made of, too
 *     NO_EXCLUSION       two cycles at once, with one mark an object
 *     BEGIN_BEFORE_REFER an operation is under way before its Transient refers to what it uses
 *     COPY_THEN_CLEAR    an operation becomes another one by a second Transient
 *     NO_PUT_BACK        what stays is not put back
 *     DROP_THEN_ASK      looks whether the object is in Ge after it has given up its reference
 */

#define PART 0
#define WHOLE 1
#define NONE 9
#define NEVER 255

#define IN_CALL 0 /* Transients */
#define MESSAGE 1
#define RECEIVE 2
#define ON_WHOLE 3
#define TRANSIENTS 4

bool ended[2];
bool handle[2] = true;
byte count[2], orphaned[2] = NEVER, marked[2];
bool eligible[2], in_ge[2];
byte transient[TRANSIENTS] = NONE;
byte cycle;
bool collecting;
bool locked;
bool call_begun, message_begun, whole_begun;
byte running = 6;

#define USE(o) assert(!ended[o] && !(o == WHOLE && ended[PART]))

/* Collector::drop, and the CAS of Managed::release_collected. */
inline drop(o) {
  atomic { !locked -> locked = true };
#ifndef DROP_THEN_ASK
  d_step { assert(!ended[o]); known = eligible[o] };
#endif
  d_step { count[o]--; last = count[o] == 1 };
#ifdef DROP_THEN_ASK
  d_step { assert(!ended[o]); known = eligible[o] };
#endif
  if
  :: last && !known -> d_step { assert(!ended[o]); eligible[o] = true; in_ge[o] = true }
  :: else
  fi;
  d_step { known = false; last = false; locked = false }
}

/* HandleTable::retire, which loses the handle and then notes the cycle. */
inline free_handle(o) {
  handle[o] = false;
#ifdef ORPHAN_TOO_EARLY
  orphaned[o] = 0;
#else
  orphaned[o] = cycle;
#endif
  drop(o)
}

proctype blocking_call() {
#ifdef BEGIN_BEFORE_REFER
  call_begun = true;
  d_step { USE(PART); transient[IN_CALL] = PART };
#else
  d_step { USE(PART); transient[IN_CALL] = PART };
  call_begun = true;
#endif
  d_step { USE(PART); transient[IN_CALL] = NONE; running-- }
}

proctype message_then_receive() {
  bool known, last;
  d_step { USE(PART); transient[MESSAGE] = PART };
  message_begun = true;
  if
  :: true -> /* MPI_Imrecv */
#ifdef COPY_THEN_CLEAR
     d_step { USE(PART); transient[RECEIVE] = PART };
     transient[MESSAGE] = NONE;
     d_step { USE(PART); transient[RECEIVE] = NONE }
#else
     d_step { USE(PART); transient[MESSAGE] = NONE }
#endif
  :: true -> /* an error handler is to hear of it */
     d_step { USE(PART); count[PART]++ };
     transient[MESSAGE] = NONE;
     USE(PART);
     drop(PART)
  :: !handle[PART] -> /* the handler uses it once more, by a handle that is lent to it */
     d_step { USE(PART); count[PART]++ };
     transient[MESSAGE] = NONE;
     handle[PART] = true;
     d_step { USE(PART); transient[RECEIVE] = PART };
     free_handle(PART);
     d_step { USE(PART); transient[RECEIVE] = NONE }
  fi;
  running--
}

proctype use_of_whole() {
  d_step { USE(WHOLE); transient[ON_WHOLE] = WHOLE };
  whole_begun = true;
  d_step { USE(WHOLE); transient[ON_WHOLE] = NONE; running-- }
}

proctype free_both() {
  bool known, last;
  if
  :: true -> whole_begun; free_handle(WHOLE); (call_begun && message_begun); free_handle(PART)
  :: true -> (call_begun && message_begun); free_handle(PART); whole_begun; free_handle(WHOLE)
  fi;
  running--
}

inline look_at(t) {
  d_step {
    if
    :: transient[t] != NONE -> assert(!ended[transient[t]]); marked[transient[t]] = number
    :: else
    fi
  }
}

/* From either end: no step may rely on the order. */
inline mark_all() {
  if
  :: true ->
     look_at(MESSAGE); look_at(RECEIVE); look_at(ON_WHOLE);
#ifndef NO_IN_CALL
     look_at(IN_CALL)
#endif
  :: true ->
#ifndef NO_IN_CALL
     look_at(IN_CALL);
#endif
     look_at(ON_WHOLE); look_at(RECEIVE); look_at(MESSAGE)
  fi
}

inline take_eligible() {
  d_step {
    !locked ->
    taken[PART] = in_ge[PART]; taken[WHOLE] = in_ge[WHOLE];
    in_ge[PART] = false; in_ge[WHOLE] = false
  }
}

/* What collect() uses is its caller's. Collector::may_end, and the end: */
inline end_or_keep(o) {
  if
  :: marked[o] == number -> kept[o] = true
  :: else ->
     if
#ifndef NO_COUNT_CHECK
     :: count[o] != 1 -> kept[o] = true
#endif
#ifndef NO_LENT_CHECK
     :: count[o] == 1 && at_start && orphaned[o] != NEVER && orphaned[o] >= number -> kept[o] = true
#endif
#ifndef NO_ORPHAN_CHECK
     :: count[o] == 1 && !at_start && (handle[o] || orphaned[o] >= number) -> kept[o] = true
#endif
     :: else ->
        d_step { assert(!ended[o]); ended[o] = true; progress = true };
        if
        :: o == WHOLE -> drop(PART)
        :: else
        fi
     fi
  fi
}

inline collect() {
  d_step { cycle++; number = cycle; at_start = true };
  take_eligible();
  mark_all();
  do
  :: taken[PART] || taken[WHOLE] ->
     if
     :: taken[PART] -> taken[PART] = false; end_or_keep(PART)
     :: else
     fi;
     if
     :: taken[WHOLE] -> taken[WHOLE] = false; end_or_keep(WHOLE)
     :: else
     fi;
     at_start = false;
     take_eligible()
  :: else -> break
  od;
  skip;
  d_step {
    !locked ->
#ifndef NO_PUT_BACK
    in_ge[PART] = in_ge[PART] || kept[PART];
    in_ge[WHOLE] = in_ge[WHOLE] || kept[WHOLE];
#endif
    kept[PART] = false; kept[WHOLE] = false; number = 0; at_start = false
  }
}

proctype collector() {
  byte number;
  bool taken[2], kept[2], at_start, progress, known, last;
  if
#ifdef NO_EXCLUSION
  :: true ->
#else
  :: atomic { !collecting -> collecting = true }
#endif
     collect();
     d_step { progress = false; collecting = false }
  :: true -> skip /* finds one running, or comes at another time */
  fi;
  running--
}

init {
  byte number;
  bool taken[2], kept[2], at_start, progress, known, last;
  count[PART] = 3; count[WHOLE] = 2; /* the program's, the collector's; WHOLE's of PART */
  atomic {
    run blocking_call(); run message_then_receive(); run use_of_whole(); run free_both();
    run collector(); run collector()
  }
  running == 0;
  progress = true;
  do
  :: progress -> progress = false; collect()
  :: else -> break
  od;
  assert(ended[PART] && ended[WHOLE])
}
