#include "exec/image/file/carrier.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heddle::image {

namespace {

// Everything except the list, in one readable and writable segment at address 0:
//   Header, dynamic section, hash table, one null symbol, strings
struct Header {
  ElfW(Ehdr) file;
  ElfW(Phdr) segments[3];
};

struct Tables {
  std::uint32_t hash[4] = {1, 1, 0, 0};  // one bucket, one symbol
  ElfW(Sym) symbols[1] = {};
};

template <class T>
void put(std::string* bytes, std::size_t at, const T& value) {
  std::memcpy(bytes->data() + at, &value, sizeof value);
}

Header header_of(std::size_t all, std::size_t dynamic_at, std::size_t dynamic_bytes) {
  constexpr std::size_t kPage = 65536;  // the largest that a kernel of these machines uses
  Header header{};
  const auto* linker = reinterpret_cast<const ElfW(Ehdr)*>(::getauxval(AT_BASE));
  std::memcpy(header.file.e_ident, linker->e_ident, EI_NIDENT);
  header.file.e_ident[EI_OSABI] = ELFOSABI_NONE;
  header.file.e_type = ET_DYN;
  header.file.e_machine = linker->e_machine;
  header.file.e_version = EV_CURRENT;
  header.file.e_phoff = offsetof(Header, segments);
  header.file.e_ehsize = sizeof(ElfW(Ehdr));
  header.file.e_phentsize = sizeof(ElfW(Phdr));
  header.file.e_phnum = 3;

  header.segments[0] = {
      .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = all, .p_memsz = all, .p_align = kPage};
  header.segments[1] = {.p_type = PT_DYNAMIC,
                        .p_flags = PF_R | PF_W,
                        .p_offset = dynamic_at,
                        .p_vaddr = dynamic_at,
                        .p_paddr = dynamic_at,
                        .p_filesz = dynamic_bytes,
                        .p_memsz = dynamic_bytes,
                        .p_align = alignof(ElfW(Dyn))};
  // Without it the linker would make all stacks executable.
  header.segments[2] = {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
  return header;
}

}  // namespace

std::string carrier_bytes(const std::vector<std::string>& needed) {
  std::string strings(1, '\0');
  std::vector<ElfW(Dyn)> dynamic;
  for (const std::string& name : needed) {
    dynamic.push_back({.d_tag = DT_NEEDED, .d_un = {.d_val = strings.size()}});
    strings += name;
    strings += '\0';
  }
  constexpr std::size_t kFixedEntries = 6;
  const std::size_t dynamic_at = sizeof(Header);
  const std::size_t dynamic_bytes = (dynamic.size() + kFixedEntries) * sizeof(ElfW(Dyn));
  const std::size_t tables_at = dynamic_at + dynamic_bytes;
  const std::size_t strings_at = tables_at + sizeof(Tables);
  dynamic.push_back({.d_tag = DT_HASH, .d_un = {.d_ptr = tables_at + offsetof(Tables, hash)}});
  dynamic.push_back({.d_tag = DT_SYMTAB, .d_un = {.d_ptr = tables_at + offsetof(Tables, symbols)}});
  dynamic.push_back({.d_tag = DT_STRTAB, .d_un = {.d_ptr = strings_at}});
  dynamic.push_back({.d_tag = DT_STRSZ, .d_un = {.d_val = strings.size()}});
  dynamic.push_back({.d_tag = DT_SYMENT, .d_un = {.d_val = sizeof(ElfW(Sym))}});
  dynamic.push_back({.d_tag = DT_NULL, .d_un = {.d_val = 0}});

  std::string bytes(strings_at + strings.size(), '\0');
  put(&bytes, 0, header_of(bytes.size(), dynamic_at, dynamic_bytes));
  std::memcpy(bytes.data() + dynamic_at, dynamic.data(), dynamic_bytes);
  put(&bytes, tables_at, Tables{});
  std::memcpy(bytes.data() + strings_at, strings.data(), strings.size());
  return bytes;
}

}  // namespace heddle::image
