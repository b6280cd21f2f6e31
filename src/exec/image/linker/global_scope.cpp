#include "exec/image/linker/global_scope.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::image {

namespace {

// glibc's `struct r_scope_elem`.
struct Scope {
  link_map** maps;
  unsigned count;
};

constexpr std::size_t kMostMapBytes = 1536;  // where in a map it is looked for
constexpr unsigned kMostMaps = 1 << 20;
constexpr std::size_t kNotFound = 0;

// Reads memory that may not be mapped: the kernel looks at it for us. By the bare system call,
// since AddressSanitizer's write() looks at the memory itself first.
class CarefulReader {
 public:
  CarefulReader() noexcept {
    if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
  }
  CarefulReader(CarefulReader&&) = delete;
  ~CarefulReader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    if (ends_[1] >= 0) ::close(ends_[1]);
  }

  template <class T>
  bool read(const T* from, T* to) const noexcept {
    return ::syscall(SYS_write, ends_[1], from, sizeof(T)) == sizeof(T) &&
           ::read(ends_[0], to, sizeof(T)) == sizeof(T);
  }

 private:
  int ends_[2];
};

Scope* scope_in(link_map* map, std::size_t offset) noexcept {
  return reinterpret_cast<Scope*>(reinterpret_cast<char*>(map) + offset);
}

// True if the words at `offset` of `map` are its search list: a list that begins with the map.
bool is_scope(const CarefulReader& reader, link_map* map, std::size_t offset) noexcept {
  Scope scope;
  link_map* first = nullptr;
  return reader.read(scope_in(map, offset), &scope) && scope.maps != nullptr && scope.count > 0 &&
         scope.count < kMostMaps && reinterpret_cast<std::uintptr_t>(scope.maps) % 8 == 0 &&
         reader.read(scope.maps, &first) && first == map;
}

// The offset at which both the program's map and a dlopen'ed one have their lists.
std::size_t find_offset(link_map* program, link_map* opened) noexcept {
  const CarefulReader reader;
  std::size_t found = kNotFound;
  for (std::size_t at = sizeof(link_map); at < kMostMapBytes; at += sizeof(void*)) {
    if (!is_scope(reader, program, at) || !is_scope(reader, opened, at)) continue;
    if (found != kNotFound) return kNotFound;  // ambiguous: not the structure that we know
    found = at;
  }
  return found;
}

// Found once, with the help of a map that some dlopen has returned.
std::size_t list_offset(void* opened) noexcept {
  static const std::size_t offset = find_offset(_r_debug.r_map, static_cast<link_map*>(opened));
  return offset;
}

}  // namespace

GlobalScope::GlobalScope(void* image, const std::vector<void*>& plugins) {
  const std::size_t offset = list_offset(image);
  if (offset == kNotFound) return;
  const auto append = [this, offset](void* map) {
    const Scope* scope = scope_in(static_cast<link_map*>(map), offset);
    maps_.insert(maps_.end(), scope->maps, scope->maps + scope->count);
  };
  append(image);
  for (void* plugin : plugins) append(plugin);
  append(_r_debug.r_map);
  list_ = scope_in(_r_debug.r_map, offset);
  install();
}

// The smaller count is valid for both lists. It stands there while the list changes, so a thread
// that looks a symbol up at that moment stays inside either list.
void GlobalScope::install() {
  auto* list = static_cast<Scope*>(list_);
  host_maps_ = list->maps;
  host_count_ = list->count;
  const auto count = static_cast<unsigned>(maps_.size());
  list->count = std::min(count, host_count_);
  std::atomic_thread_fence(std::memory_order_release);
  list->maps = maps_.data();
  std::atomic_thread_fence(std::memory_order_release);
  list->count = count;
}

GlobalScope::~GlobalScope() {
  if (list_ == nullptr) return;
  auto* list = static_cast<Scope*>(list_);
  list->count = std::min(list->count, host_count_);
  std::atomic_thread_fence(std::memory_order_release);
  list->maps = host_maps_;
  std::atomic_thread_fence(std::memory_order_release);
  list->count = host_count_;
}

}  // namespace heddle::image
