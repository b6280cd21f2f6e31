// What a program needs, judged by the files themselves: what each one asks for is in the list, once.
#include "exec/image/plan/closure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exec/image/file/elf_edit.h"
#include "tests/image/open_image.h"

namespace heddle::image {
namespace {

// `needed` is what the program itself asks for, without the dynamic linker, which is in no list.
std::vector<NeededFile> closure_of(const std::string& name, std::vector<std::string>* needed) {
  Program program;
  std::vector<NeededFile> files;
  if (Error e = Program::inspect(program_path(name).c_str(), &program)) {
    ADD_FAILURE() << e.text();
  } else if (Error e2 = find_closure(program, &files)) {
    ADD_FAILURE() << e2.text();
  }
  *needed = program.needed();
  const auto is_linker = [](const std::string& file) { return file.find("ld-linux") == 0; };
  needed->erase(std::remove_if(needed->begin(), needed->end(), is_linker), needed->end());
  return files;
}

long count_of(const std::vector<NeededFile>& files, const std::string& name) {
  return std::count_if(files.begin(), files.end(),
                       [&](const NeededFile& file) { return file.name == name; });
}

TEST(Closure, HoldsWhatTheProgramAsksForOnceAndInItsOrder) {
  std::vector<std::string> needed;
  const std::vector<NeededFile> files = closure_of("with_library", &needed);
  ASSERT_GE(needed.size(), 3u);  // the library, MPI, libc
  ASSERT_GE(files.size(), needed.size());
  for (std::size_t i = 0; i < needed.size(); ++i) EXPECT_EQ(files[i].name, needed[i]);
  for (const std::string& name : needed) EXPECT_EQ(count_of(files, name), 1) << name;
}

TEST(Closure, HoldsWhatTheLibrariesAskForInTurn) {
  std::vector<std::string> needed;
  const std::vector<NeededFile> files = closure_of("with_library", &needed);
  EXPECT_EQ(std::count(needed.begin(), needed.end(), "libneeded_by_mpi.so"), 0);
  EXPECT_EQ(count_of(files, "libneeded_by_mpi.so"), 1);
}

TEST(Closure, NamesFilesThatAnswerToTheirNames) {
  std::vector<std::string> needed;
  for (const NeededFile& file : closure_of("with_library", &needed)) {
    EXPECT_EQ(file.path.front(), '/') << file.name;
    const std::string soname = soname_of(read_file(file.path));
    EXPECT_TRUE(soname.empty() || soname == file.name) << file.path << " is " << soname;
  }
}

}  // namespace
}  // namespace heddle::image
