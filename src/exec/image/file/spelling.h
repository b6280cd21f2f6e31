// spelling.h — many spellings of one absolute path, so that the dynamic linker takes each for
// another file.
//
// glibc compares the names of loaded files as strings; the kernel skips "/" and "./" between
// directories. So the bits of a number, lowest first, are spelled behind the first slash:
//
//   /home/u/app, 0   /home/u/app
//   /home/u/app, 5   /.//./home/u/app         ("./" is a one, "/" is a zero, here 1 0 1)
//
// No symbolic links are needed, so nothing can be left behind in /tmp.
//
// Thread safety: any thread.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::image {

// Requires an absolute path.
std::string spelled(std::string_view path, std::uint64_t number);

// The plain path again: undoes spelled(), for messages.
std::string plain(std::string_view path);

}  // namespace heddle::image
