// Before MPI_Init: how many TCP connections the process of the last rank has.
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// True if it is a socket of an established connection.
static int is_connection(const char* descriptor) {
  char path[280], link[64], line[512];
  unsigned long wanted, inode;
  unsigned state;
  snprintf(path, sizeof path, "/proc/self/fd/%s", descriptor);
  const ssize_t size = readlink(path, link, sizeof link - 1);
  if (size < 0) return 0;
  link[size] = '\0';
  if (sscanf(link, "socket:[%lu]", &wanted) != 1) return 0;
  int found = 0;
  for (int i = 0; i < 2; ++i) {
    FILE* table = fopen(i == 0 ? "/proc/net/tcp" : "/proc/net/tcp6", "r");
    while (table != NULL && fgets(line, sizeof line, table) != NULL) {
      found |= sscanf(line, "%*d: %*s %*s %x %*s %*s %*s %*d %*d %lu", &state, &inode) == 2 &&
               state == 1 && inode == wanted;
    }
    if (table != NULL) fclose(table);
  }
  return found;
}

static int connections(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;)
    count += is_connection(entry->d_name);
  if (folder != NULL) closedir(folder);
  return count;
}

int main(int count, char** arguments) {
  int rank, ranks;
  const int before = connections();
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == ranks - 1) printf("rank %d has %d\n", rank, before);
  MPI_Finalize();
  return 0;
}
