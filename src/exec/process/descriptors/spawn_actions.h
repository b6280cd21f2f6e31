// spawn_actions.h — the list of file actions for posix_spawn: the host's first, then the program's.
//
// libc has no function that puts one list of actions behind another, and none that performs a list.
// The list itself is in the open (<spawn.h>): an array and its length; only what one element looks
// like is libc's own. So elements are copied whole, their size and the number of each kind are
// learned from a list that libc makes, and the rest of what perform() needs to know is compared
// with that list.
//
// Thread safety: one object, one thread.

#pragma once

#include <spawn.h>

namespace heddle::process {

class SpawnActions {
 public:
  SpawnActions() noexcept;
  ~SpawnActions();
  SpawnActions(SpawnActions&&) = delete;

  // Both return an errno. The program's list must live as long as this one.
  int add_dup2(int from, int onto) noexcept;
  int add_close(int descriptor) noexcept;
  int add_all(const posix_spawn_file_actions_t& programs) noexcept;

  // False: some element looks otherwise than those that perform() knows.
  bool are_known() const noexcept;

  // Called in a child of the process that shares its memory, after are_known(): an errno.
  int perform() const noexcept;

  const posix_spawn_file_actions_t* get() const noexcept { return &all_; }

 private:
  posix_spawn_file_actions_t all_;
};

}  // namespace heddle::process
