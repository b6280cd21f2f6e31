#include "exec/image/linker/hidden_map.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>

namespace heddle::image {

namespace {

// glibc's `struct libname_list`.
struct LibName {
  const char* name;
  LibName* next;
};

// The first fields of glibc's `struct link_map`, unchanged from 2.3 to 2.41.
struct PrivateMap {
  link_map known;
  PrivateMap* real;  // itself, except for the linker's own map in other namespaces
  long name_space;
  LibName* names;
  ElfW(Dyn) * info[DT_NUM];
};

constexpr char kDummyName[] = "(hidden by heddle)";

// How far behind the map its file identity is searched when its names are not allocated behind it.
constexpr std::size_t kMostFileIdBytes = 2048;

PrivateMap* inside(link_map* map) noexcept {
  return reinterpret_cast<PrivateMap*>(map);
}
const PrivateMap* inside(const link_map* map) noexcept {
  return reinterpret_cast<const PrivateMap*>(map);
}

// A file identity in the map, as two adjacent words.
struct FileId {
  std::uint64_t device;
  std::uint64_t inode;
};

// The map's file identity, or nullptr. glibc allocates the first name right behind the map, in one
// block; that bounds the search.
const FileId* find_file_id(const PrivateMap* map, dev_t device, ino_t inode) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(map + 1);
  const auto end = reinterpret_cast<std::uintptr_t>(map->names);
  if (end <= begin || end - begin > kMostFileIdBytes) return nullptr;
  for (std::uintptr_t at = begin; at + sizeof(FileId) <= end; at += sizeof(std::uint64_t)) {
    const auto* candidate = reinterpret_cast<const FileId*>(at);
    if (candidate->device == device && candidate->inode == inode) return candidate;
  }
  return nullptr;
}

// The offset of the file identity: the same in every map of one glibc. 0: not found yet.
std::size_t file_id_offset = 0;

FileId* file_id_of(link_map* map) noexcept {
  return reinterpret_cast<FileId*>(reinterpret_cast<char*>(map) + file_id_offset);
}

bool in_dynamic_section(const link_map* map, const ElfW(Dyn) * entry, std::int64_t tag) noexcept {
  constexpr std::ptrdiff_t kMostEntries = 256;
  return entry >= map->l_ld && entry < map->l_ld + kMostEntries && entry->d_tag == tag;
}

using Destructor = void (*)();

}  // namespace

bool HiddenMap::fits(const link_map* map, dev_t device, ino_t inode) noexcept {
  const PrivateMap* private_map = inside(map);
  if (private_map->real != private_map || private_map->name_space != LM_ID_BASE) return false;
  if (!in_dynamic_section(map, private_map->info[DT_STRTAB], DT_STRTAB)) return false;
  const ElfW(Dyn)* soname = private_map->info[DT_SONAME];
  if (soname != nullptr && !in_dynamic_section(map, soname, DT_SONAME)) return false;

  const FileId* id = find_file_id(private_map, device, inode);
  if (id == nullptr) return false;
  const std::size_t offset = static_cast<std::size_t>(reinterpret_cast<const char*>(id) -
                                                      reinterpret_cast<const char*>(map));
  if (file_id_offset == 0) file_id_offset = offset;
  return offset == file_id_offset;
}

HiddenMap::HiddenMap(link_map* map, dev_t device, ino_t inode)
    : map_(map), device_(device), inode_(inode), soname_(inside(map)->info[DT_SONAME]) {
  for (const LibName* name = inside(map)->names; name != nullptr; name = name->next) {
    names_.push_back(name->name);
  }
  hide();
}

void HiddenMap::hide() noexcept {
  PrivateMap* map = inside(map_);
  map->info[DT_SONAME] = nullptr;
  std::size_t i = 0;
  for (LibName* name = map->names; name != nullptr; name = name->next, ++i) {
    // A name that was added while the map was shown is kept, too.
    if (i == names_.size()) names_.push_back(name->name);
    name->name = kDummyName;
  }
  FileId* id = file_id_of(map_);
  id->device = ~std::uint64_t{0};
  id->inode = ~std::uint64_t{0};
}

void HiddenMap::show() noexcept {
  PrivateMap* map = inside(map_);
  map->info[DT_SONAME] = soname_;
  std::size_t i = 0;
  for (LibName* name = map->names; name != nullptr && i < names_.size(); name = name->next) {
    name->name = names_[i++];
  }
  FileId* id = file_id_of(map_);
  id->device = device_;
  id->inode = inode_;
}

void HiddenMap::run_destructors() noexcept {
  PrivateMap* map = inside(map_);
  const std::uintptr_t base = map_->l_addr;
  const ElfW(Dyn)* array = std::exchange(map->info[DT_FINI_ARRAY], nullptr);
  const ElfW(Dyn)* last = std::exchange(map->info[DT_FINI], nullptr);
  if (array != nullptr) {
    const auto* functions = reinterpret_cast<const Destructor*>(base + array->d_un.d_ptr);
    const std::size_t bytes = map->info[DT_FINI_ARRAYSZ]->d_un.d_val;
    for (std::size_t i = bytes / sizeof(Destructor); i-- > 0;) functions[i]();
  }
  if (last != nullptr) reinterpret_cast<Destructor>(base + last->d_un.d_ptr)();
}

}  // namespace heddle::image
