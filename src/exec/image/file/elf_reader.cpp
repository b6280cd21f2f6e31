#include "exec/image/file/elf_reader.h"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace heddle::image {

namespace {
constexpr std::size_t kMostSegments = 512;
constexpr std::size_t kMostNoteBytes = 1 << 20;
constexpr std::size_t kMostDynamicBytes = 1 << 20;

constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + 3) & ~std::size_t{3};
}
}  // namespace

ElfReader::~ElfReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ElfReader::open(const char* path) {
  descriptor_ = ::open(path, O_RDONLY | O_CLOEXEC);
  return descriptor_ >= 0 && ::fstat(descriptor_, &status_) == 0;
}

std::string ElfReader::first_bytes(std::size_t bytes) const {
  std::string text(bytes, '\0');
  const ssize_t got = ::pread(descriptor_, text.data(), bytes, 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

bool ElfReader::read_headers() {
  if (!read_at(0, &header_, sizeof header_)) return false;
  if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header_.e_phentsize != sizeof(ElfW(Phdr)) || header_.e_phnum > kMostSegments) return false;
  segments_.resize(header_.e_phnum);
  return read_at(header_.e_phoff, segments_.data(), segments_.size() * sizeof(ElfW(Phdr)));
}

bool ElfReader::has_segment(std::uint32_t type) const noexcept {
  for (const ElfW(Phdr) & segment : segments_) {
    if (segment.p_type == type) return true;
  }
  return false;
}

bool ElfReader::wants_executable_stacks() const noexcept {
  for (const ElfW(Phdr) & segment : segments_) {
    if (segment.p_type == PT_GNU_STACK) return (segment.p_flags & PF_X) != 0;
  }
  return true;
}

bool ElfReader::has_all_segments() const noexcept {
  const auto size = static_cast<std::uint64_t>(status_.st_size);
  for (const ElfW(Phdr) & segment : segments_) {
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) return false;
  }
  return true;
}

CodeRange ElfReader::code() const noexcept {
  CodeRange range;
  for (const ElfW(Phdr) & segment : segments_) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    if (range.end == 0) range.begin = segment.p_vaddr;
    range.end = segment.p_vaddr + segment.p_memsz;
  }
  return range;
}

std::uintptr_t ElfReader::find_note(const char* name, std::uint32_t type,
                                    std::uint32_t (&words)[2]) const {
  for (const ElfW(Phdr) & segment : segments_) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
    std::string notes(segment.p_filesz, '\0');
    if (!read_at(segment.p_offset, notes.data(), notes.size())) continue;

    for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= notes.size();) {
      ElfW(Nhdr) note;
      std::memcpy(&note, notes.data() + at, sizeof note);
      const std::size_t name_at = at + sizeof note;
      const std::size_t body_at = name_at + padded(note.n_namesz);
      if (body_at + note.n_descsz > notes.size()) break;
      if (note.n_type == type && note.n_descsz >= sizeof words &&
          note.n_namesz == std::strlen(name) + 1 &&
          std::memcmp(notes.data() + name_at, name, note.n_namesz) == 0) {
        std::memcpy(words, notes.data() + body_at, sizeof words);
        return segment.p_vaddr + body_at;
      }
      at = body_at + padded(note.n_descsz);
    }
  }
  return 0;
}

std::string ElfReader::interpreter() const {
  for (const ElfW(Phdr) & segment : segments_) {
    if (segment.p_type == PT_INTERP) return string_at(segment.p_vaddr);
  }
  return {};
}

std::vector<std::string> ElfReader::dynamic_strings(std::int64_t tag) const {
  std::vector<std::string> found;
  for (const ElfW(Phdr) & segment : segments_) {
    if (segment.p_type != PT_DYNAMIC || segment.p_filesz > kMostDynamicBytes) continue;
    std::vector<ElfW(Dyn)> entries(segment.p_filesz / sizeof(ElfW(Dyn)));
    if (!read_at(segment.p_offset, entries.data(), entries.size() * sizeof(ElfW(Dyn)))) continue;

    std::uintptr_t strings = 0;
    for (const ElfW(Dyn) & entry : entries) {
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
    }
    for (const ElfW(Dyn) & entry : entries) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == tag) found.push_back(string_at(strings + entry.d_un.d_val));
    }
  }
  return found;
}

bool ElfReader::read_at(std::uint64_t offset, void* to, std::size_t bytes) const {
  return ::pread(descriptor_, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

bool ElfReader::read_address(std::uintptr_t address, void* to, std::size_t bytes) const {
  for (const ElfW(Phdr) & segment : segments_) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address + bytes <= segment.p_vaddr + segment.p_filesz) {
      return read_at(segment.p_offset + (address - segment.p_vaddr), to, bytes);
    }
  }
  return false;
}

std::string ElfReader::string_at(std::uintptr_t address) const {
  std::string text;
  for (char next; read_address(address++, &next, 1) && next != '\0';) text.push_back(next);
  return text;
}

CodeRange code_of(const std::string& path) {
  ElfReader file;
  return file.open(path.c_str()) && file.read_headers() ? file.code() : CodeRange();
}

Error check_whole(const std::string& path) {
  ElfReader file;
  if (!file.open(path.c_str()) || !file.read_headers() || file.has_all_segments()) return {};
  return Error::make(
      MPI_ERR_BAD_FILE,
      "cannot load %s: the file is cut off, it ends after %lld bytes; link or copy it "
      "again",
      path.c_str(), static_cast<long long>(file.status().st_size));
}

}  // namespace heddle::image
