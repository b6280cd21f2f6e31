#include "exec/image/program.h"

#include <mpi.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "exec/image/file/elf_reader.h"

namespace heddle::image {

namespace {
constexpr char kNoteName[] = "Heddle";
constexpr std::uint32_t kNoteType = 1;
constexpr std::uint32_t kNoteVersion = 1;

// The ELF machine number of this process: the dynamic linker's own.
int this_machine() noexcept {
  const auto* linker = reinterpret_cast<const ElfW(Ehdr)*>(::getauxval(AT_BASE));
  return linker != nullptr ? linker->e_machine : EM_NONE;
}

Error cannot_open(const char* path, int cause) {
  if (cause == ENOENT || cause == ENOTDIR) {
    return Error::make(MPI_ERR_NO_SUCH_FILE, "cannot run %s: no such file", path);
  }
  return Error::make(MPI_ERR_ACCESS, "cannot run %s: %s", path, std::strerror(cause));
}

// A file that is no ELF program: a script, or anything else.
Error not_elf(const char* path, const std::string& first) {
  if (first.compare(0, 2, "#!") == 0) {
    return Error::make(
        MPI_ERR_UNSUPPORTED_OPERATION,
        "cannot run %s: it is a script, and ranks that run as threads need a program "
        "linked by Heddle's mpicc; --ranks-as processes runs scripts",
        path);
  }
  return Error::make(MPI_ERR_BAD_FILE, "cannot run %s: it is not an ELF program", path);
}

// An ELF program whose ranks cannot run as threads; says why.
Error refuse(const char* path, const ElfReader& file) {
  const ElfW(Ehdr)& header = file.header();
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    return Error::make(
        MPI_ERR_BAD_FILE,
        "cannot run %s: it is an ELF file, but not a program (an object or core file)", path);
  }
  if (!file.has_segment(PT_INTERP)) {
    const bool library = file.has_segment(PT_DYNAMIC) && header.e_entry == 0;
    return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                       library ? "cannot run %s: it is a shared library"
                               : "cannot run %s: it is statically linked, and ranks that run as "
                                 "threads need a dynamic program; relink it with Heddle's mpicc "
                                 "and without -static",
                       path);
  }
  return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                     "cannot run the ranks of %s as threads: it was not linked by Heddle's mpicc; "
                     "relink it with mpicc or use --ranks-as processes",
                     path);
}
}  // namespace

Error Program::inspect(const char* path, Program* out) {
  char* absolute = ::realpath(path, nullptr);
  if (absolute == nullptr) return cannot_open(path, errno);
  Program program;
  program.path_ = absolute;
  std::free(absolute);

  ElfReader file;
  if (!file.open(program.path_.c_str())) return cannot_open(path, errno);
  if (!S_ISREG(file.status().st_mode)) {
    return Error::make(MPI_ERR_BAD_FILE, "cannot run %s: it is %s", path,
                       S_ISDIR(file.status().st_mode) ? "a directory" : "not a regular file");
  }
  if (::access(program.path_.c_str(), X_OK) != 0) {
    return Error::make(MPI_ERR_ACCESS, "cannot run %s: it is not executable (chmod +x)", path);
  }
  const std::string first = file.first_bytes(EI_NIDENT);
  if (first.compare(0, SELFMAG, ELFMAG) != 0) return not_elf(path, first);
  if (first.size() < EI_NIDENT || first[EI_CLASS] != ELFCLASS64 || first[EI_DATA] != ELFDATA2LSB) {
    return Error::make(MPI_ERR_BAD_FILE,
                       "cannot run %s: it was built for another machine (not 64-bit little-endian)",
                       path);
  }
  if (!file.read_headers()) {
    return Error::make(MPI_ERR_BAD_FILE, "cannot run %s: its ELF headers are damaged", path);
  }
  if (Error e = check_whole(program.path_)) return e;
  if (file.header().e_machine != this_machine()) {
    return Error::make(
        MPI_ERR_BAD_FILE,
        "cannot run %s: it was built for another machine (ELF machine %d, this is %d)", path,
        file.header().e_machine, this_machine());
  }

  std::uint32_t words[2];
  const std::uintptr_t note = file.find_note(kNoteName, kNoteType, words);
  if (note == 0) return refuse(path, file);
  if (words[0] != kNoteVersion) {
    return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                       "cannot run %s: it was linked by another version of Heddle's mpicc (note "
                       "version %u, this is %u); relink it",
                       path, words[0], kNoteVersion);
  }
  program.entry_ =
      note + sizeof words[0] + static_cast<std::uintptr_t>(static_cast<std::int32_t>(words[1]));
  program.device_ = file.status().st_dev;
  program.inode_ = file.status().st_ino;
  program.interpreter_ = file.interpreter();
  program.needed_ = file.dynamic_strings(DT_NEEDED);
  program.search_paths_ = file.dynamic_strings(DT_RUNPATH);
  for (std::string& path : file.dynamic_strings(DT_RPATH)) program.search_paths_.push_back(path);
  *out = std::move(program);
  return {};
}

}  // namespace heddle::image
