// options.h — how images are loaded: the method, and the libraries that ranks share.
//
// Thread safety: plain values.

#pragma once

#include <string>
#include <vector>

namespace heddle::image {

enum class Method {
  automatic,  // hide; copies once hide has been seen not to work
  hide,
  copy,
};

struct Options {
  Method method = Method::automatic;
  std::vector<std::string> shared_libraries;  // beyond the default list (shared_list.h)
  // Called while another strand loads an image, so that the worker can run something else;
  // nullptr: wait in the kernel. ult::yield fits.
  void (*wait)() = nullptr;
  // Called before a file is loaded whose code may look at sticky floating-point flags, and for a
  // plugin after that; nullptr: nothing is looked for.
  void (*reads_float_flags)() = nullptr;
  // Called before a file is loaded whose PT_GNU_STACK asks for executable stacks, and for what a
  // plugin needs after that. Returns an errno, 0 on success. nullptr: nothing is looked for.
  int (*wants_executable_stacks)() noexcept = nullptr;
};

}  // namespace heddle::image
