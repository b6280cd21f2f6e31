// launcher.h — a job as another launcher knows it (hydra, prterun, srun): which of its processes
// this one is, which of them share a node, and small cards that it carries from each process to the
// others.
//
//   find()  ── PMI_FD                     ── PMI-1 (pmi1.h)
//           ── PMIX_NAMESPACE, PMIX_RANK  ── PMIx (pmix.h)
//
//   process 0            process 1            the launcher
//   put("a", …)          put("a", …)          keeps them
//   fence() ──────────── fence() ──────────── returns when all have called it
//   get(1, "a")          get(0, "a")          gives what was put before the fence
//   leave()              leave()              no longer waits for this process
//
// A card is any bytes. It goes as hexadecimal text, in as many pieces as the launcher's longest
// value makes necessary.
//
// Thread safety: one thread at a time; abort() any thread.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace heddle::launcher {

using Card = std::vector<std::byte>;

class Launcher {
 public:
  virtual ~Launcher() = default;

  // The name that messages to the user give it.
  virtual std::string_view name() const noexcept = 0;

  int process() const noexcept { return process_; }
  int processes() const noexcept { return static_cast<int>(nodes_.size()); }
  // The number of the node of each process.
  const std::vector<int>& nodes() const noexcept { return nodes_; }

  // A key is a short word.
  Error put(std::string_view key, std::span<const std::byte> card);
  virtual Error fence() = 0;
  // Fails if that process has put no such card before the last fence.
  Error get(int process, std::string_view key, Card* card);

  // The process will do nothing any more that concerns the others.
  virtual void leave() noexcept = 0;

  // Asks the launcher to end all processes, this one too. Returns at once.
  virtual void abort(int status) noexcept = 0;

 protected:
  // Put a text for this process, and get that of another one. `text` has letters and digits only,
  // and kLongestText of them at most.
  virtual Error put_text(const std::string& key, const std::string& text) = 0;
  virtual Error get_text(int process, const std::string& key, std::string* text) = 0;

  static constexpr std::size_t kLongestText = 1000;
  // Where the launcher does not tell it: processes with the same own name of their node are on one.
  // All must do it.
  Error find_nodes(int processes, std::string_view own_node);

  int process_ = 0;
  std::vector<int> nodes_;
};

// True if one has left word for this process. Before find().
bool is_there() noexcept;

// The launcher that has started this process; null if none has, or none that we can talk to.
// Removes what the launcher has put into the environment for this: what the process starts is no
// part of the job. Fails if the launcher does not answer as it must.
Error find(std::unique_ptr<Launcher>* found);

}  // namespace heddle::launcher
