// hidden_map.h — one loaded file that the dynamic linker can no longer find by name or by inode.
//
// glibc gives a second dlopen of a file the copy that is loaded already. It recognizes it by three
// things in the (private) rest of `struct link_map`, and hiding takes all three away:
//
//   l_libname       the names it was asked for by       -> all point at one dummy name
//   l_info[SONAME]  its DT_SONAME                       -> null
//   l_file_id       (st_dev, st_ino), adjacent words    -> a pair that no file has
//
// l_name is not changed: gdb would take that for an unload and leave its breakpoint instructions in
// the code. dlopen compares l_name with the path that it is asked for, so each copy is opened by
// another spelling of its path (spelling.h). show() puts the original values back, so that a dlopen
// of the same rank finds its own copies.
//
// Nothing here trusts the layout of `struct link_map`: fits() checks every field first. If it
// returns false, images are made by copies of the file instead (file_copy.h).
//
// Thread safety: the caller holds the loader's lock.

#pragma once

#include <link.h>
#include <sys/types.h>

#include <vector>

namespace heddle::image {

class HiddenMap {
 public:
  // True if the private part of `map` is what we know, and its file is (device, inode).
  static bool fits(const link_map* map, dev_t device, ino_t inode) noexcept;

  // Hides `map`. Requires fits().
  HiddenMap(link_map* map, dev_t device, ino_t inode);

  link_map* map() const noexcept { return map_; }

  void hide() noexcept;
  void show() noexcept;

  // Runs the file's destructor functions (DT_FINI_ARRAY, DT_FINI), which neither dlclose nor the
  // end of the process will run again. They may close plugins, after which this object may be gone.
  // Needs no lock: no other thread closes the file.
  void run_destructors() noexcept;

 private:
  // I1  While hidden, none of the fields above leads to this file.
  // I2  dlclose of a hidden map is right: glibc frees the list nodes, never the names in them.
  link_map* map_;
  dev_t device_;
  ino_t inode_;
  ElfW(Dyn) * soname_;
  std::vector<const char*> names_;  // the originals, in the list's order
};

}  // namespace heddle::image
