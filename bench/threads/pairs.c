/* pairs.c - pairs of processes, or of the threads of two ranks; see common.h. */
#include "common.h"

void pairs_begin(Pairs* pairs, const Bench* bench, const char* mode, long count,
                 const char* comms) {
  const int threads = is(mode, "threads");
  const int ranks = threads ? 2 : 2 * (int)count;
  bench_require(bench, bench->ranks == ranks,
                "%ld pairs of %s want %d ranks, and there are %d (mpiexec -n %d)", count, mode,
                ranks, bench->ranks, ranks);
  bench_require(bench, threads || is(comms, "shared"), "--comms own is for --mode threads");
  pairs->pairs = (int)count;
  pairs->threads = threads ? (int)count : 0;
  pairs->own = is(comms, "own");
  for (int i = 0; pairs->own && i < count; i++) MPI_Comm_dup(MPI_COMM_WORLD, &pairs->comm[i]);
}

Side pairs_side(const Pairs* pairs, const Member* member) {
  Side side = {.comm = MPI_COMM_WORLD};
  const int rank = member->bench->rank;
  if (pairs->threads) {
    side.index = member->thread;
    side.peer = 1 - rank;
    side.first = rank == 0;
  } else {
    side.first = rank < pairs->pairs;
    side.index = side.first ? rank : rank - pairs->pairs;
    side.peer = side.first ? rank + pairs->pairs : side.index;
  }
  if (pairs->own) side.comm = pairs->comm[side.index];
  return side;
}

void pairs_end(Pairs* pairs) {
  for (int i = 0; pairs->own && i < pairs->pairs; i++) MPI_Comm_free(&pairs->comm[i]);
}

void exchange_begin(Exchange* exchange, const Pairs* pairs, const Member* member, size_t size,
                    const char* buffers) {
  const Side side = exchange->side = pairs_side(pairs, member);
  const unsigned seed = 2 * (unsigned)side.index;
  buffers_begin(&exchange->out, size, 1, buffers, 4 * pairs->pairs, seed + (unsigned)side.first);
  buffers_begin(&exchange->in, size, 1, buffers, 4 * pairs->pairs, seed + !side.first);
  buffers_fill(&exchange->out);
}

void exchange_send(Exchange* e) {
  MPI_Send(buffers_next(&e->out), (int)e->out.size, MPI_BYTE, e->side.peer, e->side.index,
           e->side.comm);
}

void exchange_receive(const Bench* bench, Exchange* e) {
  MPI_Recv(buffers_slot(&e->in, e->in.number), (int)e->in.size, MPI_BYTE, e->side.peer,
           e->side.index, e->side.comm, MPI_STATUS_IGNORE);
  buffers_received(bench, &e->in);
}

void exchange_ping_pong(Member* member, long iterations, void* argument) {
  Exchange* e = argument;
  for (long i = 0; i < iterations; i++) {
    if (e->side.first) exchange_send(e);
    exchange_receive(member->bench, e);
    if (!e->side.first) exchange_send(e);
  }
}

void exchange_end(const Bench* bench, Exchange* exchange) {
  buffers_check(bench, &exchange->in);
  buffers_end(&exchange->in);
  buffers_end(&exchange->out);
}
