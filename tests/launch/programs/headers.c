/* What a program's ELF headers ask for, and what each rank has. Prints "ok", or what is wrong: headers USE. A case is
   compiled with -D of its name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

#ifdef STACK /* PT_GNU_STACK RWE: gcc makes one of a nested function whose address is taken */
static int sum_of(int (*visit)(int), int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) sum += visit(i);
  return sum;
}
static void* in_thread(void* unused) {
  int times = 10;
  int visit(int i) {
    return times * i;
  }
  (void)unused;
  return (void*)(intptr_t)sum_of(visit, 4);
}
static const char* check(void) {
  int calls = 0, sum = 0, later = 0, size;
  MPI_Op op;
  MPI_Request request;
  pthread_t threads[4];
  void add(void* in, void* inout, int* n, MPI_Datatype* type) {
    (void)type;
    calls++;
    for (int i = 0; i < *n; i++) ((int*)inout)[i] += ((int*)in)[i];
  }
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Iallreduce(&rank, &later, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Op_free(&op);
  if (sum != size * (size - 1) / 2 || later != sum)
    return "a reduction by a nested function is wrong";
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, in_thread, NULL);
  for (int i = 0; i < 4; i++) {
    void* result;
    pthread_join(threads[i], &result);
    if (result != (void*)60) return "a thread's nested function is wrong";
  }
  return NULL;
}
#endif

#ifdef PLUGIN_OF_STACK /* the program's stack is not executable; a library is loaded whose constructor needs one that is */
static pthread_barrier_t loaded;
static int (*call)(int);
static void* in_older_thread(void* unused) {
  (void)unused;
  pthread_barrier_wait(&loaded);
  return (void*)(intptr_t)call(5);
}
static const char* check(void) {
  pthread_t older;
  void* result;
  pthread_barrier_init(&loaded, NULL, 2);
  pthread_create(&older, NULL, in_older_thread, NULL);
  void* const library = dlopen("./libnested.so", RTLD_NOW);
  if (library == NULL) return dlerror();
  call = (int (*)(int))dlsym(library, "call_nested");
  pthread_barrier_wait(&loaded);
  pthread_join(older, &result);
  if (result != (void*)15 || call(7) != 21) return "its nested function is wrong";
  return NULL;
}
#endif

#ifdef NO_STACK /* PT_GNU_STACK RW */
static const char* check(void) {
  char on_stack[64], line[512];
  const uintptr_t here = (uintptr_t)on_stack;
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    uintptr_t low, high;
    char rights[5];
    if (sscanf(line, "%lx-%lx %4s", &low, &high, rights) != 3 || here < low || here >= high)
      continue;
    fclose(maps);
    return rights[2] == 'x' ? "the stack is executable" : NULL;
  }
  return "the stack was not found";
}
#endif

#ifdef ALIGNED /* p_align of PT_LOAD and of PT_TLS */
static _Alignas(65536) char variable[3] = {1};
static _Alignas(65536) char zeroed[3];
static __thread _Alignas(1024) char of_thread[3] = {2};
static void* in_thread(void* unused) {
  (void)unused;
  return (void*)((uintptr_t)of_thread % 1024 + (of_thread[0] != 2));
}
static const char* check(void) {
  pthread_t thread;
  void* result;
  if ((uintptr_t)variable % 65536 != 0 || (uintptr_t)zeroed % 65536 != 0)
    return "a variable is not aligned";
  if (in_thread(NULL) != NULL) return "a thread-local variable is not aligned";
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, &result);
  return result != NULL ? "a thread's variable is not aligned" : NULL;
}
#endif

#if defined(RELRO) || defined(NO_RELRO) /* PT_GNU_RELRO */
static const char* const names[] = {"one", "two"};
const char* const* volatile table = names;
static const char* check(void) {
  int ends[2];
  if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1) return "no pipe";
  /* The kernel says whether the page may be written, without a signal. */
  const ssize_t got = read(ends[0], (void*)(uintptr_t)table, 1);
#ifdef RELRO
  if (got != -1 || errno != EFAULT) return "a relocated constant can be written";
#else
  if (got != 1) return "a relocated constant cannot be written";
#endif
  return strcmp(names[1], "two") != 0 ? "a relocation is wrong" : NULL;
}
#endif

#ifdef PLAIN
static const char* check(void) {
  return NULL;
}
#endif

#ifdef BY_ORIGIN /* DT_RUNPATH with $ORIGIN */
int call_nested(int);
static const char* check(void) {
  return call_nested(3) == 9 ? NULL : "its library is wrong";
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const wrong = check();
  printf("%s\n", wrong != NULL ? wrong : "ok");
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
