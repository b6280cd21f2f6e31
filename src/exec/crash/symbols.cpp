#include "exec/crash/symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace heddle::crash {

namespace {

// The functions of libdw that are used here, by name.
struct Library {
  decltype(&dwfl_begin) begin;
  decltype(&dwfl_end) end;
  decltype(&dwfl_report_begin) report_begin;
  decltype(&dwfl_report_elf) report_elf;
  decltype(&dwfl_report_end) report_end;
  decltype(&dwfl_addrmodule) module_at;
  decltype(&dwfl_module_addrinfo) symbol_at;
  decltype(&dwfl_module_getsrc) line_at;
  decltype(&dwfl_lineinfo) line_info;
  decltype(&dwfl_build_id_find_elf) find_elf;
  decltype(&dwfl_standard_find_debuginfo) find_debuginfo;
  bool whole = true;

  Library() noexcept {
    void* handle = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    look_up(handle, "dwfl_begin", begin);
    look_up(handle, "dwfl_end", end);
    look_up(handle, "dwfl_report_begin", report_begin);
    look_up(handle, "dwfl_report_elf", report_elf);
    look_up(handle, "dwfl_report_end", report_end);
    look_up(handle, "dwfl_addrmodule", module_at);
    look_up(handle, "dwfl_module_addrinfo", symbol_at);
    look_up(handle, "dwfl_module_getsrc", line_at);
    look_up(handle, "dwfl_lineinfo", line_info);
    look_up(handle, "dwfl_build_id_find_elf", find_elf);
    look_up(handle, "dwfl_standard_find_debuginfo", find_debuginfo);
  }

  template <class Function>
  void look_up(void* handle, const char* name, Function& function) noexcept {
    function = handle == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle, name));
    whole = whole && function != nullptr;
  }
};

const Library& library() noexcept {
  static const Library instance;
  return instance;
}

const link_map* map_of(std::uintptr_t address, Dl_info* info) noexcept {
  link_map* map = nullptr;
  const auto pointer = reinterpret_cast<void*>(address);
  if (dladdr1(pointer, info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return nullptr;
  return map;
}

std::string demangled(const char* name) {
  int status = 0;
  char* plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? plain : name;
  std::free(plain);
  return result;
}

// The library's own name (soname), or nullptr. Its file may be a copy in memory, which has
// only a number.
const char* own_name_of(const link_map& map) noexcept {
  std::uintptr_t strings = 0, offset = 0;
  for (const ElfW(Dyn)* entry = map.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SONAME) offset = entry->d_un.d_val;
  }
  if (strings == 0 || offset == 0) return nullptr;
  if (strings < map.l_addr) strings += map.l_addr;  // the kernel's vdso is not relocated
  return reinterpret_cast<const char*>(strings + offset);
}

const char* last_part(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

}  // namespace

Symbols::Symbols(const std::uintptr_t* addresses, int count) {
  if (!library().whole) return;
  static char* debuginfo_path = nullptr;  // nullptr: the standard places
  static const Dwfl_Callbacks callbacks = {library().find_elf, library().find_debuginfo, nullptr,
                                           &debuginfo_path};
  Dwfl* session = library().begin(&callbacks);
  if (session == nullptr) return;
  session_ = session;
  library().report_begin(session);
  std::vector<const link_map*> reported;
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    const link_map* map = map_of(addresses[i], &info);
    if (map == nullptr) continue;
    if (std::find(reported.begin(), reported.end(), map) != reported.end()) continue;
    reported.push_back(map);
    // The odd spelling of an image's path is a good path for open().
    const char* path = map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe";
    library().report_elf(session, path, path, -1, map->l_addr, true);
  }
  library().report_end(session, nullptr, nullptr);
}

Symbols::~Symbols() {
  if (session_ != nullptr) library().end(static_cast<Dwfl*>(session_));
}

Symbol Symbols::find(std::uintptr_t address) const {
  Symbol symbol;
  Dl_info info{};
  if (const link_map* map = map_of(address, &info)) {
    if (info.dli_sname != nullptr) symbol.function = demangled(info.dli_sname);
    if (const char* name = own_name_of(*map)) {
      symbol.place = name;
    } else if (info.dli_fname != nullptr) {
      symbol.place = last_part(info.dli_fname);
    }
  }
  Dwfl_Module* module =
      session_ == nullptr ? nullptr : library().module_at(static_cast<Dwfl*>(session_), address);
  if (module == nullptr) return symbol;
  GElf_Off offset = 0;
  GElf_Sym entry{};
  const char* name =
      library().symbol_at(module, address, &offset, &entry, nullptr, nullptr, nullptr);
  if (name != nullptr) symbol.function = demangled(name);
  if (Dwfl_Line* line = library().line_at(module, address)) {
    int number = 0;
    const char* file = library().line_info(line, nullptr, &number, nullptr, nullptr, nullptr);
    if (file != nullptr) symbol.place = last_part(file) + (":" + std::to_string(number));
  }
  return symbol;
}

}  // namespace heddle::crash
