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
  decltype(&dwfl_module_addrdie) unit_at;
  decltype(&dwarf_getscopes) scopes_at;
  decltype(&dwarf_getscopes_die) scopes_around;
  decltype(&dwarf_tag) tag;
  decltype(&dwarf_attr) attribute;
  decltype(&dwarf_formudata) number_of;
  decltype(&dwarf_getsrcfiles) source_files;
  decltype(&dwarf_filesrc) source_file;
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
    look_up(handle, "dwfl_module_addrdie", unit_at);
    look_up(handle, "dwarf_getscopes", scopes_at);
    look_up(handle, "dwarf_getscopes_die", scopes_around);
    look_up(handle, "dwarf_tag", tag);
    look_up(handle, "dwarf_attr", attribute);
    look_up(handle, "dwarf_formudata", number_of);
    look_up(handle, "dwarf_getsrcfiles", source_files);
    look_up(handle, "dwarf_filesrc", source_file);
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

// A line of source.
struct Line {
  const char* file = nullptr;  // nullptr: not known
  int number = 0;

  std::string place() const { return last_part(file) + (":" + std::to_string(number)); }
  bool is_users() const noexcept {
    return file != nullptr && std::strncmp(file, "/usr/include/", 13) != 0 &&
           std::strncmp(file, "/usr/lib", 8) != 0 && std::strstr(file, "/include/c++/") == nullptr;
  }
};

Line line_at(Dwfl_Module* module, std::uintptr_t address) noexcept {
  Line line;
  if (Dwfl_Line* const found = library().line_at(module, address))
    line.file = library().line_info(found, nullptr, &line.number, nullptr, nullptr, nullptr);
  return line;
}

// An attribute that is a number; 0: it has none.
Dwarf_Word number_in(Dwarf_Die* entry, unsigned name) noexcept {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  if (library().attribute(entry, name, &attribute) != nullptr)
    library().number_of(&attribute, &number);
  return number;
}

// Where the inlined function of this scope is called.
Line line_of_inlined(Dwarf_Die* unit, Dwarf_Die* scope) noexcept {
  constexpr unsigned kCallFile = 0x58, kCallLine = 0x59;  // DW_AT_call_file, DW_AT_call_line
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (library().source_files(unit, &files, &count) != 0) return {};
  return {library().source_file(files, number_in(scope, kCallFile), nullptr, nullptr),
          static_cast<int>(number_in(scope, kCallLine))};
}

// The line of this address, or of the first of the inlined calls around it that is the user's.
Line users_line_at(Dwfl_Module* module, std::uintptr_t address) noexcept {
  const Line line = line_at(module, address);
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = line.is_users() ? nullptr : library().unit_at(module, address, &bias);
  if (unit == nullptr) return line;
  Dwarf_Die* innermost = nullptr;
  Dwarf_Die* scopes = nullptr;
  Line found = line;
  if (library().scopes_at(unit, address - bias, &innermost) > 0) {
    const int count = library().scopes_around(&innermost[0], &scopes);
    constexpr int kInlined = 0x1d;  // DW_TAG_inlined_subroutine
    for (int i = 0; i < count && !found.is_users(); ++i) {
      if (library().tag(&scopes[i]) == kInlined) found = line_of_inlined(unit, &scopes[i]);
    }
  }
  std::free(scopes);
  std::free(innermost);
  return found.is_users() ? found : line;
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
  auto* const module = static_cast<Dwfl_Module*>(module_at(address));
  if (module == nullptr) return symbol;
  GElf_Off offset = 0;
  GElf_Sym entry{};
  const char* name =
      library().symbol_at(module, address, &offset, &entry, nullptr, nullptr, nullptr);
  if (name != nullptr) symbol.function = demangled(name);
  const Line line = line_at(module, address);
  if (line.file != nullptr) symbol.place = line.place();
  return symbol;
}

Symbol Symbols::find_users(const std::uintptr_t* calls, int count) const {
  for (int i = 0; i < count; ++i) {
    auto* const module = static_cast<Dwfl_Module*>(module_at(calls[i]));
    const Line line = module != nullptr ? users_line_at(module, calls[i]) : Line{};
    if (!line.is_users()) continue;
    Symbol symbol = find(calls[i]);
    symbol.place = line.place();
    return symbol;
  }
  return find(calls[0]);
}

void* Symbols::module_at(std::uintptr_t address) const noexcept {
  return session_ == nullptr ? nullptr : library().module_at(static_cast<Dwfl*>(session_), address);
}

}  // namespace heddle::crash
