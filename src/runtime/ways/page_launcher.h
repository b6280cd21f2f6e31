// page_launcher.h — our mpiexec as a launcher that carries cards (launcher/launcher.h), for
// processes of one node that are to talk by the network: by the page that they share with it
// (job_page.h).
//
// A process writes what it puts behind each other into its Post, as lines "key=text". A fence ends
// when each process has come to as many fences. Until then the process looks again and again, in
// short sleeps: this happens twice, in MPI_Init.
//
// Thread safety: one thread at a time; abort() any.

#pragma once

#include <string>

#include "runtime/job_board/job_page.h"
#include "runtime/ways/launcher/launcher.h"

namespace heddle::runtime {

class PageLauncher final : public launcher::Launcher {
 public:
  PageLauncher(JobPage& page, int process);

  std::string_view name() const noexcept override { return "mpiexec"; }
  // Ends the job if a process has ended before MPI_Init.
  Error fence() override;
  // mpiexec sees what becomes of its children.
  void leave() noexcept override {}
  void abort(int) noexcept override {}

 private:
  Error put_text(const std::string& key, const std::string& text) override;
  Error get_text(int process, const std::string& key, std::string* text) override;

  JobPage& page_;
};

}  // namespace heddle::runtime
