/* Rank 0 calls functions of libc for the first time, while the dynamic linker's lock is held: by rank 1 in a constructor of a
   plugin, which waits for rank 0, and by rank 0 itself in a callback of dl_iterate_phdr. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#ifdef PLUGIN

__attribute__((constructor)) static void wait_for_rank_0(void) {
  MPI_Ssend(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#else

static int call_files(void) {
  char path[200] = "", link[200];
  struct stat status;
  int ends[2];
  DIR* const folder = opendir("/");
  const int null = open("/dev/null", O_RDWR);
  FILE* const stream = fopen("/dev/null", "r");
  int right = folder != NULL && closedir(folder) == 0 && null > 2 && dup2(null, null) == null &&
              stream != NULL && fclose(stream) == 0 && write(null, "a", 1) == 1 &&
              pread(null, path, 1, 0) == 0 && fstat(null, &status) == 0 && close(null) == 0 &&
              stat("/", &status) == 0 && access("/", R_OK) == 0 &&
              readlink("/proc/self/exe", link, 200) > 0 && realpath("/", path) != NULL &&
              chdir("/") == 0 && pipe(ends) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0;
  const int poller = epoll_create1(0), event = eventfd(1, 0),
            sock = socket(AF_UNIX, SOCK_STREAM, 0);
  return right && poller > 2 && event > 2 && sock > 2 && close(poller) == 0 && close(event) == 0 &&
         close(sock) == 0;
}

static int call_others(void) {
  char words[] = "a b", text[99];
  time_t now = 0;
  struct tm parts;
  struct rusage usage;
  struct timespec time;
  return strcmp(strtok(words, " "), "a") == 0 && getenv("no_such_variable") == NULL &&
         setenv("a_variable", "1", 1) == 0 && localtime_r(&now, &parts) != NULL &&
         strftime(text, sizeof text, "%Y", &parts) == 4 && mktime(&parts) == 0 &&
         getrusage(RUSAGE_SELF, &usage) == 0 &&
         clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 && rand() >= 0 && drand48() < 1 &&
         setlocale(LC_ALL, "C") != NULL && localeconv() != NULL && mblen("a", 1) == 1 &&
         btowc('a') == L'a' && usleep(1) == 0 && umask(022) != (mode_t)-1 && system(NULL) != 0;
}

static int call_both(struct dl_phdr_info* info, size_t size, void* data) {
  (void)info, (void)size;
  *(int*)data = call_files() && call_others();
  return 1;
}

int main(int argc, char** argv) {
  int rank, right = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD); /* loading is over */
  if (rank == 0) {
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    right = 0;
    dl_iterate_phdr(call_both, &right);
    MPI_Ssend(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  } else {
    right = dlopen(argv[1], RTLD_NOW) != NULL;
  }
  puts(right ? "ok" : "wrong");
  MPI_Finalize();
  return 0;
}

#endif
