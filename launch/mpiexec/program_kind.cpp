#include "launch/mpiexec/program_kind.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "exec/image/file/elf_reader.h"
#include "exec/image/file/needed.h"
#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/program_file.h"

namespace heddle::launch {

namespace {

// The library of another MPI among those that a program needs; empty: none.
std::string library_of_another(const image::ElfReader& file, const std::string& program) {
  constexpr std::string_view kBegins[] = {"libmpi.so", "libmpich.so", "libmpi_mt.so"};
  if (!file.has_segment(PT_INTERP)) return "";
  std::vector<image::NeededFile> needed;
  image::list_needed(file.interpreter(), program, "", &needed);
  for (const std::string& own : file.dynamic_strings(DT_NEEDED)) needed.push_back({own, ""});
  for (const image::NeededFile& each : needed) {
    const std::string_view name = each.name;
    const bool found = std::any_of(std::begin(kBegins), std::end(kBegins),
                                   [&](std::string_view begin) { return name.starts_with(begin); });
    if (found) return each.name;
  }
  return "";
}

// The reason as a sentence without its end; empty if the ranks of the program can be threads.
std::string reason_of(const Section& section) {
  image::ElfReader file;
  const std::string path = find_program(section);
  if (!file.open(path.c_str())) return "";
  const std::string& name = section.command[0];
  if (file.first_bytes(2) == "#!") return "'" + name + "' is a script";
  const std::string first = file.first_bytes(EI_NIDENT);
  const bool of_this_kind = first.size() == EI_NIDENT && first.compare(0, SELFMAG, ELFMAG) == 0 &&
                            first[EI_CLASS] == ELFCLASS64 && first[EI_DATA] == ELFDATA2LSB;
  if (!of_this_kind || !file.read_headers()) return "";
  const bool library =
      file.header().e_type == ET_DYN && !file.has_segment(PT_INTERP) && file.header().e_entry == 0;
  if (library || (file.header().e_type != ET_EXEC && file.header().e_type != ET_DYN)) return "";
  std::uint32_t words[2];
  if (file.find_note("Heddle", 1, words) != 0) return "";
  const std::string other = library_of_another(file, path);
  if (!other.empty()) {
    fail_usage("'" + name + "' was linked with another MPI (it needs " + other +
               "), so each rank would be a job of its own; link it by Heddle's mpicc, or use that "
               "MPI's mpiexec");
  }
  return "'" + name + "' was not linked by Heddle's mpicc";
}

std::string reason_for_processes(const CommandLine& line) {
  for (const Section& section : line.sections) {
    std::string reason = reason_of(section);
    if (!reason.empty()) return reason;
  }
  return "";
}

}  // namespace

bool ranks_are_processes(const CommandLine& line) {
  if (line.ranks_as == RanksAs::kThreads) return false;  // heddle-host looks at the programs
  const std::string reason = reason_for_processes(line);
  if (line.ranks_as == RanksAs::kProcesses) return true;
  if (reason.empty()) return false;
  std::cerr << "mpiexec: ranks are processes, because " << reason
            << " (--ranks-as processes says so without this line)\n";
  return true;
}

}  // namespace heddle::launch
