#include "launch/mpiexec/program_kind.h"

#include <elf.h>

#include <cstdint>
#include <iostream>
#include <string>

#include "exec/image/file/elf_reader.h"
#include "launch/mpiexec/program_file.h"

namespace heddle::launch {

namespace {

// As a sentence without its end; empty if the ranks of the program can be threads.
std::string reason_of(const Section& section) {
  image::ElfReader file;
  if (!file.open(find_program(section).c_str())) return "";
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
  if (line.ranks_as != RanksAs::kBest) return line.ranks_as == RanksAs::kProcesses;
  const std::string reason = reason_for_processes(line);
  if (reason.empty()) return false;
  std::cerr << "mpiexec: ranks are processes, because " << reason
            << " (--ranks-as processes says so without this line)\n";
  return true;
}

}  // namespace heddle::launch
