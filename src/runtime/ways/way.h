// way.h — how a process reaches the other processes of its job.
//
//   way                          the processes                           packets go through
//   ---------------------------  --------------------------------------  ----------------------------
//   Way itself: alone            one                                     -
//   NodeWay (node_way.h)         mpiexec has started them on this node   memory that all have inherited
//   LaunchedWay                  another launcher has, on several nodes; memory of a node, and a
//   (launched_way.h)             or mpiexec has, and they are to talk    network
//                                by the network
//   PretendedWay                 one, which a test pretends to be        what the test brings
//   (pretended_way.h)            several hosts
//
//   find_way (find_way.h) ── connect: routes ── ranks run ── leave
//
// Thread safety: one thread; tell_left_early() any.

#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/platform/bell.h"
#include "net/transport/routes.h"
#include "runtime/ways/layout.h"
#include "runtime/ways/watch/watch.h"

namespace heddle::runtime {

// Hears what other hosts say by the watch that is no end (watch/words.h). heard() is called by the
// watch's thread, maybe before the job runs.
class Listener {
 public:
  // Called once, before any word is heard: by this watch the listener may answer.
  virtual void speak_by(watch::Watch& watch) noexcept = 0;
  virtual void heard(const watch::Word& word, std::string_view text) = 0;

 protected:
  ~Listener() = default;
};

struct Opening {
  const Layout& layout;
  int channels = 1;              // of each host
  Listener* listener = nullptr;  // hears what other hosts say besides; it stays
};

class Way {
 public:
  Way() : nodes_{0} {}
  virtual ~Way() = default;
  Way(Way&&) = delete;

  int process() const noexcept { return process_; }
  int processes() const noexcept { return static_cast<int>(nodes_.size()); }
  const std::vector<int>& nodes() const noexcept { return nodes_; }  // by process
  // Which of the processes of this node it is, and how many there are.
  int number_on_node() const noexcept;
  int processes_on_node() const noexcept;

  // Which host carries each rank, so many; `host_of`: for each, null: in blocks. Each process is a
  // host.
  virtual Layout layout(int ranks, const int* host_of = nullptr) const;
  // True for the hosts that this process is.
  virtual bool carries(int host) const noexcept { return host == process_; }

  // Once, if there are several hosts; all must do it. Routes of the hosts that this process is, by
  // host.
  //
  // Threads that have nothing to run may sleep at this host's bell from then on (ult/host_bell.h):
  // the way must stay as long as a thread may wait.
  virtual Error connect(const Opening&, std::vector<transport::Routes>*) { return {}; }

  // A network may lead to other hosts. So the process must leave before it ends; and hosts see
  // nothing of each other, but they can say it (Listener).
  virtual bool has_network() const noexcept { return false; }
  // Where it has none, and there are several hosts: the bell at which that host sleeps.
  virtual platform::Bell* bell(int) noexcept { return nullptr; }

  // A rank has ended with status 0 without MPI_Finalize: hosts that do not share the job board hear
  // of it.
  virtual void tell_left_early() noexcept {}
  // All routes are closed. Waits until what has been sent has arrived; then the others and the
  // launcher need not wait for this process any more.
  virtual void leave() noexcept {}

 protected:
  Way(int process, std::vector<int> nodes) : process_(process), nodes_(std::move(nodes)) {}

 private:
  const int process_ = 0;
  const std::vector<int> nodes_;
};

}  // namespace heddle::runtime
