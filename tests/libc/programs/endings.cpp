// Ends in the way that argv[1] names, with status argv[2], and says which destructors and handlers
// run. write() rather than cout where nothing would flush.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

void say(const std::string& text) {
  const std::string line = text + "\n";
  sched_yield();
  if (write(1, line.data(), line.size()) < 0) std::abort();
}

struct Loud {
  explicit Loud(std::string name) : name_(std::move(name)) { say("make " + name_); }
  ~Loud() { say("destroy " + name_); }
  std::string name_;
};

Loud global("global");
thread_local Loud per_thread("thread_local");

Loud& local_static() {
  static Loud instance("local static");
  return instance;
}

void handler_one() {
  say("handler one");
}
void handler_two() {
  say("handler two");
  std::atexit([] { say("handler from a handler"); });
}
void with_argument(int status, void* argument) {
  say("on_exit " + std::to_string(status) + " " + static_cast<const char*>(argument));
}

__attribute__((destructor)) void last() {
  say("destructor function");
}

void deep(int levels, const char* how, int status) {
  Loud automatic("automatic, never destroyed by exit");
  if (levels > 0) return deep(levels - 1, how, status);
  if (std::strcmp(how, "exit") == 0) std::exit(status);
  if (std::strcmp(how, "_exit") == 0) _exit(status);
  if (std::strcmp(how, "_Exit") == 0) std::_Exit(status);
  if (std::strcmp(how, "quick_exit") == 0) std::quick_exit(status);
  if (std::strcmp(how, "exit twice") == 0) {
    std::atexit([] { std::exit(9); });
    std::exit(status);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int status = std::atoi(argv[2]);
  std::atexit(handler_one);
  on_exit(with_argument, const_cast<char*>("argument"));
  std::atexit(handler_two);
  std::at_quick_exit([] { say("quick one"); });
  std::at_quick_exit([] { say("quick two"); });
  say("use " + local_static().name_ + " and " + per_thread.name_);
  std::cout << "buffered by cout, " << std::hex << status + 16 << "\n";
  std::cout << status + 16 << " still hex" << std::endl;
  try {
    Loud automatic("automatic");
    throw std::runtime_error("thrown");
  } catch (const std::exception& e) {
    say(std::string("caught ") + e.what());
  }
  std::printf("left in the buffer %d\n", status);
  deep(3, argv[1], status);
  return status;
}
