#include "exec/image/linker/loader.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/platform/clock.h"
#include "base/spin_lock.h"
#include "base/standing.h"
#include "exec/image/file/elf_edit.h"
#include "exec/image/file/elf_reader.h"
#include "exec/image/file/float_flags.h"
#include "exec/image/linker/link_maps.h"
#include "exec/rank/rank.h"

namespace heddle::image {

namespace {

// Whatever needs them: their state is the program's.
bool is_always_private(std::string_view soname) noexcept {
  return soname.starts_with("libstdc++.") || soname.starts_with("libgfortran.");
}

// Adds the libraries that the host's shared maps need to the shared ones, until no more are found.
void find_needed_by_shared() {
  Loader& state = loader();
  for (bool more = true; more;) {
    more = false;
    for (link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
      if (map->l_name[0] != '/' || !is_shared_map(map)) continue;
      for (std::string_view name : loaded_strings(map, DT_NEEDED)) {
        if (is_shared(name) || is_always_private(name)) continue;
        state.needed_by_shared.emplace_back(name);
        more = true;
      }
    }
  }
}

// A process has one allocator; see Plan::allocator.
void share_allocators() {
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    if (map->l_name[0] == '\0' || is_shared_map(map) || !is_allocator(read_file(map->l_name)))
      continue;
    loader().allocator = map->l_name;
    loader().allocator_code = code_of(map->l_name).loaded_at(map->l_addr);
    loader().shared.add(std::string(base_name(map->l_name)));
    for (std::string_view soname : loaded_strings(map, DT_SONAME))
      loader().shared.add(std::string(soname));
  }
}

// The host's maps that images must not find. The program itself (no name) stays. A preloaded
// library may have a relative name.
void find_host_maps() {
  Loader& state = loader();
  for (link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    struct stat file;
    const bool known = std::any_of(state.host_maps.begin(), state.host_maps.end(),
                                   [map](const HiddenMap& host) { return host.map() == map; });
    if (known || map->l_name[0] == '\0' || is_shared_map(map) || ::stat(map->l_name, &file) != 0)
      continue;
    if (!HiddenMap::fits(map, file.st_dev, file.st_ino)) continue;
    state.host_maps.emplace_back(map, file.st_dev, file.st_ino).show();
  }
}

long mapping_limit() {
  long limit = -1;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  return limit;
}

// Counted by hand: a process that is out of mappings may have no memory for a long string.
long mappings_now() {
  long lines = 0;
  std::ifstream maps("/proc/self/maps");
  for (char c; maps.get(c);) lines += c == '\n';
  return lines;
}

}  // namespace

Loader& loader() noexcept {
  static Loader instance;
  return instance;
}

namespace {

// The strand that holds the lock, for those that wait.
struct Holder {
  // Lock: guards the rest: the strand that loads, which does not end while it is held.
  SpinLock lock;
  const Rank* rank = nullptr;
  const char* const* call = nullptr;  // its Standing::mine.call
};
constinit Holder holder;

// A strand loads, and its constructors may take long. In MPI they wait for others, which may not
// have begun.
void tell_if_in_mpi() {
  static std::atomic<bool> reported{false};
  const char* call = nullptr;
  int rank = 0;
  {
    const SpinGuard guard(holder.lock);
    if (holder.rank == nullptr) return;
    // The holder writes it without an order: any of its calls will do.
    call = __atomic_load_n(holder.call, __ATOMIC_RELAXED);
    rank = holder.rank->number();
  }
  if (call == nullptr || reported.exchange(true, std::memory_order_relaxed)) return;
  std::fprintf(
      stderr,
      "rank %d is in %s in a constructor of its program or of a library; ranks are loaded one "
      "after the other, and the next ones begin only when it goes on: communicate after main has "
      "begun\n",
      rank, call);
}

}  // namespace

LoaderLock::LoaderLock() noexcept {
  constexpr std::int64_t kPatience = 3'000'000'000;
  Loader& state = loader();
  if (state.options.wait == nullptr) {
    state.mutex.lock();
  } else if (!state.mutex.try_lock()) {
    const std::int64_t tells_at = platform::now_ns() + kPatience;
    do {
      state.options.wait();
      if (platform::now_ns() > tells_at) tell_if_in_mpi();
    } while (!state.mutex.try_lock());
  }
  const SpinGuard guard(holder.lock);
  outermost_ = holder.rank == nullptr && Rank::current() != nullptr;
  if (outermost_) {
    holder.rank = Rank::current();
    holder.call = &Standing::mine.call;
  }
}

LoaderLock::~LoaderLock() {
  if (outermost_) {
    const SpinGuard guard(holder.lock);
    holder.rank = nullptr;
  }
  loader().mutex.unlock();
}

void look_at_host() {
  Loader& state = loader();
  if (state.prepared) return;
  state.prepared = true;
  ::dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
  if (const auto* libm = static_cast<link_map*>(::dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL))) {
    state.mathematics = code_of(libm->l_name).loaded_at(libm->l_addr);
  }
  share_allocators();
  look_at_host_maps();
}

void look_at_host_maps() {
  find_needed_by_shared();
  find_host_maps();
}

void tell_of_float_flags(const std::string& bytes) {
  Loader& state = loader();
  if (state.reported_float_flags || state.options.reads_float_flags == nullptr) return;
  if (!reads_float_flags(bytes)) return;
  state.options.reads_float_flags();
  state.reported_float_flags = true;
}

Error tell_of_stacks(const char* path) {
  Loader& state = loader();
  if (state.stacks_are_executable || state.options.wants_executable_stacks == nullptr) return {};
  ElfReader file;
  if (!file.open(path) || !file.read_headers() || !file.wants_executable_stacks()) return {};
  if (const int error = state.options.wants_executable_stacks()) {
    return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                       "cannot load %s: it wants executable stacks (PT_GNU_STACK), and the kernel "
                       "refuses them: %s; nested functions whose address is taken need them, and "
                       "so do assembly files without a .note.GNU-stack section",
                       path, std::strerror(error));
  }
  state.stacks_are_executable = true;
  return {};
}

bool is_allocator(const std::string& bytes) {
  return defines_function(bytes, "malloc") && defines_function(bytes, "free");
}

bool is_shared(std::string_view file) noexcept {
  const Loader& state = loader();
  if (state.shared.contains(file)) return true;
  file = base_name(file);
  return std::find(state.needed_by_shared.begin(), state.needed_by_shared.end(), file) !=
         state.needed_by_shared.end();
}

bool is_shared_map(const link_map* map) {
  if (is_shared(map->l_name)) return true;
  for (std::string_view soname : loaded_strings(map, DT_SONAME)) {
    if (is_shared(soname)) return true;
  }
  return false;
}

std::vector<link_map*> private_maps_of(link_map* root) {
  std::vector<link_map*> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::string_view name : loaded_strings(found[i], DT_NEEDED)) {
      if (is_shared(name)) continue;
      // New maps are behind the root in the linker's list; an older one is not ours.
      for (link_map* map = root->l_next; map != nullptr; map = map->l_next) {
        if (!is_named(map, name) || is_shared_map(map)) continue;
        if (std::find(found.begin(), found.end(), map) == found.end()) found.push_back(map);
        break;
      }
    }
  }
  return found;
}

OpenFunction linker_open() noexcept {
  static void* const libc = ::dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL);
  static void* const function = libc != nullptr ? ::dlsym(libc, "dlopen") : nullptr;
  return function != nullptr ? reinterpret_cast<OpenFunction>(function) : ::dlopen;
}

const std::string& sanitizer_runtime() {
  static const std::string found = [] {
    for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
      const std::string_view file = base_name(map->l_name);
      if (file.starts_with("libasan.") || file.starts_with("libtsan."))
        return std::string(map->l_name);
    }
    return std::string();
  }();
  return found;
}

void* open_alone(const char* path) {
  Loader& state = loader();
  for (HiddenMap& map : state.host_maps) map.hide();
  void* handle = linker_open()(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  for (HiddenMap& map : state.host_maps) map.show();
  return handle;
}

Error load_error(const std::string& what, std::uint64_t copy, const char* cause) {
  const std::string_view text = cause != nullptr ? cause : "the dynamic linker gave no reason";
  if (text.find("static TLS block") != std::string_view::npos) {
    return Error::make(MPI_ERR_NO_MEM,
                       "cannot load copy %llu of %s: %s; a library with initial-exec TLS can be "
                       "shared by all ranks (--share-library)",
                       static_cast<unsigned long long>(copy), what.c_str(), cause);
  }
  const bool refused = text.find("failed to map") != std::string_view::npos ||
                       text.find("annot allocate memory") != std::string_view::npos ||
                       text.find("annot create") != std::string_view::npos ||
                       text.find("annot change memory protections") != std::string_view::npos;
  if (!refused) {
    return Error::make(MPI_ERR_SPAWN, "cannot load %s: %.*s", what.c_str(),
                       static_cast<int>(text.size()), text.data());
  }
  const long limit = mapping_limit();
  if (limit > 0 && mappings_now() + 16 > limit) {
    return Error::make(MPI_ERR_NO_MEM,
                       "cannot load copy %llu of %s: this process has used up its %ld memory "
                       "mappings; start fewer ranks or raise vm.max_map_count (sysctl)",
                       static_cast<unsigned long long>(copy), what.c_str(), limit);
  }
  return Error::make(MPI_ERR_NO_MEM, "cannot load copy %llu of %s: out of memory",
                     static_cast<unsigned long long>(copy), what.c_str());
}

}  // namespace heddle::image
