// symbols.h — function, file and line of code addresses, from debug information by libdw.
//
// libdw is loaded when it is first needed, so start-up does not pay for it. If it is missing
// (package libdw1), names come from the dynamic symbol table alone.
//
// Thread safety: one thread at a time; allocates memory.

#pragma once

#include <cstdint>
#include <string>

namespace heddle::crash {

struct Symbol {
  std::string function;  // demangled; empty: unknown
  std::string place;     // "file.c:12", or the name of the library
};

class Symbols {
 public:
  // Reads the debug information of the libraries that these addresses lie in.
  Symbols(const std::uintptr_t* addresses, int count);
  ~Symbols();
  Symbols(Symbols&&) = delete;

  Symbol find(std::uintptr_t address) const;

  // Returns the first of these calls that is in the user's own source; each call was made by the
  // next one. What lies in headers of the system or of the compiler is passed over, inlined or not:
  // a std::lock_guard calls pthread_mutex_lock in gthr-default.h. If no call is left, returns the
  // first one.
  Symbol find_users(const std::uintptr_t* calls, int count) const;

 private:
  void* module_at(std::uintptr_t address) const noexcept;  // Dwfl_Module*, or nullptr

  void* session_ = nullptr;  // Dwfl*, or nullptr without libdw
};

}  // namespace heddle::crash
