#include "runtime/life/environment.h"

#include <time.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "runtime/job_board/abort.h"

namespace heddle::runtime {

namespace {
double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double wtime() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds(now);
}

double wtick() noexcept {
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return seconds(resolution);
}

Error abort(comm::Comm& comm, int code) {
  abort_job(code, "MPI_Abort(" + comm::describe(comm) + ", " + std::to_string(code) + ")");
}

Error processor_name(char* name, int* length) {
  char host[MPI_MAX_PROCESSOR_NAME] = {};
  if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "localhost");
  std::strcpy(name, host);
  *length = static_cast<int>(std::strlen(host));
  return {};
}

}  // namespace heddle::runtime
