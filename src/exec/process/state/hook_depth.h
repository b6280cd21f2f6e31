// hook_depth.h — counts the hooks that the calling strand is in and that hold locks which all ranks
// need (output, input). No handler of the program may run there, since it may print.
//
// Thread safety: the strand's own; may be read in its signal handlers.

#pragma once

namespace heddle::process {

extern thread_local constinit int hook_depth;

class InHook {
 public:
  InHook() noexcept { ++hook_depth; }
  ~InHook() { --hook_depth; }
  InHook(const InHook&) = delete;
  InHook& operator=(const InHook&) = delete;
};

}  // namespace heddle::process
