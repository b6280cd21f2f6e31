// labels.h — the output of processes with "[RANK] " before each line, for -l.
//
//   rank 0 ── pipe ─► line 0 ─┐  whole lines
//   rank 1 ── pipe ─► line 1 ─┼─► waiting ── write, when it does not block ─► descriptor 1 (or 2)
//
// What ranks print is taken only while little waits, so a reader that stops makes the ranks stop,
// too, and mpiexec still hears signals.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <poll.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::launch {

class Labels {
 public:
  // The descriptors that shall be 1 and 2 of the next rank's process. Throws Failure.
  std::array<int, 2> add();
  // Called when that process has been started.
  void started();

  // Adds what must be waited for; then, with what poll() has said of it, goes on.
  void await(std::vector<pollfd>& descriptors) const;
  void serve();

  // All processes have ended: takes the rest, and nothing more of processes that they have left
  // behind.
  void finish();
  // False: all that was taken has been written.
  bool has_waiting() const { return !waiting_[0].empty() || !waiting_[1].empty(); }

 private:
  struct Source {
    int rank;
    int descriptor;  // -1: it has ended
    int sink;        // index
    std::string line;
  };

  void take(Source& source);
  void put(Source& source, std::string_view text);
  bool is_full(int sink) const { return waiting_[static_cast<std::size_t>(sink)].size() >= kMost; }
  bool write_once(int sink);

  static constexpr std::size_t kMost = 1 << 16;

  int ranks_ = 0;
  std::vector<Source> sources_;
  std::array<int, 2> ends_of_next_{-1, -1};
  std::array<std::string, 2> waiting_;
};

}  // namespace heddle::launch
