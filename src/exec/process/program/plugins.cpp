#include "exec/process/program/plugins.h"

#include <atomic>

#include "base/standing.h"
#include "exec/process/exit/rank_over.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {

constinit PluginLoader plugin_loader;

// Lives as long as a plugin's constructors or destructors may run.
class Loading {
 public:
  Loading() noexcept { Standing::enter(Standing::kLoading); }
  ~Loading() { end_loading(); }
  Loading(Loading&&) = delete;
};

void* open_plugin(const char* path, int mode, void* caller) {
  Loading loading;
  return plugin_loader.open(path, mode, caller);
}

int close_plugin(void* handle) {
  Loading loading;
  return plugin_loader.close(handle);
}

// Held by a strand that may switch, so it is no lock of the library's.
constinit std::atomic_flag one_is_alone;

// acquire, release: what the last rank has written in shared memory is whole.
void enter_alone() {
  while (one_is_alone.test_and_set(std::memory_order_acquire)) ult::yield();
}
void leave_alone() {
  one_is_alone.clear(std::memory_order_release);
}

}  // namespace

void set_plugin_loader(const PluginLoader& loader) noexcept {
  plugin_loader = loader;
}

Alone::Alone() noexcept {
  enter_alone();
}
Alone::~Alone() {
  leave_alone();
}

heddle_program_hooks program_hooks() noexcept {
  return {plugin_loader.open != nullptr ? open_plugin : nullptr,
          plugin_loader.close != nullptr ? close_plugin : nullptr, enter_alone, leave_alone,
          plugin_loader.notify_in_rank};
}

}  // namespace heddle::process
