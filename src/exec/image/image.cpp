#include "exec/image/image.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sys/stat.h>

#include <cstring>
#include <new>

#include "exec/image/loader.h"
#include "exec/image/spelling.h"

namespace heddle::image {

void configure(const Options& options) {
  LoaderLock lock;
  loader().options = options;
  for (const std::string& name : options.shared_libraries) loader().shared.add(name);
}

Error Image::open(const Program& program, std::unique_ptr<Image>* out) {
  std::unique_ptr<Image> image(new (std::nothrow) Image);
  if (image == nullptr) return Error::make(MPI_ERR_NO_MEM, "out of memory");

  LoaderLock lock;
  prepare_loader(program);
  const bool copy = loader().options.method == Method::copy || loader().hide_fails;
  if (Error e = copy ? image->open_copy(program) : image->open_hidden(program)) return e;
  if (image->entry_ == nullptr) return Error::make(MPI_ERR_INTERN, "the image has no entry");
  *out = std::move(image);
  return {};
}

Error Image::open_hidden(const Program& program) {
  Loader& state = loader();
  const std::uint64_t copy = state.copies++;
  const std::string path = spelled(program.path(), copy);

  for (HiddenMap& map : state.host_maps) map.hide();
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  for (HiddenMap& map : state.host_maps) map.show();
  if (handle_ == nullptr) return load_error(program.path(), copy, ::dlerror());

  if (path == map()->l_name && hide_all(program)) {
    entry_ = program.entry_at(map()->l_addr);
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

bool Image::hide_all(const Program& program) {
  const std::vector<link_map*> maps = private_maps_of(static_cast<link_map*>(handle_));
  std::size_t& expected = loader().private_maps[program.path()];
  if (expected > maps.size()) return false;  // a library was found that another image has
  expected = maps.size();

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

Image::~Image() {
  if (handle_ == nullptr) return;
  LoaderLock lock;
  ::dlclose(handle_);
}

void* Image::symbol(const char* name) const noexcept {
  return ::dlsym(handle_, name);
}

}  // namespace heddle::image
