#include "exec/image/plan/file_copy.h"

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/platform/memory.h"
#include "exec/image/file/elf_edit.h"
#include "exec/image/file/spelling.h"

namespace heddle::image {

namespace {

constexpr std::size_t kMarkLength = 3;  // replaces the "lib" of a soname

// Three characters that no other copy has and that do not spell "lib".
std::string mark_for(std::uint64_t number) {
  constexpr char kAlphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-abcdefghijkmnopqrstuvwxyz";
  constexpr std::size_t kLetters = sizeof kAlphabet - 1;  // there is no 'l'
  std::string mark;
  for (std::size_t i = 0; i < kMarkLength; ++i, number /= kLetters) {
    mark += kAlphabet[number % kLetters];
  }
  return mark;
}

// Runs of whole pages in [begin, end) of the file that nothing else than this segment maps.
struct Pages {
  std::size_t begin;
  std::size_t end;
};

Pages own_pages(const ElfW(Phdr) & segment) noexcept {
  const std::size_t page = platform::page_size();
  return {platform::round_up(segment.p_offset, page),
          (segment.p_offset + segment.p_filesz) & ~(page - 1)};
}

}  // namespace

Error FileCopies::make(const Plan& plan, std::uint64_t number) {
  const std::string mark = mark_for(number);
  for (const PlannedFile& planned : plan.files) {
    if (!planned.is_private) {
      needed_.push_back(planned.name);
      continue;
    }
    Copy copy;
    copy.original = planned.edited ? planned.edited.path() : planned.path;
    copy.bytes = read_file(copy.original);
    for (const PlannedFile& other : plan.files) {
      if (other.is_private && other.soname.size() > kMarkLength) {
        mark_name(&copy.bytes, other.soname, mark);
      }
    }
    copy.file = MemoryFile::make("heddle-image", copy.bytes);
    if (!copy.file) {
      return Error::make(MPI_ERR_NO_MEM, "no memory for copy %llu of %s",
                         static_cast<unsigned long long>(number), planned.path.c_str());
    }
    copy.loaded = spelled(copy.file.path(), number);
    needed_.push_back(copy.loaded);
    copies_.push_back(std::move(copy));
  }
  return {};
}

void FileCopies::share_unwritten_pages(const link_map* root) noexcept {
  for (const link_map* map = root; map != nullptr; map = map->l_next) {
    for (const Copy& copy : copies_) {
      if (copy.loaded == map->l_name) share_pages(copy, map);
    }
  }
}

void FileCopies::share_pages(const Copy& copy, const link_map* map) noexcept {
  const int original = ::open(copy.original.c_str(), O_RDONLY | O_CLOEXEC);
  if (original < 0) return;
  const std::string bytes = read_file(copy.original);
  const std::size_t page = platform::page_size();
  ElfW(Ehdr) header;
  std::memcpy(&header, copy.bytes.data(), sizeof header);

  for (std::size_t i = 0; i < header.e_phnum && bytes.size() == copy.bytes.size(); ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, copy.bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const int protection = PROT_READ | ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    const Pages pages = own_pages(segment);

    for (std::size_t at = pages.begin; at < pages.end;) {
      std::size_t end = at;  // of the run of pages that were not edited
      while (end < pages.end && std::memcmp(&bytes[end], &copy.bytes[end], page) == 0) end += page;
      void* where =
          reinterpret_cast<void*>(map->l_addr + segment.p_vaddr + (at - segment.p_offset));
      if (end > at && ::mmap(where, end - at, protection, MAP_PRIVATE | MAP_FIXED, original,
                             static_cast<off_t>(at)) == where) {
        ::fallocate(copy.file.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(at), static_cast<off_t>(end - at));
      }
      at = end + page;
    }
  }
  ::close(original);
}

}  // namespace heddle::image
