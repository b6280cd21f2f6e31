#include "exec/image/plan/plan.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "exec/image/file/elf_edit.h"
#include "exec/image/file/elf_reader.h"
#include "exec/image/file/spelling.h"
#include "exec/image/linker/link_maps.h"
#include "exec/image/linker/loader.h"
#include "exec/image/plan/closure.h"
#include "exec/image/plan/own_library.h"

namespace heddle::image {

namespace {

constexpr char kLibc[] = "libc.so.6";
constexpr char kLinker[] = "ld-linux-x86-64.so.2";

// Private, but not the program's own.
bool is_of_the_language(std::string_view soname) noexcept {
  constexpr std::string_view kRuntimes[] = {kOwnPrivateLibrary, "libstdc++.", "libgfortran."};
  return std::any_of(std::begin(kRuntimes), std::end(kRuntimes),
                     [soname](std::string_view name) { return soname.starts_with(name); });
}

bool is_sanitizer(std::string_view soname) noexcept {
  soname = base_name(soname);
  return soname.starts_with("libasan.") || soname.starts_with("libtsan.");
}

// A private file of the plan: the program or a library. Edited where it has unique symbols.
Error add_private(const std::string& path, Plan* plan) {
  if (Error e = check_whole(path)) return e;
  std::string bytes = read_file(path);
  tell_of_float_flags(bytes);
  if (Error e = tell_of_stacks(path.c_str())) return e;
  PlannedFile file;
  file.path = path;
  file.soname = soname_of(bytes);
  file.is_private = true;
  if (!is_of_the_language(file.soname)) file.code = code_of(path);
  const bool is_program = plan->files.empty();
  if (!is_program && plan->allocator.empty() && is_allocator(bytes)) plan->allocator = path;
  // A library without a soname is found by its inode, which an edited copy does not have.
  if (has_unique_symbols(bytes) && (is_program || !file.soname.empty())) {
    make_unique_symbols_global(&bytes);
    file.edited = MemoryFile::make(path.substr(path.rfind('/') + 1).c_str(), bytes);
    if (!file.edited)
      return Error::make(MPI_ERR_NO_MEM, "no memory for a copy of %s", path.c_str());
    plan->direct = false;
  }
  plan->files.push_back(std::move(file));
  return {};
}

// True if every library that the program names is shared or Heddle's own: the common case of C,
// which needs no look at the closure.
bool needs_only_known(const Program& program) {
  for (const std::string& name : program.needed()) {
    if (name != kOwnPrivateLibrary && (!is_shared(name) || is_sanitizer(name))) return false;
  }
  return true;
}

// Where the host has it, it comes right before libc (make_plan): behind libstdc++, whose functions
// it replaces without knowing the rank's own copy.
Error plan_sanitizer(const Program& program, const NeededFile& runtime, Plan* plan) {
  if (!sanitizer_runtime().empty()) return {};
  if (base_name(runtime.name).starts_with("libtsan.")) {
    return Error::make(
        MPI_ERR_UNSUPPORTED_OPERATION,
        "cannot load %s: it was built with ThreadSanitizer, which must hear of each switch "
        "between ranks; it runs with a Heddle that was built with HEDDLE_SANITIZE=thread, too",
        program.path().c_str());
  }
  plan->allocator = runtime.path;
  return {};
}

// False: the host has an allocator that is none of the libraries `needed`.
bool knows_allocator(const std::vector<std::string>& needed) {
  const std::string& allocator = loader().allocator;
  return allocator.empty() ||
         std::find(needed.begin(), needed.end(), base_name(allocator)) != needed.end();
}

// A preloaded library stands in each image's scope behind the program, as in a process of its own:
// the host's copy of it is found by no image. The closure names it.
bool is_something_preloaded() noexcept {
  const char* libraries = std::getenv("LD_PRELOAD");
  struct stat for_all;
  return (libraries != nullptr && libraries[0] != '\0') ||
         (::stat("/etc/ld.so.preload", &for_all) == 0 && for_all.st_size > 0);
}

}  // namespace

std::vector<std::string> Plan::needed_by_copy(std::uint64_t number) const {
  std::vector<std::string> needed;
  for (const PlannedFile& file : files) {
    if (!file.is_private) {
      needed.push_back(file.name);
    } else {
      needed.push_back(spelled(file.edited ? file.edited.path() : file.path, number));
    }
  }
  return needed;
}

namespace {

Error make_plan(const Program& program, bool for_copies, Plan* out) {
  Plan plan;
  if (Error e = add_private(program.path(), &plan)) return e;
  plan.direct = plan.direct && sanitizer_runtime().empty() && !is_something_preloaded() &&
                knows_allocator(program.needed()) && finds_own_library(program);
  if (!plan.direct || for_copies || !needs_only_known(program)) {
    std::vector<NeededFile> closure;
    if (Error e = find_closure(program, &closure)) return e;
    bool has_allocator = loader().allocator.empty();
    for (NeededFile& needed : closure) {
      has_allocator = has_allocator || base_name(needed.path) == base_name(loader().allocator);
      if (needed.name.find('/') != std::string::npos) plan.direct = false;
      if (!is_shared(needed.name)) {
        if (Error e = add_private(needed.path, &plan)) return e;
        continue;
      }
      if (is_sanitizer(needed.name)) {
        if (Error e = plan_sanitizer(program, needed, &plan)) return e;
        continue;
      }
      // The program's malloc must be the host's, which is the sanitizer's; but not its
      // __tls_get_addr: ThreadSanitizer's guesses a block's size from the words before it, and ends
      // where it is wrong.
      if (needed.name == kLibc && !sanitizer_runtime().empty()) {
        plan.files.push_back({.name = kLinker, .path = kLinker});
        plan.files.push_back({.name = sanitizer_runtime(), .path = sanitizer_runtime()});
      }
      if (needed.name == kLibc && !has_allocator) {
        plan.files.push_back({.name = loader().allocator, .path = loader().allocator});
      }
      PlannedFile file;
      file.name = std::move(needed.name);
      file.path = std::move(needed.path);
      plan.files.push_back(std::move(file));
    }
  }
  *out = std::move(plan);
  return {};
}

Error load_shared(const char* name) {
  const void* const loaded = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return {};  // the image's dlopen says why
  return tell_of_stacks(static_cast<const link_map*>(loaded)->l_name);
}

}  // namespace

Error plan_for(const Program& program, bool for_copies, Plan** out) {
  static std::map<std::pair<std::string, bool>, Plan> plans;  // by path and for_copies
  look_at_host();
  const std::pair<std::string, bool> key{program.path(), for_copies};
  const auto known = plans.find(key);
  if (known != plans.end()) {
    *out = &known->second;
    return {};
  }
  Plan plan;
  if (Error e = make_plan(program, for_copies, &plan)) return e;
  const bool can_load = plan.allocator.empty();
  for (const std::string& name : program.needed()) {
    if (!can_load || !is_shared(name)) continue;
    if (Error e = load_shared(name.c_str())) return e;
  }
  look_at_host_maps();  // a library may have brought a libgfortran along
  for (const PlannedFile& file : plan.files) {
    if (!can_load || file.is_private) continue;
    if (Error e = load_shared(file.path.c_str())) return e;
  }
  *out = &(plans[key] = std::move(plan));
  return {};
}

}  // namespace heddle::image
