// What libstdc++ makes of pthreads and futexes, in a rank.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      printf("line %d: %s is wrong\n", __LINE__, #condition); \
      fflush(stdout);                                         \
      MPI_Abort(MPI_COMM_WORLD, 1);                           \
    }                                                         \
  } while (0)

using namespace std::chrono_literals;

namespace {

void run(int count, auto body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

void mutexes() {
  std::mutex mutex;
  std::recursive_mutex recursive;
  std::timed_mutex timed;
  std::shared_mutex shared;
  int count = 0, sum = 0;
  run(64, [&](int i) {
    for (int k = 0; k < 20; ++k) {
      std::lock_guard lock(mutex);
      ++count;
    }
    std::lock_guard outer(recursive), inner(recursive);
    CHECK(timed.try_lock_for(10s));
    timed.unlock();
    if (i % 4 == 0) {
      std::unique_lock lock(shared);
      sum += i;
    } else {
      std::shared_lock lock(shared);
      CHECK(sum >= 0);
    }
  });
  CHECK(count == 64 * 20);
  CHECK(sum == 480);
}

void conditions() {
  std::mutex mutex;
  std::condition_variable condition;
  std::condition_variable_any any;
  int turn = 0;
  run(16, [&](int i) {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return turn == i; });
    ++turn;
    condition.notify_all();
  });
  std::unique_lock lock(mutex);
  CHECK(!condition.wait_for(lock, 3ms, [] { return false; }));
  CHECK(any.wait_until(lock, std::chrono::system_clock::now() + 3ms) == std::cv_status::timeout);
}

void futures() {
  auto sum = std::async(std::launch::async, [] {
    std::vector<int> numbers(100, 3);
    return std::accumulate(numbers.begin(), numbers.end(), 0);
  });
  std::promise<int> promise;
  auto failed = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  std::thread keeper([&] { promise.set_value(sum.get() + 1); });
  CHECK(promise.get_future().get() == 301);
  keeper.join();
  bool caught = false;
  try {
    failed.get();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  CHECK(caught);
}

// These wait by futex calls that libstdc++ makes through syscall().
void atomics() {
  std::latch latch(8);
  std::counting_semaphore<8> semaphore(0);
  std::barrier barrier(8);
  std::atomic<int> word{0};
  std::atomic<int> after{0};
  run(8, [&](int i) {
    latch.arrive_and_wait();
    for (int k = 0; k < 20; ++k) barrier.arrive_and_wait();
    if (i % 2 == 0) {
      semaphore.acquire();
    } else {
      std::this_thread::sleep_for(1ms);
      semaphore.release();
    }
    if (i == 7) {
      word = 1;
      word.notify_all();
    } else {
      word.wait(0);
    }
    ++after;
  });
  CHECK(after == 8);
  CHECK(!semaphore.try_acquire_for(2ms));
}

// A static variable whose initializer waits for a thread that runs on this worker, too.
int slow_value() {
  std::this_thread::sleep_for(2ms);
  return 42;
}
void once() {
  std::once_flag flag;
  std::atomic<int> calls{0};
  run(8, [&](int) {
    std::call_once(flag, [&] {
      std::this_thread::sleep_for(2ms);
      ++calls;
    });
    CHECK(calls == 1);
    static const int value = slow_value();
    CHECK(value == 42);
  });
  std::once_flag again;
  int tries = 0;
  for (int i = 0; i < 2; ++i) {
    try {
      std::call_once(again, [&] {
        if (++tries == 1) throw 1;
      });
    } catch (int) {
    }
  }
  CHECK(tries == 2);
}

struct Counted {
  explicit Counted(std::atomic<int>* c) : count(c) { ++*count; }
  ~Counted() { --*count; }
  std::atomic<int>* count;
};
std::atomic<int> living{0};
thread_local Counted counted(&living);

void thread_locals() {
  for (int i = 0; i < 50; ++i) {
    std::jthread thread([] { CHECK(counted.count == &living); });
    thread.join();
    CHECK(living == 0);
  }
}

// First touched when the thread's other thread_local objects have gone, in the destructor of a key:
// libc's threads never destroy it; if it is destroyed, that must happen before the bytes get their first values back.
struct Late {
  int value = 42;
  ~Late() {
    if (value != 42) ++spoiled;
  }
  static std::atomic<int> spoiled;
};
std::atomic<int> Late::spoiled{0};
thread_local Late late;

void late_thread_locals() {
  static pthread_key_t key;
  static std::atomic<int> touched{0};
  pthread_key_create(&key, [](void*) { touched += late.value; });
  for (int i = 1; i <= 10; ++i) {
    std::thread([] { pthread_setspecific(key, &key); }).join();
    CHECK(touched == 42 * i);
    CHECK(Late::spoiled == 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  mutexes();
  conditions();
  futures();
  atomics();
  once();
  thread_locals();
  late_thread_locals();
  MPI_Finalize();
  printf("ok\n");
}
