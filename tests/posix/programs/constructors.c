// Constructors and destructors of a program and of its plugin wait for threads, each of which waits for one of its own.
// The dynamic linker's lock is held there, so that the strand which waits keeps its worker, and no thread may need it.
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 4 };

// Calls what no other strand may have called before.
static void* inner(void* argument) {
  struct stat root;
  time_t now = time(NULL);
  struct tm parts;
  const int null = open("/dev/null", O_RDWR);
  const int right = null >= 0 && write(null, "a", 1) == 1 && close(null) == 0 &&
                    stat("/", &root) == 0 && localtime_r(&now, &parts) != NULL &&
                    access("/", R_OK) == 0;
  return right ? argument : NULL;
}

static void* outer(void* argument) {
  pthread_t thread;
  void* result = NULL;
  if (pthread_create(&thread, NULL, inner, argument) != 0) return NULL;
  pthread_join(thread, &result);
  return result;
}

static void team(const char* where) {
  pthread_t threads[kThreads];
  int right = 0;
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, outer, &threads[i]);
  for (int i = 0; i < kThreads; ++i) {
    void* result = NULL;
    pthread_join(threads[i], &result);
    right += result == &threads[i];
  }
  printf("%s %d\n", where, right);
  fflush(stdout);
}

#ifdef PLUGIN
__attribute__((constructor)) static void construct(void) {
  team("loaded");
}
__attribute__((destructor)) static void destroy(void) {
  team("unloaded");
}
#else
__attribute__((constructor)) static void construct(void) {
  team("constructed");
}
__attribute__((destructor)) static void destroy(void) {
  team("destroyed");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* const plugin = dlopen("./libconstructors.so", RTLD_NOW);
  if (plugin == NULL) puts(dlerror());
  if (plugin != NULL) dlclose(plugin);
  MPI_Barrier(MPI_COMM_WORLD);
  team("main");
  MPI_Finalize();
}
#endif
