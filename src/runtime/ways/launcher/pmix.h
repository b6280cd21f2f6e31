// pmix.h — the client of PMIx, which prterun (PRRTE, Open MPI) and srun --mpi=pmix speak. The
// protocol is libpmix's own, so libpmix.so.2 is loaded; only its headers are needed to build.
//
//   PMIX_NAMESPACE, PMIX_RANK     set by the launcher, with addresses that libpmix reads
//
// libpmix has a thread of its own, which sleeps while nothing happens. It is called in a section
// without switch: its locks are pthread's, and no other strand may run halfway through it.
//
// Thread safety: see launcher.h.

#pragma once

#include <pmix_common.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "runtime/ways/launcher/launcher.h"

namespace heddle::launcher {

class Pmix final : public Launcher {
 public:
  // Null if no launcher answers: the environment is another process's. Fails if libpmix.so.2 is
  // missing.
  static Error from_environment(std::unique_ptr<Launcher>* opened);

  std::string_view name() const noexcept override { return "PMIx"; }
  Error fence() override;
  void leave() noexcept override;
  void abort(int status) noexcept override;

 private:
  struct Library;

  explicit Pmix(const Library& library) noexcept : library_(library) {}

  Error put_text(const std::string& key, const std::string& text) override;
  Error get_text(int process, const std::string& key, std::string* text) override;

  // A node is called as the first process on it, which each process knows of its own: Slurm tells
  // no process of the nodes of others.
  Error tell_node();
  Error get_value(pmix_rank_t rank, const char* key, pmix_data_type_t type,
                  pmix_value_t* value) const;
  Error get_string(pmix_rank_t rank, const char* key, std::string* text) const;
  Error failed(const char* what, pmix_status_t why) const;

  const Library& library_;
  pmix_proc_t self_ = {};
  std::atomic<bool> left_{false};
};

}  // namespace heddle::launcher
