// pmi1.h — the client of PMI-1, which hydra (MPICH, Intel MPI) and srun --mpi=pmi2 speak: lines of
// words over a descriptor that the process has inherited.
//
//   PMI_FD=9 PMI_RANK=1 PMI_SIZE=4   and of hydra PMI_HOSTNAME=node1
//
//   this process                                     the launcher
//   cmd=init pmi_version=1 pmi_subversion=1          cmd=response_to_init pmi_version=1
//                                                    pmi_subversion=1 rc=0
//   cmd=get_my_kvsname                               cmd=my_kvsname kvsname=kvs_1
//   cmd=put kvsname=kvs_1 key=… value=…              cmd=put_result rc=0 msg=success
//   cmd=barrier_in                                   cmd=barrier_out
//   cmd=get kvsname=kvs_1 key=…                      cmd=get_result rc=0 msg=success value=…
//   cmd=finalize                                     cmd=finalize_ack
//   cmd=abort exitcode=3                             ends all
//
// Thread safety: see launcher.h.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "runtime/ways/launcher/launcher.h"

namespace heddle::launcher {

class Pmi1 final : public Launcher {
 public:
  // Opens the launcher with what PMI_FD, PMI_RANK and PMI_SIZE say, and removes these.
  static Error from_environment(std::unique_ptr<Launcher>* opened);

  // Takes the descriptor. `own_node`: a name by which the processes of this node know each other,
  // where the launcher does not tell.
  static Error open(int descriptor, int process, int processes, std::string_view own_node,
                    std::unique_ptr<Launcher>* opened);
  ~Pmi1() override;
  Pmi1(Pmi1&&) = delete;

  std::string_view name() const noexcept override { return "PMI-1"; }
  Error fence() override;
  void leave() noexcept override;
  void abort(int status) noexcept override;

 private:
  explicit Pmi1(int descriptor) noexcept : descriptor_(descriptor) {}

  Error put_text(const std::string& key, const std::string& text) override;
  Error get_text(int process, const std::string& key, std::string* text) override;

  Error begin(int processes, std::string_view own_node);
  Error look_up(const std::string& key, std::string* value);
  // Sends the line, and reads lines until one answers: one with `cmd=answer`.
  Error ask(const std::string& line, std::string_view answer, std::string* reply);
  Error send(const std::string& line) const noexcept;
  Error read_line(std::string* line);

  const int descriptor_;
  std::string unread_;  // what has come behind the last line
  std::string store_;   // the name of the launcher's store of cards
};

// The value of a word `key=value` in a line of PMI-1; empty if there is none.
std::string_view word_of(std::string_view line, std::string_view key) noexcept;

}  // namespace heddle::launcher
