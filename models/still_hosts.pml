/* The moment at which no host of a job ran, and nothing was under way between them (src/runtime/judge/still_rounds.h,
 * deadlock_over_hosts.h).
 *
 * Two hosts. One that runs may give a packet to its channel. The network takes it from there when it has room, of one packet;
 * a packet that found none waits in the channel, until the network tells of room. Then the host runs, and sends it. A host that
 * handles a packet runs. BUDGET bounds the packets.
 * A host that stands still may report. Host 0 takes words, and asks, in the order of the code.
 *
 * Checked: when the proof is complete, both hosts stand still, no packet is in the network, and none waits to be sent.
 *
 *   spin -run -safety models/still_hosts.pml
 *   spin -DONE_ROUND -run -safety models/still_hosts.pml       must fail, and so must:
 *     ONE_ROUND    host 0 asks nothing: equal sums are the proof
 *     NO_COUNTS    all stand still, twice, whatever the sums are
 *     OLD_WORDS    the first words count as answers
 *     NEW_NUMBERS  an answer may differ from the first word, if the sums of the answers are not looked at
 *     ASKED_LATE   the round that a word answers is read when the host has already been seen to stand still
 *     LEFT_BEHIND  a host stands still although a packet waits in its channel
 */

#ifndef BUDGET
#define BUDGET 3
#endif

bool runs[2];
byte waiting[2];  /* in the channel, to the other one */
byte network[2];  /* on the way to it */
byte given[2];    /* accepted by the network */
byte handled[2];
byte asked[2];    /* the round that it has heard of */
byte left = BUDGET;

chan question[2] = [2] of { byte };
chan words[2] = [3] of { byte, byte, byte };  /* round, given, handled */

#ifdef LEFT_BEHIND
#define NOTHING_WAITS(me) true
#else
#define NOTHING_WAITS(me) (waiting[me] == 0)
#endif

proctype Host(byte me) {
  byte step, now_asked, now_given, now_handled;
  byte round, said_round, said_given, said_handled;
  bool has_said = false;
end_run:
  do
  :: atomic { runs[me] && left > 0 -> left--; waiting[me]++ }
  :: atomic { waiting[me] > 0 && network[1 - me] == 0 -> /* room */
       runs[me] = true; waiting[me]--; network[1 - me]++; given[me]++ }
  :: atomic { network[me] > 0 -> network[me]--; handled[me]++; runs[me] = true }
  :: runs[me] -> runs[me] = false
  :: question[me] ? round -> asked[me] = round
  :: step == 0 -> now_asked = asked[me]; step = 1  /* the judge begins */
  :: atomic { step == 1 && !runs[me] && NOTHING_WAITS(me) ->  /* stood still */
       now_given = given[me]; now_handled = handled[me]; step = 2 }
  :: step == 1 -> step = 0
  :: atomic { step == 2 ->
#ifdef ASKED_LATE
       now_asked = asked[me];
#endif
       step = 0;
       if
       :: len(words[me]) < 3 && (!has_said || said_round != now_asked || said_given != now_given || said_handled != now_handled) ->
          has_said = true; said_round = now_asked; said_given = now_given; said_handled = now_handled;
          words[me] ! said_round, said_given, said_handled
       :: else -> skip
       fi }
  od
}

#ifdef NO_COUNTS
#define BALANCED true
#else
#define BALANCED (last_given[0] + last_given[1] == last_handled[0] + last_handled[1])
#endif

#ifdef OLD_WORDS
#define ANSWERED(i) (has[i])
#else
#define ANSWERED(i) (last_round[i] == round)
#endif

proctype HostZero() {
  byte last_round[2], last_given[2], last_handled[2];
  bool has[2];
  bool asks = false;
  byte round = 0;
  byte i, r, g, h;
end_hear:
  do
  :: if
     :: words[0] ? r, g, h -> i = 0
     :: words[1] ? r, g, h -> i = 1
     fi;
     d_step {
#ifndef NEW_NUMBERS
       if :: last_given[i] != g || last_handled[i] != h -> asks = false :: else -> skip fi;
#endif
       has[i] = true; last_round[i] = r; last_given[i] = g; last_handled[i] = h
     }
     if
     :: asks && ANSWERED(0) && ANSWERED(1) -> goto proven
     :: asks && !(ANSWERED(0) && ANSWERED(1)) -> skip
     :: !asks && has[0] && has[1] && BALANCED && last_round[0] == round && last_round[1] == round ->
#ifdef ONE_ROUND
        goto proven;
#endif
        asks = true; round++;
        question[0] ! round;
        question[1] ! round
     :: else -> skip
     fi
  od;
proven:
  assert(!runs[0] && !runs[1]);
  assert(network[0] == 0 && network[1] == 0 && waiting[0] == 0 && waiting[1] == 0)
}

init {
  atomic { runs[0] = true; runs[1] = true; run Host(0); run Host(1); run HostZero() }
}
