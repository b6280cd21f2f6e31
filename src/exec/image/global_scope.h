// global_scope.h — lets a plugin see its own rank's program.
//
// In a process of its own, a plugin's undefined symbols are looked up in the executable and its
// libraries first. Here the executable of the process is the host; so while a rank's dlopen runs,
// the host's list of global maps is preceded by the maps of that rank's image:
//
//   before   host | its libraries
//   during   image | its libraries | host | its libraries
//
// This is a list inside `struct link_map` (l_searchlist). It is found by its contents, once; where
// it is not found, a plugin sees only what it needs by name.
//
// Another strand that looks a symbol up meanwhile finds its own image first, as always, and a whole
// list after it.
//
// Thread safety: the loader's lock.

#pragma once

#include <link.h>

#include <vector>

namespace heddle::image {

class GlobalScope {
 public:
  // Puts the maps of `image` (its handle), and of `plugins` behind them, in front until destroyed.
  GlobalScope(void* image, const std::vector<void*>& plugins);
  ~GlobalScope();
  GlobalScope(const GlobalScope&) = delete;
  GlobalScope& operator=(const GlobalScope&) = delete;

  // False: the list was not found; nothing has changed.
  bool extended() const noexcept { return list_ != nullptr; }

 private:
  void* list_ = nullptr;  // the program's list; null: not found
  std::vector<link_map*> maps_;
  link_map** host_maps_ = nullptr;
  unsigned host_count_ = 0;
};

}  // namespace heddle::image
