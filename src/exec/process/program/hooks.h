// hooks.h — the host's part of the plugins that a rank loads.
//
// Thread safety: any strand of the rank.

#pragma once

extern "C" {

// Null if the host leaves these to libc.
struct heddle_program_hooks {
  // `caller` is the return address of the program's call.
  void* (*dlopen)(const char* path, int mode, void* caller);
  int (*dlclose)(void* handle);
};

}  // extern "C"
