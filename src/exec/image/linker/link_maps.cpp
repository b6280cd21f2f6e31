#include "exec/image/linker/link_maps.h"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

#include "base/platform/memory.h"

namespace heddle::image {

std::vector<std::string_view> loaded_strings(const link_map* map, std::int64_t tag) {
  std::vector<std::string_view> found;
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_STRTAB) continue;
    // glibc relocates the entry in place where the section is writable.
    const std::uintptr_t value = entry->d_un.d_ptr;
    strings = reinterpret_cast<const char*>(value < map->l_addr ? value + map->l_addr : value);
  }
  if (strings == nullptr) return found;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == tag) found.emplace_back(strings + entry->d_un.d_val);
  }
  return found;
}

std::string_view base_name(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_named(const link_map* map, std::string_view name) {
  if (name == map->l_name || name == base_name(map->l_name)) return true;
  for (std::string_view soname : loaded_strings(map, DT_SONAME)) {
    if (soname == name) return true;
  }
  return false;
}

std::vector<CodeRange> written_pages(link_map* map) {
  std::vector<CodeRange> found;
  const ElfW(Phdr)* headers = nullptr;
  const int count = ::dlinfo(map, RTLD_DI_PHDR, &headers);  // -1: not known
  const std::size_t page = platform::page_size();
  for (int i = 0; i < count; ++i) {
    const ElfW(Phdr)& part = headers[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    const CodeRange whole = {part.p_vaddr & ~(page - 1),
                             platform::round_up(part.p_vaddr + part.p_memsz, page)};
    found.push_back(whole.loaded_at(map->l_addr));
  }
  return found;
}

namespace {

// Sorts maps as the linker does: those that no other needs first, otherwise as they were.
class Sorter {
 public:
  explicit Sorter(const std::vector<link_map*>& maps) : maps_(maps), seen_(maps.size()) {
    for (std::size_t i = maps.size(); i-- > 0;) visit(i);
  }

  std::vector<link_map*> sorted() && {
    std::reverse(needed_first_.begin(), needed_first_.end());
    return std::move(needed_first_);
  }

 private:
  void visit(std::size_t index) {
    if (seen_[index]) return;
    seen_[index] = true;
    for (std::string_view name : loaded_strings(maps_[index], DT_NEEDED)) {
      for (std::size_t i = 0; i < maps_.size(); ++i) {
        if (is_named(maps_[i], name)) visit(i);
      }
    }
    needed_first_.push_back(maps_[index]);
  }

  const std::vector<link_map*>& maps_;
  std::vector<bool> seen_;
  std::vector<link_map*> needed_first_;
};
}  // namespace

std::vector<link_map*> in_order_of_destructors(const std::vector<link_map*>& maps) {
  return Sorter(maps).sorted();
}

}  // namespace heddle::image
