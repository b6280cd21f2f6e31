// heaps.c — what ranks and their threads allocate lies in a mapping of the rank alone, and others may free it.
//   heaps own       every block of a rank lies in one mapping, libc's and MPI's for it too, and other ranks' in another
//   heaps others    blocks are freed by the next rank; the owner has the memory again, so a hundred rounds take what three took
//   heaps threads   threads that come and go allocate in their rank's mapping, and free what ended ones have left
//   heaps tool      MPI_T tells what is in use, after frees of others, too
//   heaps moves     the rank moves to another worker; its pages are on that worker's NUMA node then
//   heaps image     the same of the program's data, the stack and libc's part of the TLS block
//   heaps forks     children allocate and free, too
//   heaps whose     prints whose malloc it is
#define _GNU_SOURCE
#include <dlfcn.h>
#include <heddle/mpix.h>
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kBlocks = 5000 };

static int me, ranks;

static void must(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: not so: %s\n", me, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct mapping {
  unsigned long low, high;
};

// By /proc, which knows nothing of heaps.
static struct mapping mapping_of(const void* block) {
  struct mapping found = {0, 0};
  char line[600];
  FILE* maps = fopen("/proc/self/maps", "r");
  must(maps != NULL, "/proc/self/maps can be read");
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long low, high;
    if (sscanf(line, "%lx-%lx", &low, &high) != 2) continue;
    if ((unsigned long)block >= low && (unsigned long)block < high)
      found = (struct mapping){low, high};
  }
  fclose(maps);
  return found;
}

static int lies_in(struct mapping mapping, const void* block) {
  return (unsigned long)block >= mapping.low && (unsigned long)block < mapping.high;
}

static size_t size_of(int i) {
  return i % 100 == 0 ? 300000 : 1 + (size_t)(i * 37) % 3000;
}

static void fill(char** blocks, struct mapping mine) {
  for (int i = 0; i < kBlocks; i++) {
    blocks[i] = malloc(size_of(i));
    must(blocks[i] != NULL, "there is memory");
    memset(blocks[i], me + 1, size_of(i));
    must(lies_in(mine, blocks[i]), "malloc gives a block of the rank's mapping");
  }
}

static void own(void) {
  char* first = malloc(100);
  const struct mapping mine = mapping_of(first);
  static char* blocks[kBlocks];
  fill(blocks, mine);
  for (int i = 0; i < kBlocks; i += 7) {
    blocks[i] = realloc(blocks[i], 2 * size_of(i));
    must(lies_in(mine, blocks[i]) && blocks[i][size_of(i) - 1] == (char)(me + 1), "realloc, too");
    must(malloc_usable_size(blocks[i]) >= 2 * size_of(i), "malloc_usable_size knows of it");
  }
  for (int i = 0; i < kBlocks; i++) free(blocks[i]);
  char* text = strdup("libc's strdup");
  must(lies_in(mine, text), "libc's strdup, too");
  free(text);
  void* aligned = NULL;
  must(posix_memalign(&aligned, 4096, 10000) == 0 && lies_in(mine, aligned) &&
           (size_t)aligned % 4096 == 0,
       "aligned blocks, too");
  free(aligned);
  MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &aligned);
  must(lies_in(mine, aligned), "MPI_Alloc_mem, too");
  MPI_Free_mem(aligned);
  unsigned long* all = malloc((size_t)ranks * sizeof *all);
  MPI_Allgather(&mine.low, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; i++)
    must(i == me || all[i] != mine.low, "other ranks have other mappings");
  free(all);
  free(first);
}

// Kilobytes of the mapping that are there.
static long resident(struct mapping mapping) {
  char line[600];
  int inside = 0;
  long kilobytes = 0, value;
  FILE* maps = fopen("/proc/self/smaps", "r");
  must(maps != NULL, "/proc/self/smaps can be read");
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long low, high;
    if (sscanf(line, "%lx-%lx ", &low, &high) == 2) inside = low == mapping.low;
    if (inside && sscanf(line, "Rss: %ld", &value) == 1) kilobytes = value;
  }
  fclose(maps);
  return kilobytes;
}

static void others(void) {
  char* first = malloc(100);
  const struct mapping mine = mapping_of(first);
  static char* blocks[kBlocks];
  static char* theirs[kBlocks];
  const int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
  long early = 0;
  for (int round = 0; round < 100; round++) {
    fill(blocks, mine);
    MPI_Sendrecv(blocks, sizeof blocks, MPI_BYTE, next, 0, theirs, sizeof theirs, MPI_BYTE, before,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < kBlocks; i++) {
      must(theirs[i][0] == (char)(before + 1) && theirs[i][size_of(i) - 1] == (char)(before + 1),
           "blocks are whole");
      free(theirs[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (round == 2) early = resident(mine);
  }
  must(early > 0 && resident(mine) <= 2 * early, "the owner has its memory again");
  free(first);
}

struct work {
  struct mapping mine;
  char** blocks;
};

static void* thread(void* argument) {
  struct work* work = argument;
  if (work->blocks[0] != NULL)  // an ended thread's
    for (int i = 0; i < kBlocks; i++) free(work->blocks[i]);
  fill(work->blocks, work->mine);
  return NULL;
}

static void threads(void) {
  char* first = malloc(100);
  static char* blocks[3][kBlocks];
  struct work work[3];
  long early = 0;
  for (int k = 0; k < 3; k++) work[k] = (struct work){mapping_of(first), blocks[k]};
  for (int round = 0; round < 60; round++) {
    pthread_t ids[3];
    for (int k = 0; k < 3; k++)
      must(pthread_create(&ids[k], NULL, thread, &work[k]) == 0, "a thread begins");
    for (int k = 0; k < 3; k++) pthread_join(ids[k], NULL);
    // How much threads leave at once depends on who frees first: the most of some rounds.
    const long now = round < 6 ? resident(work[0].mine) : 0;
    if (now > early) early = now;
  }
  must(early > 0 && resident(work[0].mine) <= 4 * early, "later threads use what ended ones left");
  free(first);
}

static unsigned long long in_use(void) {
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  int index, count;
  unsigned long long bytes = 0;
  MPI_T_pvar_session_create(&session);
  must(MPI_T_pvar_get_index("heap_used_bytes", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS,
       "there is a variable");
  MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
  MPI_T_pvar_read(session, handle, &bytes);
  MPI_T_pvar_session_free(&session);
  return bytes;
}

static void tool(void) {
  static char* blocks[kBlocks];
  static char* theirs[kBlocks];
  const int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
  int provided;
  MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
  unsigned long long usable = 0;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);  // what this library keeps does not count
  const unsigned long long at_first = in_use();
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  must(in_use() == at_first, "the library's memory is the process's");
  for (int i = 0; i < kBlocks; i++) {
    blocks[i] = malloc(size_of(i));
    usable += malloc_usable_size(blocks[i]);
  }
  must(in_use() == at_first + usable, "what was allocated is in use");
  MPI_Sendrecv(blocks, sizeof blocks, MPI_BYTE, next, 0, theirs, sizeof theirs, MPI_BYTE, before, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < kBlocks; i++) free(theirs[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  must(in_use() == at_first, "nothing is in use that another rank has freed");
  MPI_T_finalize();
}

enum { kNodes = 8, kPartBytes = 200000 };

// What a rank has besides its heap: the program's data, initialized and not, and the main strand's stack.
static char data[kPartBytes] = {1}, zero[kPartBytes];

// Adds the pages of the mapping on each node.
static void count_pages(struct mapping mapping, long* of_node) {
  char line[2000];
  FILE* maps = fopen("/proc/self/numa_maps", "r");
  must(maps != NULL, "/proc/self/numa_maps can be read");
  while (fgets(line, sizeof line, maps) != NULL) {
    if (strtoul(line, NULL, 16) != mapping.low) continue;
    for (char* word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n")) {
      int node;
      long pages;
      if (sscanf(word, "N%d=%ld", &node, &pages) == 2 && node < kNodes) of_node[node] += pages;
    }
  }
  fclose(maps);
}

// Returns when all pages are on the node of the caller's CPU; never, if they do not get there.
static void await_local(const struct mapping* parts, int count, long* of_node) {
  for (;;) {
    unsigned cpu, node;
    getcpu(&cpu, &node);
    long others = 0;
    memset(of_node, 0, kNodes * sizeof *of_node);
    for (int i = 0; i < count; i++) count_pages(parts[i], of_node);
    for (unsigned i = 0; i < kNodes; i++) others += i != node ? of_node[i] : 0;
    if (others == 0 && of_node[node] > 0) return;
    usleep(1000);
  }
}

static void move_around(const struct mapping* parts, int count) {
  long of_node[kNodes];
  int worker, workers;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < 4; turn++) {
    MPIX_Rank_worker(MPI_COMM_WORLD, me, &worker, &workers);
    await_local(parts, count, of_node);
    printf("rank %d worker %d: pages", me, worker);
    for (int i = 0; i < kNodes; i++)
      if (of_node[i] > 0) printf(" node %d %ld", i, of_node[i]);
    printf("\n");
    const int to = (worker + 1 + workers / 2) % workers;
    MPIX_Rank_migrate(MPI_COMM_WORLD, me, to);
    sched_yield();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void moves(void) {
  char* first = malloc(100);
  const struct mapping mine = mapping_of(first);
  static char* blocks[kBlocks];
  fill(blocks, mine);
  move_around(&mine, 1);
  for (int i = 0; i < kBlocks; i++) {
    must(blocks[i][0] == (char)(me + 1) && blocks[i][size_of(i) - 1] == (char)(me + 1),
         "blocks are whole");
    free(blocks[i]);
  }
  free(first);
}

static void image(void) {
  char on_stack[kPartBytes];
  // libc's part of the TLS block lies above the stack; the program's is libc's malloc's.
  char* const parts[] = {data, zero, on_stack, (char*)pthread_self()};
  const size_t sizes[] = {sizeof data, sizeof zero, sizeof on_stack, 0};
  enum { kCount = sizeof parts / sizeof *parts };
  struct mapping mappings[kCount];
  int count = 0;
  for (int i = 0; i < kCount; i++) {
    memset(parts[i], me + 1, sizes[i]);
    // A part may be in two mappings; its middle counts.
    const struct mapping found = mapping_of(parts[i] + sizes[i] / 2);
    if (count == 0 || mappings[count - 1].low != found.low) mappings[count++] = found;
  }
  move_around(mappings, count);
  for (int i = 0; i < kCount; i++)
    for (size_t k = 0; k < sizes[i]; k++) must(parts[i][k] == (char)(me + 1), "nothing is lost");
}

// The child is the caller's copy, and so is its heap; memory of other threads is there to be freed.
static void forks(void) {
  static char* blocks[3][kBlocks];
  char* first = malloc(100);
  const struct mapping mine = mapping_of(first);
  for (int round = 0; round < 20; round++) {
    struct work work = {mine, blocks[1]};
    pthread_t id;
    fill(blocks[0], mine);
    must(pthread_create(&id, NULL, thread, &work) == 0, "a thread begins");
    pthread_join(id, NULL);
    const pid_t child = fork();
    must(child >= 0, "there is a child");
    fill(blocks[2], mine);
    for (int k = 0; k < (child == 0 ? 3 : 1); k++)
      for (int i = 0; i < kBlocks; i++) free(blocks[child == 0 ? k : 2][i]);
    if (child == 0) _exit(7);
    int status = 0;
    must(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7,
         "the child ends");
    for (int i = 0; i < kBlocks; i++) free(blocks[0][i]);
  }
  free(first);
}

static void whose(void) {
  Dl_info found;
  must(dladdr((void*)malloc, &found) != 0, "malloc is a library's");
  const char* name = strrchr(found.dli_fname, '/');
  if (me == 0) printf("%s\n", name != NULL ? name + 1 : found.dli_fname);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "own") == 0) own();
  if (strcmp(what, "others") == 0) others();
  if (strcmp(what, "threads") == 0) threads();
  if (strcmp(what, "tool") == 0) tool();
  if (strcmp(what, "moves") == 0) moves();
  if (strcmp(what, "image") == 0) image();
  if (strcmp(what, "forks") == 0) forks();
  if (strcmp(what, "whose") == 0) whose();
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) printf("%s done\n", what);
  MPI_Finalize();
  return 0;
}
