/* The moment at which no thread of a process ran (src/exec/ult/own_sleep.h, src/runtime/judge/deadlock_of_process.h).
 *
 * Two threads, and a third one that looks. A thread that runs may give any thread what that one waits for; then it begins a wait: it counts
 * it, says that it sleeps for good, looks at its word, and sleeps in the kernel. A gift makes a sleeper runnable at once. BUDGET bounds
 * the gifts. A thread may also wake up for nothing, and sleep on in the same wait. The third one has left its own sleep for a look, so no gift
 * wakes it.
 *
 * Checked: when it says that all stand still, none has a gift, and both others are asleep.
 *
 *   spin -run -safety models/still_threads.pml
 *   spin -DNO_KERNEL -run -safety models/still_threads.pml       must fail, and so must:
 *     NO_KERNEL     the kernel is not asked whether the threads sleep
 *     NO_STEPS      the numbers of waits are not compared
 *     NO_TRY        the third one does not look whether it has got a gift meanwhile
 *     TRY_EARLY     it looks before its first look at the others
 */

#ifndef BUDGET
#define BUDGET 4
#endif

bool given[3];
bool asleep[2];
bool for_good[2];
byte steps[2];
byte left = BUDGET;
byte naps = 2;

proctype Thread(byte me) {
  byte to;
  do
  :: /* runs code of the program */
     do
     :: atomic { left > 0 -> left-- };
        select (to : 0 .. 2);
        atomic {
          given[to] = true;
          if :: to < 2 -> asleep[to] = false :: else fi
        }
     :: break
     od;
     steps[me]++;
     for_good[me] = true;
     do
     :: atomic { given[me] -> given[me] = false }; break
     :: atomic { !given[me] -> asleep[me] = true };
end_asleep:
        if
        :: !asleep[me]
        :: atomic { asleep[me] && naps > 0 -> naps--; asleep[me] = false }
        fi
     od;
     for_good[me] = false
  od
}

proctype Looker() {
  byte first[2];
  byte i;
#ifdef TRY_EARLY
  if :: !given[2] :: else -> goto out fi;
#endif
  for (i : 0 .. 1) {
    if :: for_good[i] :: else -> goto out fi;
    first[i] = steps[i]
  }
#ifndef NO_KERNEL
  for (i : 0 .. 1) {
    if :: asleep[i] :: else -> goto out fi
  }
#endif
#if !defined(NO_TRY) && !defined(TRY_EARLY)
  if :: !given[2] :: else -> goto out fi;
#endif
  for (i : 0 .. 1) {
    if :: for_good[i] :: else -> goto out fi;
#ifndef NO_STEPS
    if :: first[i] == steps[i] :: else -> goto out fi
#endif
  }
  /* One that has woken up for nothing sleeps on. */
  assert(!given[0] && !given[1] && !given[2] && for_good[0] && for_good[1]);
out:
  skip
}

init {
  atomic { run Thread(0); run Thread(1); run Looker() }
}
