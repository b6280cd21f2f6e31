/* The moment at which no worker ran (src/exec/ult/stillness.h).
 *
 * Two workers. One that runs may wake the other's ult (a push into its inbox) and then goes to sleep. BUDGET bounds how often.
 * A push that finds the consumer asleep also wakes it: it waits for NEWS.
 * The judge looks at both twice, in the order of the code, one step for each word.
 *
 * Checked: when the judge says that all stand still, both are asleep without news. Nothing comes from outside, so they stay so.
 *
 *   spin -run -safety models/stillness.pml
 *   spin -DONE_LOOK -run -safety models/stillness.pml       must fail, and so must:
 *     ONE_LOOK     the judge looks once
 *     NO_COUNT     it does not compare the numbers of sleeps
 *     NO_INBOX     it looks at the flag alone, which stays until the worker has woken up
 *     COUNT_LATE   a worker shows that it sleeps for good, and then counts the sleep
 */

#ifndef BUDGET
#define BUDGET 5
#endif

mtype = { EMPTY, NEWS, ASLEEP };
mtype inbox[2] = { NEWS, NEWS };
bool for_good[2];
byte sleeps[2];
byte left = BUDGET;

proctype Worker(byte me) {
end_awake:
  do
  :: inbox[me] == NEWS ->
     inbox[me] = EMPTY;
     if  /* what the ult does that has become ready */
     :: atomic { left > 0 -> left--; inbox[1 - me] = NEWS }
     :: skip
     fi
  :: atomic { inbox[me] == EMPTY -> inbox[me] = ASLEEP };  /* try_sleep */
#ifdef COUNT_LATE
     for_good[me] = true;
     sleeps[me]++;
#else
     sleeps[me]++;
     for_good[me] = true;
#endif
end_asleep:
     inbox[me] == NEWS;
     for_good[me] = false
  od
}

#ifdef NO_INBOX
#define is_asleep(i) true
#else
#define is_asleep(i) (inbox[i] == ASLEEP)
#endif

proctype Judge() {
  byte first[2];
  byte i;
  for (i : 0 .. 1) {
    if :: is_asleep(i) :: else -> goto out fi;
    if :: for_good[i] :: else -> goto out fi;
    first[i] = sleeps[i]
  }
#ifndef ONE_LOOK
  for (i : 0 .. 1) {
    if :: is_asleep(i) :: else -> goto out fi;
    if :: for_good[i] :: else -> goto out fi;
#ifndef NO_COUNT
    if :: first[i] == sleeps[i] :: else -> goto out fi
#endif
  }
#endif
  assert(inbox[0] == ASLEEP && inbox[1] == ASLEEP);
out:
  skip
}

init {
  atomic { run Worker(0); run Worker(1); run Judge() }
}
