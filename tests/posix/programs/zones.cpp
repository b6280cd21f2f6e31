// Threads of each rank reckon with the rank's own time zone, while others do so with theirs, and while a
// signal comes again and again; children of fork go on with the zone of their rank.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <sstream>
#include <string>

namespace {

int hours = 0;
std::string name;
std::atomic<int> wrong{0};

bool is_right(time_t moment) {
  tm local;
  localtime_r(&moment, &local);
  if (local.tm_gmtoff != -3600L * hours || mktime(&local) != moment) return false;
  std::ostringstream text;
  text << std::put_time(&local, "%Z %s");
  return text.str() == name + " " + std::to_string(moment);
}

void* reckon(void*) {
  for (int i = 0; i < 1000; ++i) {
    const time_t moment = 1721000000 + i * 86400L;
    if (!is_right(moment)) ++wrong;
    if (i % 250 != 0) continue;
    const pid_t child = fork();
    if (child == 0) _exit(is_right(moment) ? 0 : 1);
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) ++wrong;
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  hours = rank % 12;
  name = std::string("AB") + static_cast<char>('A' + hours);
  setenv("TZ", (name + std::to_string(hours)).c_str(), 1);
  tzset();
  signal(SIGALRM, [](int) {});
  const itimerval often = {{0, 3000}, {0, 3000}}, never = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  pthread_t threads[3];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, reckon, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  setitimer(ITIMER_REAL, &never, nullptr);
  const bool ok = wrong == 0 && tzname[0] == name && timezone == 3600L * hours;
  puts(ok ? "ok" : "wrong");
  MPI_Finalize();
  return 0;
}
