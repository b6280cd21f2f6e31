/* Tables of a host group that are made anew while members go on (src/mpi/coll/host_group.h, I5).
 *
 * Each member has two strands, for its odd and its even phases: a strand begins a phase when it has left the one before, and when the phase
 * AHEAD before it has met. The last member to arrive at a phase may make the tables of the phase AHEAD after it, then
 * says that the phase has met. A member that is not the last waits for that, or goes on.
 *
 * Checked: no strand uses tables that are made anew, as a member of the phase or as one that waits for it to meet; and all
 * members of a phase have the same tables.
 *
 *   spin -run -safety models/renewal.pml
 *   spin -DTOO_SOON -run -safety models/renewal.pml       must fail, and so must:
 *     TOO_SOON     the tables of the next phase are made
 *     AFTER_MET    they are made when the phase has met
 *     FEWER        there is a round less
 */

#define MEMBERS 2
#define PHASES 6
#define AHEAD 2

#ifdef FEWER
#define ROUNDS 3
#else
#define ROUNDS 4
#endif

#ifdef TOO_SOON
#define NEXT 1
#else
#define NEXT AHEAD
#endif

byte arrived[PHASES + 1];
bool met[PHASES + 1];
byte users[ROUNDS];
bit made[ROUNDS];          /* changes when they are made anew */
byte seen[PHASES + 1] = 2;  /* by the first one of the phase */

inline renew(phase) {
  if
  :: phase + NEXT <= PHASES ->
     assert(users[(phase + NEXT) % ROUNDS] == 0);
     made[(phase + NEXT) % ROUNDS] = 1 - made[(phase + NEXT) % ROUNDS]
  :: true -> skip
  fi
}

proctype Strand(byte t) {
  bool last;
  do
  :: t > PHASES -> break
  :: t <= PHASES ->
     if
     :: t > AHEAD ->
        users[(t - AHEAD) % ROUNDS]++;
        met[t - AHEAD];
        users[(t - AHEAD) % ROUNDS]--
     :: t <= AHEAD -> skip
     fi;
     users[t % ROUNDS]++;
     atomic {
       if
       :: seen[t] == 2 -> seen[t] = made[t % ROUNDS]
       :: seen[t] != 2 -> assert(seen[t] == made[t % ROUNDS])
       fi
     }
     atomic { arrived[t]++; last = arrived[t] == MEMBERS }
     if
     :: last ->
#ifdef AFTER_MET
        met[t] = true;
        renew(t)
#else
        renew(t);
        met[t] = true
#endif
     :: !last ->
        if :: met[t] :: true fi
     fi;
     users[t % ROUNDS]--;
     t = t + 2
  od
}

init {
  atomic { run Strand(1); run Strand(2); run Strand(1); run Strand(2) }
}
