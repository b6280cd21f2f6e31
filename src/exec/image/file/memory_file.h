// memory_file.h — a file without a name in any directory (memfd), which the dynamic linker and gdb
// can open by a path all the same.
//
// Thread safety: a MemoryFile belongs to one thread at a time.

#pragma once

#include <string>
#include <utility>

namespace heddle::image {

class MemoryFile {
 public:
  MemoryFile() = default;  // no file
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  MemoryFile& operator=(MemoryFile&& other) noexcept;
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  // A new file with these contents, or no file (errno says why). `name` is for /proc/PID/maps.
  static MemoryFile make(const char* name, const std::string& bytes);

  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  int descriptor() const noexcept { return descriptor_; }

  // Valid while this object lives.
  std::string path() const;

  // Replaces the whole contents. False: errno says why.
  bool rewrite(const std::string& bytes) noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace heddle::image
