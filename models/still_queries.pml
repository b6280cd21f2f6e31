/* Waits that ask, in the proof of deadlock (src/exec/ult/stillness.h, src/runtime/judge/still_rounds.h, src/mpi/coll/call_queries.h).
 *
 * The ult of host A is in a phase of a collective and waits for host B's. It asks now and then, by queries that are not counted; B's
 * handler answers that they agree, or a mismatch. A mismatch ends the wait: then A's ult goes on, may send a message to B's, and waits
 * in the next phase.
 * B's ult runs at the start, and for a moment when a message has come. It may make another call in a phase, which is what A asks for.
 * That all stand still with no message under way is seen at one moment: still_hosts.pml and still_processes.pml have the rest.
 *
 * Checked: when the judge says that none goes on, B's ult has made no other call in A's phase. Then no answer will be a mismatch, and as no
 * message is under way, all stay as they are.
 *
 *   spin -run -safety models/still_queries.pml
 *   spin -DNO_STEPS -run -safety models/still_queries.pml       must fail, and so must:
 *     NO_STEPS    the judge does not compare what the ults have counted
 *     NO_ANSWERS  it does not look at what was answered
 *     READ_LATE   A's ult reads the number of the question when it has an answer
 *     ANY_AGREEMENT  it takes each agreement as the answer to its last query
 */

#define PHASES 3
#define QUERIES 3

mtype = { QUERY, AGREEMENT, MISMATCH };

chan to_b = [2] of { byte, byte };         /* number of the query, phase */
chan to_a = [2] of { mtype, byte, byte };  /* number, phase */

bool runs[2] = { true, true };
byte messages;     /* under way to B's ult */
byte steps[2];
bool other[PHASES];
byte phase;
byte question;
byte answered;     /* of A's wait */
byte agreed[PHASES], mismatched[PHASES];

active proctype UltA() {
  byte number, asked;
end_a:
  do
  :: runs[0] ->  /* between two waits */
     if
     :: messages++
     :: skip
     fi;
     answered = 0;
     asked = 0;
     atomic { steps[0]++; runs[0] = false }
  :: !runs[0] && mismatched[phase] ->
     if
     :: phase + 1 < PHASES -> atomic { phase++; runs[0] = true }
     :: else -> break
     fi
#ifdef ANY_AGREEMENT
  :: !runs[0] && !mismatched[phase] && agreed[phase] != 0 ->
#else
  :: !runs[0] && !mismatched[phase] && agreed[phase] == number && number != 0 ->
#endif
#ifdef READ_LATE
     answered = question
#else
     if :: asked > answered -> answered = asked :: else -> skip fi
#endif
  :: !runs[0] && number < QUERIES && nfull(to_b) ->
     asked = question;
     number++;
     to_b ! number, phase
  od
}

active proctype HandlerA() {
  byte n, t;
end_a:
  do
  :: to_a ? AGREEMENT, n, t -> agreed[t] = n
  :: to_a ? MISMATCH, n, t -> mismatched[t] = true
  od
}

active proctype UltB() {
  byte t;
end_b:
  do
  :: runs[1] ->
     if
     :: t < PHASES -> other[t] = true
     :: t < PHASES -> t++
     :: skip
     fi;
     if
     :: skip
     :: atomic { steps[1]++; runs[1] = false }
     fi
  :: atomic { !runs[1] && messages > 0 -> messages--; runs[1] = true }
  od
}

active proctype HandlerB() {
  byte n, t;
end_b:
  do
  :: to_b ? n, t ->
     if
     :: other[t] -> to_a ! MISMATCH, n, t
     :: else -> to_a ! AGREEMENT, n, t
     fi
  od
}

#ifdef NO_ANSWERS
#define ANSWERED true
#else
#define ANSWERED (answered >= question)
#endif
#ifdef NO_STEPS
#define SAME_STEPS true
#else
#define SAME_STEPS (steps[0] + steps[1] == first)
#endif
#define STILL (!runs[0] && !runs[1] && messages == 0)

active proctype Judge() {
  byte first;
end_judge:
  do
  :: atomic { STILL && question < 2 -> first = steps[0] + steps[1] }
     question++
  :: atomic { STILL && question > 0 && ANSWERED && SAME_STEPS -> assert(!other[phase]); break }
  od
}
