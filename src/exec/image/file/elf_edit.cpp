#include "exec/image/file/elf_edit.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace heddle::image {

namespace {

// A table in the file.
struct Range {
  std::size_t at = 0;
  std::size_t bytes = 0;
};

template <class T>
bool get(const std::string& file, std::size_t at, T* value) {
  if (at > file.size() || file.size() - at < sizeof(T)) return false;
  std::memcpy(value, file.data() + at, sizeof(T));
  return true;
}

bool is_inside(const std::string& file, const ElfW(Shdr) & section) noexcept {
  return section.sh_offset <= file.size() && section.sh_size <= file.size() - section.sh_offset;
}

// The sections of `type`, with what they are linked to.
struct Section {
  Range range, linked;
};
std::vector<Section> sections(const std::string& file, std::uint32_t type) {
  std::vector<Section> found;
  ElfW(Ehdr) header;
  if (!get(file, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return found;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    ElfW(Shdr) entry;
    ElfW(Shdr) other;
    if (!get(file, header.e_shoff + i * sizeof entry, &entry)) break;
    if (entry.sh_type != type || !is_inside(file, entry)) continue;
    Section& section = found.emplace_back();
    section.range = {entry.sh_offset, entry.sh_size};
    if (get(file, header.e_shoff + entry.sh_link * sizeof other, &other) && is_inside(file, other))
      section.linked = {other.sh_offset, other.sh_size};
  }
  return found;
}

// The first section of `type`; an empty range if there is none.
Range section(const std::string& file, std::uint32_t type, Range* linked = nullptr) {
  const std::vector<Section> found = sections(file, type);
  if (found.empty()) return {};
  if (linked != nullptr) *linked = found.front().linked;
  return found.front().range;
}

// Calls visit(at, symbol) for each dynamic symbol.
template <class Visit>
void for_each_symbol(const std::string& file, Visit visit, Range* names = nullptr) {
  const Range table = section(file, SHT_DYNSYM, names);
  ElfW(Sym) symbol;
  for (std::size_t at = table.at; at + sizeof symbol <= table.at + table.bytes;
       at += sizeof symbol) {
    if (get(file, at, &symbol)) visit(at, symbol);
  }
}

}  // namespace

bool has_unique_symbols(const std::string& bytes) {
  bool found = false;
  for_each_symbol(bytes, [&](std::size_t, const ElfW(Sym) & symbol) {
    found = found || ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE;
  });
  return found;
}

void make_unique_symbols_global(std::string* bytes) {
  for_each_symbol(*bytes, [&](std::size_t at, const ElfW(Sym) & symbol) {
    if (ELF64_ST_BIND(symbol.st_info) != STB_GNU_UNIQUE) return;
    (*bytes)[at + offsetof(ElfW(Sym), st_info)] =
        static_cast<char>(ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbol.st_info)));
  });
}

void mark_name(std::string* bytes, std::string_view name, std::string_view mark) {
  Range strings;
  if (section(*bytes, SHT_DYNAMIC, &strings).bytes == 0 || strings.bytes == 0) return;
  // Looks for the name with the zeros around it: a whole string of the table, not a part of a
  // longer one.
  const std::string whole = std::string(1, '\0').append(name).append(1, '\0');
  const std::size_t at = bytes->find(whole, strings.at);
  if (at == std::string::npos || at + whole.size() > strings.at + strings.bytes) return;
  bytes->replace(at + 1, mark.size(), mark);
}

bool defines_function(const std::string& bytes, std::string_view name) {
  bool found = false;
  Range names;
  const auto look_at = [&](std::size_t, const ElfW(Sym) & symbol) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) return;
    if (symbol.st_name >= names.bytes || names.bytes - symbol.st_name <= name.size()) return;
    const std::size_t at = names.at + symbol.st_name;
    found = found || (bytes.compare(at, name.size(), name) == 0 && bytes[at + name.size()] == '\0');
  };
  for_each_symbol(bytes, look_at, &names);
  return found;
}

std::vector<std::string_view> string_tables(const std::string& bytes) {
  std::vector<std::string_view> tables;
  for (const Section& each : sections(bytes, SHT_STRTAB)) {
    tables.push_back(std::string_view(bytes).substr(each.range.at, each.range.bytes));
  }
  return tables;
}

std::string soname_of(const std::string& bytes) {
  Range strings;
  const Range dynamic = section(bytes, SHT_DYNAMIC, &strings);
  ElfW(Dyn) entry;
  for (std::size_t at = dynamic.at; at + sizeof entry <= dynamic.at + dynamic.bytes;
       at += sizeof entry) {
    if (!get(bytes, at, &entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag != DT_SONAME || entry.d_un.d_val >= strings.bytes) continue;
    return bytes.c_str() + strings.at + entry.d_un.d_val;
  }
  return {};
}

std::string read_file(const std::string& path) {
  std::string bytes;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0) return bytes;
  if (::fstat(file, &status) == 0) {
    bytes.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    ssize_t got;
    while (done < bytes.size() && (got = ::read(file, &bytes[done], bytes.size() - done)) > 0) {
      done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
  }
  ::close(file);
  return bytes;
}

}  // namespace heddle::image
