/* What a rank sees of its start: tell WHAT... prints "R of N" and each WHAT's value on a line.
 * WHAT: cwd, # (argc), =NAME (environment), ~NAME (as libraries that ranks share see it), %KEY (MPI_INFO_ENV), @ (MPI_APPNUM), or anything else:
 * itself. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size;
  char directory[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("%d of %d", rank, size);
  for (int i = 1; i < argc; i++) {
    const char* value = argv[i];
    char number[16], text[256];
    int found, length = sizeof text, *application;
    if (value[0] == '=') value = getenv(value + 1);
    if (value != NULL && value[0] == '~') {
      char* (*of_libc)(const char*) =
          (char* (*)(const char*))dlsym(dlopen("libc.so.6", RTLD_NOW), "getenv");
      value = of_libc(value + 1);
    }
    if (argv[i][0] == 'c') value = getcwd(directory, sizeof directory);
    if (argv[i][0] == '#') {
      snprintf(number, sizeof number, "%d", argc);
      value = number;
    }
    if (argv[i][0] == '%') {
      MPI_Info_get_string(MPI_INFO_ENV, argv[i] + 1, &length, text, &found);
      value = found ? text : NULL;
    }
    if (argv[i][0] == '@') {
      MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &application, &found);
      snprintf(number, sizeof number, "%d", *application);
      value = number;
    }
    printf(" [%s]", value ? value : "(none)");
  }
  printf("\n");
  MPI_Finalize();
  return 0;
}
