// host.h — what one host knows of the world, and what its ranks have in common.
//
//   Host ─┬─ its own job ── Process 0, 1, 2 …  those of this host have a receiver
//         ├─ other jobs that it knows          (none yet: spawn and connect will add them)
//         ├─ ContextIds                        ids for new communicators
//         ├─ SharedParts                       what members of a communicator share here
//         └─ Gateway                           packets to and from other hosts
//
// A host is an OS process. A test may pretend that one OS process is several hosts
// (runtime/crew/hosts.h): then each has a Host of its own, and only packets pass between them.
//
// Invariants
//   I1  A host has one Process for a name, so its ranks compare pointers to Processes. They are
//       never compared with those of another host: is_known_here() is asserted where communicators
//       are made and where a group looks for a process.
//
// Thread safety: constant while ranks run; the parts say their own.

#pragma once

#include <memory>
#include <vector>

#include "exec/rank/rank.h"
#include "net/world/context_ids.h"
#include "net/world/process.h"
#include "net/world/shared_part.h"

namespace heddle::world {

// A host's way to processes of other hosts: net/gateway derives the one that there is.
class Gateway {
 public:
  virtual ~Gateway() = default;
};

class Host {
 public:
  // The host with this number, in a job of `ranks` ranks.
  Host(JobId job, int number, int ranks);

  // The job whose ranks this host carries.
  Job& job() noexcept { return *jobs_.front(); }

  // Adds another job that the host must know.
  Job& add_job(JobId job, int ranks);

  // nullptr if this host does not know the job, or the job has no such process.
  Process* find(const ProcessName& name) const noexcept;

  // True if the Process is in this host's tables, whichever host carries the process.
  bool has(const Process& process) const noexcept;

  ContextIds& context_ids() noexcept { return context_ids_; }
  SharedParts& shared_parts() noexcept { return shared_parts_; }

  // True if the process of that host has ended: nothing comes from it any more but what it has
  // sent. False where nothing tells of ends.
  bool has_ended(int host) const noexcept { return end_test_ != nullptr && end_test_(host); }
  void set_end_test(bool (*test)(int host)) noexcept { end_test_ = test; }

  // nullptr: all processes are here. It goes before the processes do.
  Gateway* gateway() const noexcept { return gateway_.get(); }
  void set_gateway(std::unique_ptr<Gateway> gateway) noexcept { gateway_ = std::move(gateway); }

 private:
  ContextIds context_ids_;
  SharedParts shared_parts_;
  std::vector<std::unique_ptr<Job>> jobs_;  // its own first; few
  std::unique_ptr<Gateway> gateway_;
  bool (*end_test_)(int host) = nullptr;
};

// The calling rank's host and process. Requires Rank::current() and that runtime has set it.
struct Here {
  Host* host = nullptr;
  Process* process = nullptr;
};
extern const RankLocal<Here, Place::kProcess> here_of_rank;
inline Here& here() noexcept {
  return here_of_rank.get();
}

// False if a rank calls and the process is of another host's tables. For assertions.
bool is_known_here(const Process& process) noexcept;

}  // namespace heddle::world
