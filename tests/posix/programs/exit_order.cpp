// What exit in a thread runs, and in which order: the thread's own thread_local objects, not those of
// others; handlers and static objects, the youngest first; a flush.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

struct Say {
  const char* what;
  void touch() const { std::fflush(stdin); }
  ~Say() { std::printf("%s\n", what); }
};

static Say last{"static"};
static thread_local Say own{"thread_local"};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  own.touch();
  std::atexit([] { std::printf("handler\n"); });
  std::thread([] {
    own.touch();
    static Say first{"static of the thread"};
    std::exit(3);
  }).join();
  std::printf("not reached\n");
}
