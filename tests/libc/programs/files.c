/* Leaves streams open that exit() must flush, in the directory argv[1] with the suffix argv[2]. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[1 << 16]; /* goes away with the image */

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  char path[4096];
  snprintf(path, sizeof path, "%s/file.%s", argv[1], argv[2]);
  FILE* file = fopen(path, "w");
  if (file == NULL) return 3;
  setvbuf(file, buffer, _IOFBF, sizeof buffer);
  fprintf(file, "kept for exit by %s\n", argv[2]);
  sched_yield();

  const pid_t child = fork();
  if (child == 0) _exit(41); /* ends the child, not the rank */
  int status = 0;
  waitpid(child, &status, 0);
  fprintf(file, "child %d\n", WEXITSTATUS(status));

  printf("before freopen\n");
  snprintf(path, sizeof path, "%s/stdout.%s", argv[1], argv[2]);
  if (freopen(path, "w", stdout) == NULL) return 4;
  sched_yield();
  printf("printed to a file by %s\n", argv[2]);
  return 0;
}
