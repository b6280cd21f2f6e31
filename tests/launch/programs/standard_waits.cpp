// Rank 0 waits for what C++ and OpenMP offer for waiting, the others for a message from it. argv[1] says how; with argv[2] a thread
// ends the wait later, else no strand does.
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <optional>
#include <semaphore>
#include <shared_mutex>
#include <thread>

namespace {

struct Box {
  Box() {
    static std::mutex lock;
    lock.lock();
    lock.lock();  // in a static object's constructor
  }
};

std::atomic<int> number{0};
std::atomic<long> large{0};  // its waiters wait at a word of libstdc++'s
std::latch latch{2};
std::barrier meeting{2};
std::counting_semaphore<> posts{0};
std::promise<int> promise;
std::mutex lock;
std::shared_mutex table;
omp_lock_t omp;
int critical = 0;

// The wait, and what ends it.
struct Wait {
  const char* name;
  std::function<void()> wait, end;
};

void receive_in_critical(int tag) {
#pragma omp critical
  MPI_Recv(&critical, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

const Wait waits[] = {
    {"atomic", [] { number.wait(0); }, [] { number = 1, number.notify_all(); }},
    {"large", [] { large.wait(0); }, [] { large = 1, large.notify_one(); }},
    {"latch", [] { latch.arrive_and_wait(); }, [] { latch.count_down(); }},
    {"barrier", [] { meeting.arrive_and_wait(); }, [] { meeting.arrive_and_wait(); }},
    {"semaphore", [] { posts.acquire(); }, [] { posts.release(); }},
    {"future", [] { promise.get_future().get(); }, [] { promise.set_value(1); }},
    {"guard", [] { lock.lock(), std::lock_guard(lock), lock.unlock(); }, [] { lock.unlock(); }},
    {"shared", [] { table.lock_shared(), table.lock(); }, [] { table.unlock_shared(); }},
    {"omp_lock", [] { omp_set_lock(&omp), omp_set_lock(&omp); }, [] { omp_unset_lock(&omp); }},
    {"critical",
     [] {
#pragma omp parallel num_threads(2)
       receive_in_critical(omp_get_thread_num());
     },
     [] {
       for (int tag = 0; tag < 2; ++tag) MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
     }},
    {"object", [] { static Box box; }, [] {}},
};

}  // namespace

int main(int count, char** arguments) {
  int level, rank, ranks, message = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  omp_init_lock(&omp);
  if (rank != 0) {
    MPI_Recv(&message, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    std::optional<std::thread> other;
    for (const Wait& one : waits) {
      if (std::strcmp(one.name, arguments[1]) != 0) continue;
      if (count > 2) {
        other.emplace([&one] {
          std::this_thread::sleep_for(std::chrono::milliseconds(300));
          one.end();
        });
      }
      one.wait();
    }
    if (other) other->join();
    for (int i = 1; i < ranks; ++i) MPI_Send(&message, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    std::puts("done");
  }
  MPI_Finalize();
  return 0;
}
