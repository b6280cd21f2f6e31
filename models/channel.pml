/* The protocol of src/net/channel: a lock for which no thread waits (channel_lock.h), the packets that senders
 * leave there (channel.h), and the polling until all sleep (exec/ult/poller.h).
 *
 * One channel. Sender 0 sends two packets, sender 1 one, each straight away if it can, else by way of
 * the inbox; they poll nothing afterwards. A poller looks and sleeps for ever, another thread looks once
 * in passing and goes away. A packet comes in, and the thread that delivers it answers. The network is full
 * at any time, and does not tell when it no longer is.
 *
 * Checked in every schedule:
 *   alone   one at a time has the lock
 *   order   packets leave in the order in which their sender sent them
 *   lost    when nothing happens any more, all sleep and nothing waits: no packet in the inbox, none
 *           that was refused, none that has come in
 *
 * An access to the lock's word or the inbox is one step, and so is one to the list of sleepers, which
 * has a lock. What the holder does under the lock is one step, too, except for its first look at
 * the inbox. Everything is sequentially consistent here: the orders in channel_lock.h are not checked.
 *
 *   spin -run -safety models/channel.pml
 *   spin -DNO_NOTES -run -safety models/channel.pml           must fail, and so must:
 *     NO_NOTES           unlocks whether there is a note or not
 *     NOTE_THEN_PUSH     leaves the note before the packet
 *     NO_NUDGE_AT_ALL    a thread that leaves a refused packet behind wakes no sleeper
 *     NO_NUDGE_ANYWAY    nor does one that unlocks in spite of a note
 *     NO_HAND_OVER       a poller that was left a note and leaves something behind wakes no sleeper
 *     LOOK_THEN_LIST     a sleeper is listed after its last look
 *     NO_SURE_LOOK       the last look leaves no note if the channel is locked
 *     OVERTAKE           sends straight away though others wait
 */

#define MOST_NOTES 1 /* kMostNotes: few, so that it is reached */
#define ANSWER 2 /* as a sender */
#define SENDERS 3
#define PACKET(s, n) ((s) * 2 + (n))

mtype = { free, held, noted }
mtype word = free;

chan inbox = [4] of { byte };
chan kept = [4] of { byte };
byte left[SENDERS]; /* packets that have left */
bool jammed, came;

bool listed, roused;
byte holders;

#define WAITING (len(kept) > 0)

inline leaves(p) {
  assert(left[p / 2] == p % 2);
  left[p / 2]++
}

/* An endpoint's try_send. */
inline try_send(p, ok) {
  if
  :: jammed -> ok = false
  :: !jammed -> ok = true; leaves(p)
  :: !jammed -> ok = true; leaves(p); jammed = true
  fi
}

inline now_held() { holders++; assert(holders == 1) }

inline try_lock(ok) {
  atomic {
    if
    :: word == free -> word = held; now_held(); ok = true
    :: else -> ok = false
    fi
  }
}

inline lock_or_note(ok) {
  atomic {
    if
    :: word == free -> word = held; now_held(); ok = true
    :: else -> word = noted; ok = false
    fi
  }
}

inline nudge() {
  atomic {
    if
    :: listed -> listed = false; roused = true
    :: else
    fi
  }
}

/* Channel::send_waiting, with the lock. */
inline send_waiting() {
  atomic {
    do
    :: len(inbox) > 0 -> inbox ? packet; kept ! packet
    :: else -> break
    od;
    do
    :: WAITING ->
       kept ? <packet>;
       try_send(packet, ok);
       if
       :: ok -> kept ? _
       :: else -> break
       fi
    :: else -> break
    od;
    packet = 0; ok = false
  }
}

/* Channel::work, with the lock. The answer's note is to the holder himself. */
inline work(progress) {
  send_waiting();
  d_step {
    progress = WAITING;
    if
    :: came -> came = false; progress = true; inbox ! PACKET(ANSWER, 0); word = noted
    :: else
    fi
  }
}

/* Channel::unlock. `more`: something that more polling must bring on. */
inline unlock(more, was_noted) {
  more = WAITING; was_noted = false; notes = 0;
  do
  :: notes < MOST_NOTES ->
     atomic {
       if
#ifdef NO_NOTES
       :: true -> word = free; holders--; break
#else
       :: word == held -> word = free; holders--; break
#endif
       :: word == noted -> word = held; was_noted = true
       fi
     };
     work(more);
     notes++
  :: else ->
     atomic {
#ifndef NO_NUDGE_ANYWAY
       if
       :: word == noted -> more = true
       :: else
       fi;
#endif
       was_noted = true; word = free; holders--
     };
     break
  od;
  notes = 0
}

/* For a sender, which will not poll. */
inline unlock_and_leave() {
  unlock(more, was_noted);
#ifndef NO_NUDGE_AT_ALL
  if
  :: more -> nudge()
  :: else
  fi;
#endif
  more = false; was_noted = false
}

/* Channel::advance and advance_surely, once the lock is taken. */
inline look(progress) {
  work(progress);
  unlock(more, was_noted);
  progress = progress || more;
#ifndef NO_HAND_OVER
  if
  :: more && was_noted -> nudge()
  :: else
  fi;
#endif
  more = false; was_noted = false
}

proctype sender(byte s; byte packets) {
  byte n, packet, notes;
  bool ok, mine, sent, more, was_noted;
  do
  :: n < packets ->
     sent = false;
     try_lock(mine); /* send_now */
     if
     :: mine ->
#ifdef OVERTAKE
        atomic { try_send(PACKET(s, n), sent); ok = false };
#else
        if
        :: len(inbox) == 0 && !WAITING -> atomic { try_send(PACKET(s, n), sent) }
        :: else
        fi;
#endif
        unlock_and_leave()
     :: else
     fi;
     if
     :: !sent -> /* put */
#ifdef NOTE_THEN_PUSH
        lock_or_note(mine);
        inbox ! PACKET(s, n);
#else
        inbox ! PACKET(s, n);
        lock_or_note(mine);
#endif
        if
        :: mine -> send_waiting(); unlock_and_leave()
        :: else
        fi
     :: else
     fi;
     mine = false; sent = false;
     n++
  :: else -> break
  od
}

proctype poller() {
  byte packet, notes;
  bool ok, mine, progress, more, was_noted;
  do
  :: true ->
#ifndef LOOK_THEN_LIST
     listed = true;
#endif
     progress = false;
#ifdef NO_SURE_LOOK
     try_lock(mine);
#else
     lock_or_note(mine);
#endif
     if
     :: mine -> look(progress); mine = false
     :: else
     fi;
#ifdef LOOK_THEN_LIST
     listed = true;
#endif
     if
     :: progress
     :: else ->
end_asleep:
        roused
     fi;
     atomic { listed = false; roused = false; progress = false }
  od
}

/* A kernel thread that tests once, or a worker on its way to a long computation. */
proctype passer() {
  byte packet, notes;
  bool ok, mine, progress, more, was_noted;
  try_lock(mine);
  if
  :: mine -> look(progress)
  :: else
  fi
}

/* Promises of transport.h: T3, a refused packet is accepted some time, and T5, after a packet has come
 * a thread polls. */
proctype network() {
  bool brought;
end_idle:
  do
  :: jammed -> jammed = false
  :: !brought -> brought = true; came = true; nudge()
  od
}

init {
  atomic {
    run sender(0, 2); run sender(1, 1);
    run poller();
    run passer();
    run network()
  }
  timeout;
  assert(len(inbox) == 0 && !WAITING && !came);
  assert(left[0] == 2 && left[1] == 1 && left[ANSWER] == 1)
}
