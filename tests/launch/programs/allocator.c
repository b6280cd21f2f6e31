/* Frees what libc has allocated, in the rank's main strand and in a thread; prints "fine", the environment's
 * LD_PRELOAD and a child's. "bad" reads memory that it has freed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void use_libc(const char* file) {
  for (int i = 0; i < 300; i++) {
    char *text, *line = NULL;
    size_t size = 0;
    free(strdup("something"));
    if (asprintf(&text, "%d", i) > 0) free(text);
    free(getcwd(NULL, 0));
    free(realpath("/usr/../usr", NULL));
    FILE* opened = fopen(file, "r");
    if (getline(&line, &size, opened) > 0) free(line);
    fclose(opened);
  }
}

static void* thread(void* file) {
  use_libc((const char*)file);
  return malloc(100);
}

int main(int argc, char** argv) {
  void* made;
  pthread_t other;
  MPI_Init(&argc, &argv);
  pthread_create(&other, NULL, thread, argv[0]);
  use_libc(argv[0]);
  pthread_join(other, &made);
  free(made);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "bad") == 0) printf("%d\n", ((volatile char*)made)[0]);
#ifdef __cplusplus
  try {
    throw argc;
  } catch (int) {
    printf("caught, ");
  }
#endif
  char child[100] = "";
  FILE* pipe = popen("echo [$LD_PRELOAD]", "r");
  if (fgets(child, sizeof child, pipe) == NULL) return 1;
  pclose(pipe);
  printf("fine [%s] %s", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "", child);
  MPI_Finalize();
  return 0;
}
