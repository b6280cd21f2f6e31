/* The moment at which no process of a job ran (src/runtime/deadlock_between.h).
 *
 * Two processes. One that runs may put a packet into the other's ring, rings its bell if a thread is announced there, and then goes
 * to sleep: it announces itself, looks once more, sleeps. BUDGET bounds the packets.
 * Each process has a judge, which says that its process stands still, and then looks at both cards and bells, twice.
 *
 * Checked: when a judge says that all stand still, both processes sleep and no packet is in a ring. Nothing comes from
 * outside, so they stay so.
 *
 *   spin -run -safety models/still_processes.pml
 *   spin -DONE_LOOK -run -safety models/still_processes.pml       must fail, and so must:
 *     ONE_LOOK     the judge looks once
 *     NO_RINGS     it looks at the cards alone
 *     OWN_RINGS    it takes the number of rings that it finds, and not the one with which the thread has gone to sleep
 *     NO_NEW_LOOK  a process goes to sleep without a look at its packets after it has announced itself
 */

#ifndef BUDGET
#define BUDGET 2
#endif

#ifdef NO_NEW_LOOK
#define NEW_LOOK 0
#else
#define NEW_LOOK 1
#endif

byte packets[2];
byte rings[2];
bool awaited[2];
bool asleep[2];
byte sleeps[2];
byte slept[2];  /* the number of rings with which it has gone to sleep */
byte still[2];  /* that, and one */
byte left = BUDGET;

proctype Process(byte me) {
  byte seen;
end_run:
  do
  :: packets[me] > 0 -> packets[me]--;
  :: left > 0 ->
     atomic { left > 0 -> left--; packets[1 - me]++ }
     if
     :: awaited[1 - me] -> awaited[1 - me] = false; rings[1 - me]++
     :: else
     fi
  :: seen = rings[me];  /* Bell::begin */
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
        rings[me] != seen;
        asleep[me] = false;
        awaited[me] = false
     fi
  od
}

inline look_at_all() {
  for (i : 0 .. 1) {
    if :: still[i] != 0 -> skip :: else -> goto out fi;
#ifndef NO_RINGS
    if :: rings[i] == still[i] - 1 -> skip :: else -> goto out fi
#endif
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
     assert(asleep[0] && asleep[1] && packets[0] == 0 && packets[1] == 0);
out: skip
  od
}

init {
  atomic { run Process(0); run Process(1); run Judge(0); run Judge(1) }
}
