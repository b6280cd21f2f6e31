#include "exec/image/plugins.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "exec/image/file/elf_edit.h"
#include "exec/image/file/spelling.h"
#include "exec/image/image.h"
#include "exec/image/linker/global_scope.h"
#include "exec/image/linker/hidden_map.h"
#include "exec/image/linker/loader.h"

namespace heddle::image {

namespace {

// A path with a directory, spelled for this copy; a plain name, which is searched for, as it is.
std::string own_name(const char* path, std::uint64_t number) {
  if (std::strchr(path, '/') == nullptr) return path;
  if (path[0] == '/') return spelled(path, number);
  char directory[PATH_MAX];
  if (::getcwd(directory, sizeof directory) == nullptr) return path;
  return spelled(std::string(directory) + "/" + path, number);
}

// Where the kernel refuses executable stacks, the linker, which asks for them as well, fails.
void look_at_stacks(const char* path) {
  [[maybe_unused]] const Error told_by_linker = tell_of_stacks(path);
}

// Reads each file once, not for each rank.
void look_at_file(const std::string& path) {
  if (!loader().plugins_looked_at.insert(plain(path)).second) return;
  tell_of_float_flags(read_file(path));
  look_at_stacks(path.c_str());
}

void* open_shared(const char* path, int mode) {
  void* const handle = ::dlopen(path, mode);
  if (handle == nullptr) return nullptr;
  LoaderLock lock;
  look_at_stacks(static_cast<const link_map*>(handle)->l_name);
  return handle;
}

bool is_loaded(const link_map* map) noexcept {
  for (const link_map* other = _r_debug.r_map; other != nullptr; other = other->l_next) {
    if (other == map) return true;
  }
  return false;
}

}  // namespace

// The methods of this file on an image's private parts.
class Plugins {
 public:
  static void* open(Image* image, const char* path, int mode);
  static int close(Image* image, void* handle);

 private:
  static void hide_new(Image* image, link_map* root);
  static void forget_unloaded(Image* image);
};

void* Plugins::open(Image* image, const char* path, int mode) {
  if (path == nullptr || path[0] == '\0') return image->handle_;
  if (is_shared(path)) return open_shared(path, mode);

  LoaderLock lock;
  const std::string name = own_name(path, image->number_);
  if (::access(name.c_str(), R_OK) == 0) look_at_file(name);  // its constructors may need it
  void* handle = nullptr;
  {
    const GlobalScope scope(image->handle_, image->global_plugins_);
    const int own_mode =
        (mode & ~(RTLD_GLOBAL | RTLD_LAZY)) | RTLD_NOW | (scope.extended() ? 0 : RTLD_DEEPBIND);
    for (HiddenMap& map : loader().host_maps) map.hide();
    for (HiddenMap& map : image->hidden_) map.show();
    handle = image->entry_->open_from_here(linker_open(), name.c_str(), own_mode);
    for (HiddenMap& map : image->hidden_) map.hide();
    for (HiddenMap& map : loader().host_maps) map.show();
  }
  if (handle == nullptr) return nullptr;

  for (link_map* map : private_maps_of(static_cast<link_map*>(handle))) look_at_file(map->l_name);
  image->plugins_.push_back(handle);
  if ((mode & RTLD_GLOBAL) != 0) image->global_plugins_.push_back(handle);
  if (image->method_ == Method::hide) hide_new(image, static_cast<link_map*>(handle));
  return handle;
}

// Hides the files that a dlopen of `root` has loaded. There are none if the image had them already.
void Plugins::hide_new(Image* image, link_map* root) {
  const auto known = [image](const link_map* map) {
    return std::any_of(image->hidden_.begin(), image->hidden_.end(),
                       [map](const HiddenMap& hidden) { return hidden.map() == map; });
  };
  if (known(root)) return;
  for (link_map* map : private_maps_of(root)) {
    struct stat file;
    if (known(map) || ::stat(map->l_name, &file) != 0) continue;
    if (!HiddenMap::fits(map, file.st_dev, file.st_ino)) continue;
    image->hidden_.emplace_back(map, file.st_dev, file.st_ino);
  }
}

int Plugins::close(Image* image, void* handle) {
  if (handle == image->handle_) return 0;
  LoaderLock lock;
  const int result = ::dlclose(handle);
  if (result != 0) return result;
  const auto remove_from = [handle](std::vector<void*>* handles) {
    const auto at = std::find(handles->begin(), handles->end(), handle);
    if (at != handles->end()) handles->erase(at);
  };
  remove_from(&image->plugins_);
  remove_from(&image->global_plugins_);
  forget_unloaded(image);
  return 0;
}

void Plugins::forget_unloaded(Image* image) {
  std::vector<HiddenMap>& hidden = image->hidden_;
  hidden.erase(std::remove_if(hidden.begin(), hidden.end(),
                              [](const HiddenMap& map) { return !is_loaded(map.map()); }),
               hidden.end());
}

void* open_for_current(const char* path, int mode, void*) noexcept {
  Image* image = current();
  return image != nullptr ? Plugins::open(image, path, mode) : ::dlopen(path, mode);
}

int close_for_current(void* handle) noexcept {
  Image* image = current();
  return image != nullptr ? Plugins::close(image, handle) : ::dlclose(handle);
}

}  // namespace heddle::image
