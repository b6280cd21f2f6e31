// elf_reader.h — the few facts of an ELF file that the loader asks for, read without mapping it.
//
// Thread safety: a reader belongs to one thread.

#pragma once

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "exec/image/code_range.h"

namespace heddle::image {

class ElfReader {
 public:
  ElfReader() = default;
  ElfReader(ElfReader&&) = delete;
  ~ElfReader();

  // Returns false, with errno set, if the file cannot be opened.
  bool open(const char* path);

  const struct stat& status() const noexcept { return status_; }
  int descriptor() const noexcept { return descriptor_; }

  // The first bytes of the file, at most `bytes`. A refusal tells from them what kind of file it
  // is.
  std::string first_bytes(std::size_t bytes) const;

  // Reads the headers. Returns false if this is no whole ELF file of our word size.
  bool read_headers();

  // After read_headers():
  // Returns false if the file ends before its segments do. A process that maps it dies of SIGBUS.
  bool has_all_segments() const noexcept;
  const ElfW(Ehdr) & header() const noexcept { return header_; }
  const std::vector<ElfW(Phdr)>& segments() const noexcept { return segments_; }
  bool has_segment(std::uint32_t type) const noexcept;
  // True if PT_GNU_STACK says so, or if there is none, as the dynamic linker has it.
  bool wants_executable_stacks() const noexcept;

  // Where the code lies: from the first executable segment to the end of the last.
  CodeRange code() const noexcept;

  // The address of the note's description, or 0; `words` receives its first two words.
  std::uintptr_t find_note(const char* name, std::uint32_t type, std::uint32_t (&words)[2]) const;

  // The program of PT_INTERP, or an empty text.
  std::string interpreter() const;

  // The strings of all DT_<tag> entries, in the file's order.
  std::vector<std::string> dynamic_strings(std::int64_t tag) const;

 private:
  bool read_at(std::uint64_t offset, void* to, std::size_t bytes) const;
  bool read_address(std::uintptr_t address, void* to, std::size_t bytes) const;
  std::string string_at(std::uintptr_t address) const;

  int descriptor_ = -1;
  struct stat status_ {};
  ElfW(Ehdr) header_{};
  std::vector<ElfW(Phdr)> segments_;
};

// The code range of a file; empty if the file cannot be read.
CodeRange code_of(const std::string& path);

// Fails with a sentence about `path` if it is an ELF file that has been cut off.
Error check_whole(const std::string& path);

}  // namespace heddle::image
