// The host's side of hooks.h.

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>

#include "base/platform/clock.h"
#include "exec/libc/rank_state.h"
#include "exec/ult/ult.h"

namespace heddle::libc {

namespace {

constinit PluginLoader plugin_loader;
void (*job_ender)(int, const char*) = nullptr;

[[noreturn]] void end_job(int status, const char* sentence) {
  if (job_ender != nullptr) job_ender(status, sentence);
  std::string line = sentence;
  line += '\n';
  flush_in_crash();
  Sink::of(STDERR_FILENO).emit_in_crash(line.data(), line.size());
  _exit(status);
}

void leave(heddle_libc_ending ending, int status) {
  RankState& state = *hosted_state();
  const int shell_status = status & 0xff;
  if (&ult::Strand::current() != state.main_strand) {
    char sentence[128];
    std::snprintf(sentence, sizeof sentence,
                  "rank %d: a thread other than its main one called exit(%d); the job ends",
                  state.hooks.rank, status);
    end_job(shell_status, sentence);
  }
  state.result = {shell_status, ending == HEDDLE_ENDED_RETURNED ? Ending::kReturned
                                : ending == HEDDLE_ENDED_EXIT   ? Ending::kExit
                                : ending == HEDDLE_ENDED_QUICK  ? Ending::kQuickExit
                                                                : Ending::kImmediate};
  _longjmp(state.frame, 1);
}

// Waits for standard input without keeping the other ranks of this worker from running.
void await_input() noexcept {
  if (ult::current() == nullptr) return;
  std::int64_t pause_ns = 200'000;
  pollfd ready = {STDIN_FILENO, POLLIN, 0};
  while (poll(&ready, 1, 0) == 0) {
    ult::sleep_until(platform::now_ns() + pause_ns);
    if (pause_ns < 20'000'000) pause_ns *= 2;
  }
}

ssize_t read_input(int descriptor, void* bytes, std::size_t size) {
  RankState* state = hosted_state();
  if (state == nullptr || !state->has_input) return 0;
  // What the rank printed may be the question that this reads the answer to.
  state->output.flush();
  await_input();
  return read(descriptor, bytes, size);
}

ssize_t write_output(int descriptor, const void* bytes, std::size_t size) {
  return hosted_state()->writer(descriptor).write(static_cast<const char*>(bytes), size);
}

int sleep_until(long long deadline_ns) {
  if (ult::current() == nullptr) return 0;
  ult::sleep_until(deadline_ns);
  return 1;
}

int yield() {
  if (ult::current() == nullptr) return 0;
  ult::yield();
  return 1;
}

}  // namespace

void set_plugin_loader(const PluginLoader& loader) noexcept {
  plugin_loader = loader;
}

void set_job_ender(void (*ender)(int status, const char* sentence)) noexcept {
  job_ender = ender;
}

heddle_libc_hooks make_hooks(int rank) noexcept {
  heddle_libc_hooks hooks{};
  hooks.size = sizeof hooks;
  hooks.rank = rank;
  hooks.leave = leave;
  hooks.read = read_input;
  hooks.write = write_output;
  hooks.sleep_until = sleep_until;
  hooks.yield = yield;
  hooks.chdir = [](const char* path) { return hosted_state()->directory.change(path); };
  hooks.fchdir = [](int directory) { return hosted_state()->directory.change(directory); };
  hooks.umask = [](mode_t mask) { return hosted_state()->directory.set_mask(mask); };
  hooks.dlopen = plugin_loader.open;
  hooks.dlclose = plugin_loader.close;
  return hooks;
}

}  // namespace heddle::libc

extern "C" const heddle_libc_hooks* heddle_libc_attach(const heddle_libc_image* image) {
  using namespace heddle;
  if (Rank::current() == nullptr) return nullptr;
  libc::RankState* state = libc::hosted_state();
  if (state == nullptr || image->size != sizeof *image) return nullptr;
  state->image = image;
  return &state->hooks;
}
