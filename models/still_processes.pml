/* The moment at which no process of a job ran (src/runtime/judge/deadlock_between.h).
 *
 * Two processes. One that runs may put a packet into the other's ring, rings its bell if a thread is announced there, and then goes
 * to sleep: it announces itself, looks once more, sleeps. BUDGET bounds the packets.
 * A process that sleeps may be woken by its own timer, too: then it may ask another one, whose bell it rings, but it has nothing to do.
 * TIMERS bounds how often.
 * A process may end, with what it has sent in the other's ring. A launcher that has seen the end marks its card, and then rings the bell of the
 * other one.
 * Each process has a judge, which says that its process stands still, and then looks at both cards and bells, twice.
 *
 * Checked: when a judge says that all stand still, no process has anything to do and no packet is in a ring of one that has not ended.
 * Nothing comes from outside, so they stay so.
 *
 *   spin -run -safety models/still_processes.pml
 *   spin -DONE_LOOK -run -safety models/still_processes.pml       must fail, and so must:
 *     ONE_LOOK     the judge looks once
 *     NO_RINGS     it looks at the cards alone
 *     OWN_RINGS    it takes the number of rings that it finds, and not the one with which the thread has gone to sleep
 *     NO_OWN_RING  a process that its timer wakes does not count that as a ring of its bell
 *     RINGS_LATE   it counts that when it is announced no more
 *     MARKED_EARLY the launcher marks a process that has not ended
 *     NO_NEW_LOOK  a process goes to sleep without a look at its packets after it has announced itself
 */

#ifndef BUDGET
#define BUDGET 1
#endif

#ifdef NO_NEW_LOOK
#define NEW_LOOK 0
#else
#define NEW_LOOK 1
#endif

#ifndef TIMERS
#define TIMERS 1
#endif

byte packets[2];
bool has_work[2] = { true, true };
byte rings[2];
bool awaited[2];
bool asleep[2];
byte sleeps[2];
byte slept[2];  /* the number of rings with which it has gone to sleep */
byte still[2];  /* that, and one */
bool over[2];
bool is_marked[2];  /* Card::kEnded */
byte left = BUDGET;
byte timers = TIMERS;

inline ring_if_awaited() {
  if
  :: awaited[1 - me] -> awaited[1 - me] = false; rings[1 - me]++
  :: else
  fi
}

proctype Process(byte me) {
  byte seen;
  bool asks = false;
end_run:
  do
  :: atomic { packets[me] > 0 -> packets[me]--; has_work[me] = true }
  :: atomic { left > 0 && has_work[me] -> left--; packets[1 - me]++ }
     ring_if_awaited()
  :: asks -> asks = false; ring_if_awaited()
  :: atomic { !over[1 - me] && has_work[me] -> has_work[me] = false; over[me] = true; break }
  :: has_work[me] = false;
     asks = false;
     seen = rings[me];  /* Bell::begin */
     awaited[me] = true;
     if
#ifndef NO_NEW_LOOK
     :: packets[me] > 0 -> awaited[me] = false
#endif
     :: packets[me] == 0 || NEW_LOOK == 0 ->
        sleeps[me]++;
        slept[me] = seen;
        asleep[me] = true;
end_asleep:
        if
        :: rings[me] != seen
        :: atomic { timers > 0 -> timers--; asks = true }
#if !defined(NO_OWN_RING) && !defined(RINGS_LATE)
           rings[me]++
#endif
        fi;
        asleep[me] = false;
        awaited[me] = false;
#ifdef RINGS_LATE
        if :: asks -> rings[me]++ :: else fi
#endif
     fi
  od
}

inline look_at_all() {
  for (i : 0 .. 1) {
    if
    :: is_marked[i] -> skip
    :: else ->
       if :: still[i] != 0 -> skip :: else -> goto out fi;
#ifndef NO_RINGS
       if :: rings[i] == still[i] - 1 -> skip :: else -> goto out fi
#endif
    fi
  }
}

proctype Judge(byte me) {
  byte i;
  byte before;
  byte first;
end_judge:
  do
  :: asleep[me] ->
     first = sleeps[me];
     if :: asleep[me] -> skip :: else -> goto out fi;
#ifdef OWN_RINGS
     before = rings[me];
#else
     before = slept[me];
#endif
     if :: asleep[me] && sleeps[me] == first -> skip :: else -> goto out fi;
     still[me] = before + 1;
     look_at_all();
#ifndef ONE_LOOK
     look_at_all();
#endif
     assert(!has_work[0] && !has_work[1] && (over[0] || packets[0] == 0) && (over[1] || packets[1] == 0));
out: skip
  od
}

proctype Launcher() {
  byte ended = 1;
#ifndef MARKED_EARLY
end_launcher:
  if
  :: over[0] -> ended = 0
  :: over[1]
  fi;
#endif
  is_marked[ended] = true;
  rings[1 - ended]++
}

init {
  atomic { run Launcher(); run Process(0); run Process(1); run Judge(0); run Judge(1) }
}
