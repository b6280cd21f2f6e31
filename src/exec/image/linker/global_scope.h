// global_scope.h — the list of files in which a file that is being loaded looks symbols up first.
//
// The dynamic linker looks symbols up in the global maps first: the host and its libraries. While a
// rank's dlopen runs, that list is another one:
//
//   usual         host | its libraries
//   for a plugin  image | its libraries | host | its libraries
//
// A plugin's undefined symbols are found in its own rank's program, as in a process of its own.
//
// The list is inside `struct link_map` (l_searchlist). It is found once, by its contents. If it
// is not found, a plugin sees only the symbols of libraries that it names itself.
//
// Another strand that looks a symbol up at the same time finds its own image first, as always, and
// after it one of the two lists, never a half of one.
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
  GlobalScope(GlobalScope&&) = delete;

  // False: the list was not found; nothing has changed.
  bool extended() const noexcept { return list_ != nullptr; }

 private:
  void install();

  void* list_ = nullptr;  // the program's list; null: not found
  std::vector<link_map*> maps_;
  link_map** host_maps_ = nullptr;
  unsigned host_count_ = 0;
};

}  // namespace heddle::image
