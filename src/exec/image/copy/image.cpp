#include "exec/image/image.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sys/stat.h>

#include <cstdlib>
#include <new>

#include "exec/image/file/carrier.h"
#include "exec/image/file/spelling.h"
#include "exec/image/linker/hidden_map.h"
#include "exec/image/linker/link_maps.h"
#include "exec/image/linker/loader.h"
#include "exec/image/plan/file_copy.h"
#include "exec/image/plan/plan.h"
#include "exec/rank/rank.h"

namespace heddle::image {

namespace {
// The heap that loading one image needs for itself, with room to spare.
constexpr std::size_t kHeapReserve = std::size_t{96} * 1024;

// False: so little memory is left that even a sentence about it might not fit.
bool has_heap() noexcept {
  void* reserve = std::malloc(kHeapReserve);
  std::free(reserve);
  return reserve != nullptr;
}

// The host has begun again with the allocator of its first program that has one.
Error check_allocator(const Program& program, const Plan& plan) {
  if (plan.allocator.empty()) return {};
  return Error::make(
      MPI_ERR_UNSUPPORTED_OPERATION,
      "cannot load %s: it brings an allocator, %s, and the process of the job, which has one "
      "for all ranks, was started without it; preload it (mpiexec -x LD_PRELOAD=...), or give "
      "all programs of the job the same one",
      program.path().c_str(), plan.allocator.c_str());
}

struct ImageOfRank {
  Image* image = nullptr;
};
RankLocal<ImageOfRank> image_of_rank;
}  // namespace

void configure(const Options& options) {
  LoaderLock lock;
  loader().options = options;
  loader().shared = SharedList();
  for (const std::string& name : options.shared_libraries) loader().shared.add(name);
  look_at_host();
}

Error find_allocator(const Program& program, std::string* out) {
  LoaderLock lock;
  Plan* plan = nullptr;
  if (Error e = plan_for(program, /*for_copies=*/false, &plan)) return e;
  *out = plan->allocator;
  return {};
}

CodeRange allocator_code() noexcept {
  return loader().allocator_code;
}

Image::Image() = default;

Error Image::open(const Program& program, std::unique_ptr<Image>* out) {
  std::unique_ptr<Image> image(new (std::nothrow) Image);
  if (image == nullptr || !has_heap()) {
    return Error::make(MPI_ERR_NO_MEM, "cannot load %s: out of memory", program.path().c_str());
  }

  LoaderLock lock;
  const bool copy = loader().options.method == Method::copy || loader().hide_fails;
  if (Error e = copy ? image->open_copy(program) : image->open_hidden(program)) return e;
  if (Rank::current() != nullptr) image_of_rank.get().image = image.get();
  *out = std::move(image);
  return {};
}

Error Image::open_hidden(const Program& program) {
  Loader& state = loader();
  Plan* plan = nullptr;
  if (Error e = plan_for(program, /*for_copies=*/false, &plan)) return e;
  if (Error e = check_allocator(program, *plan)) return e;
  if (Error e = load(program, *plan)) return e;
  if (hide_all(plan)) {
    find_code(*plan);
    entry_ = program.entry_at(program_->l_addr);
    return {};
  }
  // This libc is not one whose maps we can hide; from now on, copies.
  state.hide_fails = true;
  ::dlclose(handle_);
  handle_ = nullptr;
  if (state.options.method == Method::automatic) return open_copy(program);
  return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                     "cannot load %s: loaded files cannot be hidden from this C library",
                     program.path().c_str());
}

Error Image::load(const Program& program, const Plan& plan) {
  Loader& state = loader();
  const std::uint64_t copy = number_ = ++state.copies;
  std::string path;
  if (plan.direct) {
    path = spelled(program.path(), copy);
    handle_ = open_alone(path.c_str());
  } else {
    // One file for all carriers: each copy has its page by the time that the next is written,
    // because the linker writes to it.
    const std::vector<std::string> needed = plan.needed_by_copy(copy);
    path = needed.front();
    const std::string bytes = carrier_bytes(needed);
    if (!state.carrier) state.carrier = MemoryFile::make("heddle-carrier", bytes);
    if (!state.carrier || !state.carrier.rewrite(bytes)) {
      return Error::make(MPI_ERR_NO_MEM, "no memory to load %s", program.path().c_str());
    }
    handle_ = open_alone(spelled(state.carrier.path(), copy).c_str());
  }
  if (handle_ == nullptr) return load_error(program.path(), copy, ::dlerror());
  find_program(path);
  return {};
}

Error Image::open_copy(const Program& program) {
  Plan* plan = nullptr;
  if (Error e = plan_for(program, /*for_copies=*/true, &plan)) return e;
  if (Error e = check_allocator(program, *plan)) return e;
  method_ = Method::copy;
  const std::uint64_t number = number_ = ++loader().copies;
  FileCopies copies;
  if (Error e = copies.make(*plan, number)) return e;
  // A carrier of its own: the linker knows the others' inodes.
  const MemoryFile carrier = MemoryFile::make("heddle-carrier", carrier_bytes(copies.needed()));
  if (!carrier) return Error::make(MPI_ERR_NO_MEM, "no memory to load %s", program.path().c_str());

  handle_ = open_alone(spelled(carrier.path(), number).c_str());
  if (handle_ == nullptr) return load_error(program.path(), number, ::dlerror());
  find_program(copies.needed().front());
  if (program_ == nullptr) {
    return Error::make(MPI_ERR_INTERN, "the copy of %s was not loaded", program.path().c_str());
  }
  code_.push_back(plan->files.front().code.loaded_at(program_->l_addr));
  copies.share_unwritten_pages(static_cast<const link_map*>(handle_));
  entry_ = program.entry_at(program_->l_addr);
  return {};
}

// glibc's handle is the link_map. What a carrier brings in is behind it.
void Image::find_program(const std::string& path) noexcept {
  const auto* map = static_cast<const link_map*>(handle_);
  while (map != nullptr && path != map->l_name) map = map->l_next;
  program_ = map;
}

bool Image::hide_all(Plan* plan) {
  if (program_ == nullptr) return false;  // an older copy was found
  const std::vector<link_map*> maps = private_maps_of(static_cast<link_map*>(handle_));
  if (plan->private_maps > maps.size()) return false;  // a library was found that another image has
  plan->private_maps = maps.size();

  hidden_.reserve(maps.size());
  for (link_map* map : maps) {
    struct stat file;
    if (::stat(map->l_name, &file) != 0 || !HiddenMap::fits(map, file.st_dev, file.st_ino)) {
      return false;
    }
    hidden_.emplace_back(map, file.st_dev, file.st_ino);
  }
  return true;
}

// A file was loaded by its spelled path, or found by its soname.
void Image::find_code(const Plan& plan) {
  code_.push_back(loader().mathematics);
  const std::vector<std::string> spelled = plan.needed_by_copy(number_);
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const PlannedFile& file = plan.files[i];
    if (file.code.end == 0) continue;
    for (const HiddenMap& hidden : hidden_) {
      const link_map* map = hidden.map();
      if (map->l_name != spelled[i] && map->l_name != file.path) continue;
      code_.push_back(file.code.loaded_at(map->l_addr));
    }
  }
}

bool Image::has_code_at(std::uintptr_t address) const noexcept {
  for (const CodeRange& range : code_) {
    if (range.contains(address)) return true;
  }
  return false;
}

void Image::retire(std::unique_ptr<Image> image) noexcept {
  if (image->method_ != Method::hide) return;
  image->free_exception_pool();
  image->run_destructors();
  if (current() == image.get()) image_of_rank.get().image = nullptr;
  static auto& retired = *new std::vector<Image*>;  // nothing of it is ever destroyed
  LoaderLock lock;
  retired.push_back(image.release());
}

void Image::run_destructors() noexcept {
  std::vector<link_map*> maps;
  for (const HiddenMap& file : hidden_) maps.push_back(file.map());
  for (const link_map* map : in_order_of_destructors(maps)) {
    HiddenMap* file = hidden(map);
    if (file != nullptr) file->run_destructors();
  }
}

void Image::close_units() noexcept {
  if (method_ != Method::hide) return;
  for (HiddenMap& file : hidden_) {
    if (base_name(file.map()->l_name).starts_with("libgfortran.")) file.run_destructors();
  }
}

// nullptr: a destructor has closed it.
HiddenMap* Image::hidden(const link_map* map) noexcept {
  for (HiddenMap& file : hidden_) {
    if (file.map() == map) return &file;
  }
  return nullptr;
}

Image::~Image() {
  if (handle_ == nullptr) return;
  LoaderLock lock;
  free_exception_pool();
  // The program's destructors may close its plugins themselves; the rest goes after it.
  ::dlclose(handle_);
  while (!plugins_.empty()) {
    void* plugin = plugins_.back();
    plugins_.pop_back();
    ::dlclose(plugin);
  }
  if (current() == this) image_of_rank.get().image = nullptr;
}

// libstdc++ allocates 71 KiB for exceptions in need when it is loaded, and leaves them to the end
// of the process. Its own function for memory checkers gives them back.
void Image::free_exception_pool() noexcept {
  if (is_shared("libstdc++.so.6")) return;
  void* const function = symbol("_ZN9__gnu_cxx9__freeresEv");
  Dl_info found;
  if (function == nullptr || ::dladdr(function, &found) == 0) return;
  // An allocator's libstdc++ is the host's.
  for (const HiddenMap& file : loader().host_maps) {
    if (file.map()->l_addr == reinterpret_cast<std::uintptr_t>(found.dli_fbase)) return;
  }
  reinterpret_cast<void (*)()>(function)();
}

Image* current() noexcept {
  const ImageOfRank* found = image_of_rank.find();
  return found != nullptr ? found->image : nullptr;
}

std::vector<CodeRange> Image::data_pages() const {
  LoaderLock lock;
  std::vector<CodeRange> found;
  for (link_map* map : private_maps_of(static_cast<link_map*>(handle_))) {
    const std::vector<CodeRange> pages = written_pages(map);
    found.insert(found.end(), pages.begin(), pages.end());
  }
  return found;
}

void* Image::symbol(const char* name) const noexcept {
  return ::dlsym(handle_, name);
}

}  // namespace heddle::image
