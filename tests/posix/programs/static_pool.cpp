// A pool of threads that a static object makes, which wait on a condition before main begins and as
// long as ranks talk to each other. None of them may keep its worker.
#include <mpi.h>
#include <stdio.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  int finish() {
    {
      std::lock_guard lock(mutex_);
      open_ = true;
    }
    opened_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    return done_;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
    ++done_;
  }

  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
  int done_ = 0;
  std::vector<std::thread> threads_;
};

Pool pool(4);

}  // namespace

int main(int argc, char** argv) {
  int level, rank, size, token = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 20; ++i) {
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const bool right = pool.finish() == 4;
  MPI_Finalize();
  puts(right ? "ok" : "wrong");
}
