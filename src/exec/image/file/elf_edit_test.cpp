// The judge is the dynamic linker: it loads the edited files.
#include "exec/image/file/elf_edit.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "exec/image/file/float_flags.h"

namespace heddle::image {
namespace {

std::string sample() {
  return read_file(SAMPLE);
}

// The bytes as a loaded library. Its file stays open: the dynamic linker takes one path for one library.
void* load(const std::string& bytes) {
  const int file = memfd_create("elf_edit_test", MFD_CLOEXEC);
  EXPECT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return library;
}

int add(void* library, int by) {
  return reinterpret_cast<int (*)(int)>(dlsym(library, "sample_add"))(by);
}

TEST(ElfEdit, ReadFileOfAMissingFileIsEmpty) {
  EXPECT_EQ(read_file("/nonexistent/file"), "");
  EXPECT_EQ(sample().substr(0, 4),
            "\x7f"
            "ELF");
}

TEST(ElfEdit, ReadsTheSoname) {
  EXPECT_EQ(soname_of(sample()), "libelf_edit_sample.so.7");
  EXPECT_EQ(soname_of(""), "");
  EXPECT_EQ(soname_of("no ELF file at all"), "");
}

TEST(ElfEdit, DefinesWhatOthersMayCallOnly) {
  EXPECT_TRUE(defines_function(sample(), "sample_add"));
  EXPECT_FALSE(defines_function(sample(), "sample_ad"));
  EXPECT_FALSE(defines_function(sample(), "add_inside"));
  EXPECT_FALSE(defines_function(sample(), "puts"));
}

TEST(ElfEdit, CopiesShareAUniqueSymbolUntilItIsMadeGlobal) {
  std::string bytes = sample();
  ASSERT_TRUE(has_unique_symbols(bytes));
  void* const shares = load(bytes);
  void* const too = load(bytes);
  EXPECT_EQ(add(shares, 1), 1);
  EXPECT_EQ(add(too, 1), 2);  // what decision 25 is about

  make_unique_symbols_global(&bytes);
  EXPECT_FALSE(has_unique_symbols(bytes));
  EXPECT_EQ(bytes.size(), sample().size());
  void* const own = load(bytes);
  void* const other = load(bytes);
  EXPECT_EQ(add(own, 10), 10);
  EXPECT_EQ(add(other, 20), 20);
  EXPECT_EQ(dlclose(own), 0);
  EXPECT_EQ(dlclose(other), 0);
}

TEST(ElfEdit, AMarkedNameIsAnotherSonameOfTheSameLength) {
  std::string bytes = sample();
  mark_name(&bytes, "libelf_edit_sample.so.7", "000123");
  EXPECT_EQ(bytes.size(), sample().size());
  EXPECT_EQ(soname_of(bytes), "000123_edit_sample.so.7");
  EXPECT_GT(add(load(bytes), 5), 0);
}

TEST(ElfEdit, AFileReadsFloatFlagsIfATableOfNamesSaysSo) {
  const std::string name("\0fegetenv\0", 10);
  EXPECT_FALSE(reads_float_flags(sample()));
  EXPECT_FALSE(reads_float_flags(sample() + name));  // in no table: debug information may be long
  std::string bytes = sample();
  const std::size_t at = bytes.find(std::string("\0sample_add\0", 12));
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, name.size(), name);
  EXPECT_TRUE(reads_float_flags(bytes));
}

TEST(ElfEdit, BytesThatAreCutOffAreNoLibraryAndNoCrash) {
  const std::string whole = sample();
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    std::string bytes = whole.substr(0, size);
    has_unique_symbols(bytes);
    defines_function(bytes, "sample_add");
    soname_of(bytes);
    make_unique_symbols_global(&bytes);
    reads_float_flags(bytes);
    EXPECT_EQ(bytes.size(), size);
  }
}

}  // namespace
}  // namespace heddle::image
