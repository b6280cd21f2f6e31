// carrier.h — a tiny shared object whose only content is a list of files that it needs.
//
// dlopen of a carrier loads all files of one image at once, by paths that we choose:
//
//   carrier ──NEEDED──► /.//home/u/app              the program, spelled for this copy
//           ──NEEDED──► /.//proc/77/fd/5            libstdc++, edited (elf_edit.h)
//           ──NEEDED──► /.//home/u/lib/libapp.so    a private library
//           ──NEEDED──► libc.so.6                   a shared one
//
// A file that NEEDS "libstdc++.so.6" finds the one above by its soname. Because it is one dlopen,
// all files see each other's symbols in the program's own order, which loading them one by one
// could not give.
//
// Thread safety: plain functions.

#pragma once

#include <string>
#include <vector>

namespace heddle::image {

// The bytes of a carrier, for this machine.
std::string carrier_bytes(const std::vector<std::string>& needed);

}  // namespace heddle::image
