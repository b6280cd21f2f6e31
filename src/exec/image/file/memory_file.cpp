#include "exec/image/file/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

namespace heddle::image {

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

MemoryFile MemoryFile::make(const char* name, const std::string& bytes) {
  MemoryFile file;
  file.descriptor_ = ::memfd_create(name, MFD_CLOEXEC);
  if (file && !file.rewrite(bytes)) return {};
  return file;
}

// The path names the process, because gdb opens it, too, and is another process.
std::string MemoryFile::path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor_);
}

bool MemoryFile::rewrite(const std::string& bytes) noexcept {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes.size())) != 0) return false;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t wrote =
        ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

}  // namespace heddle::image
