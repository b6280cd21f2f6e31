// An error handler that does not return: the MPI call in which it was called is over all the same.
//
//   left_calls longjmp | throw          from a call that fails
//   left_calls called                   from MPI_Comm_call_errhandler
//   left_calls nested                   from a call in an attribute's copy function, which it leaves as well
//   left_calls crash                    the report of a later crash names no call
//
// With one worker the spin ends only where the rank is interrupted.
#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstring>

static std::jmp_buf before;
static bool throws = false;
static std::atomic<int> done{0};

static void leave(MPI_Comm*, int* code, ...) {
  if (throws) throw *code;
  std::longjmp(before, 1);
}

static void fail() {
  int value = 0;
  MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  std::puts("went on");
}

static int fail_in_copy(MPI_Comm, int, void*, void*, void*, int*) {
  fail();
  return MPI_SUCCESS;
}

static void duplicate() {
  int keyval = 0;
  MPI_Comm copy;
  MPI_Comm_create_keyval(fail_in_copy, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
}

static void call(const char* use) {
  if (std::strcmp(use, "called") == 0) {
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  } else if (std::strcmp(use, "nested") == 0) {
    duplicate();
  } else {
    fail();
  }
}

static void* work(void* unused) {
  done = 1;
  return unused;
}

int main(int argc, char** argv) {
  const char* use = argc > 1 ? argv[1] : "";
  int level = 0;
  MPI_Errhandler handler;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  throws = std::strcmp(use, "throw") == 0;
  try {
    if (setjmp(before) == 0) call(use);
  } catch (int) {
  }
  if (std::strcmp(use, "crash") == 0) *static_cast<volatile int*>(nullptr) = 1;
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  while (done == 0) continue;
  pthread_join(thread, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Finalize();
  std::puts("ok");
}
