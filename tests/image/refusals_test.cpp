// What cannot run as threads is refused with one sentence that says why.
#include <gmock/gmock.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "tests/image/open_image.h"

namespace heddle::image {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& path, int* error_class = nullptr) {
  Program program;
  Error error = Program::inspect(path.c_str(), &program);
  if (!error) return "accepted";
  if (error_class != nullptr) *error_class = error.error_class();
  EXPECT_EQ(error.text().find('\n'), std::string_view::npos);
  return std::string(error.text());
}

// The file's name is its own: another user's of that name could not be written.
std::string refusal_of(const std::string& contents, mode_t mode) {
  std::string path = testing::TempDir() + "heddle_refusal_XXXXXX";
  const int file = ::mkstemp(path.data());
  EXPECT_GE(file, 0) << path;
  EXPECT_TRUE(std::ofstream(path, std::ios::binary) << contents << std::flush);
  EXPECT_EQ(::fchmod(file, mode), 0);
  ::close(file);
  std::string text = refusal(path);
  ::unlink(path.c_str());
  return text;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Refusals, NameTheCause) {
  int error_class = 0;
  EXPECT_THAT(refusal("/no/such/program", &error_class), HasSubstr("no such file"));
  EXPECT_EQ(error_class, MPI_ERR_NO_SUCH_FILE);
  EXPECT_THAT(refusal("/"), HasSubstr("a directory"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal_of("words", 0644), HasSubstr("not executable"));
  EXPECT_THAT(refusal_of("words", 0755), HasSubstr("not an ELF program"));
  EXPECT_THAT(refusal_of("", 0755), HasSubstr("not an ELF program"));
  EXPECT_THAT(refusal_of("#!/bin/sh\n", 0755), HasSubstr("script"));
  EXPECT_THAT(refusal(program_path("plain")), HasSubstr("was not linked by Heddle's mpicc"));
  EXPECT_THAT(refusal(program_path("plain_static")), HasSubstr("statically linked"));
  EXPECT_THAT(refusal(program_path("libapplication.so")), HasSubstr("shared library"));
  EXPECT_EQ(refusal(program_path("globals")), "accepted");
}

TEST(Refusals, SurviveDamagedFiles) {
  const std::string good = bytes_of(program_path("globals"));
  std::string other_machine = good;
  other_machine[18] = 8;  // e_machine: MIPS
  EXPECT_THAT(refusal_of(other_machine, 0755), HasSubstr("another machine"));
  std::string narrow = good;
  narrow[4] = 1;  // 32 bits
  EXPECT_THAT(refusal_of(narrow, 0755), HasSubstr("another machine"));
  EXPECT_THAT(refusal_of(good.substr(0, 40), 0755), HasSubstr("damaged"));
  for (std::size_t size : {1024, 2048, 3072, 4096}) {
    EXPECT_THAT(refusal_of(good.substr(0, size), 0755), HasSubstr("cut off")) << size;
  }
  std::srand(4711);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 8; ++k)
      bytes[static_cast<std::size_t>(std::rand()) % 1024] ^= char(1 << (std::rand() % 8));
    refusal_of(bytes, 0755);  // must not crash
  }
}

TEST(Refusals, AMissingLibraryIsNamed) {
  for (Method method : {Method::hide, Method::copy}) {
    configure({.method = method});
    Program program;
    ASSERT_FALSE(Program::inspect(program_path("needs_missing").c_str(), &program));
    std::unique_ptr<Image> image;
    Error error = Image::open(program, &image);
    ASSERT_TRUE(error);
    EXPECT_THAT(std::string(error.text()), HasSubstr("libgone.so"));
    EXPECT_EQ(image, nullptr);
  }
}

// As it is after a copy for which the disk was too small. The dynamic linker dies of SIGBUS.
TEST(Refusals, ALibraryThatIsCutOffIsASentence) {
  char directory[] = "/tmp/heddle_cut_XXXXXX";
  ASSERT_NE(::mkdtemp(directory), nullptr);
  const std::string folder = std::string(directory) + "/";
  const auto copy = [&folder](const char* name, std::size_t size) {
    std::ofstream(folder + name, std::ios::binary) << bytes_of(program_path(name)).substr(0, size);
    ::chmod((folder + name).c_str(), 0755);
  };
  copy("with_library", std::string::npos);  // it looks for its library beside itself
  copy("libapplication.so", 4096);
  Program program;
  EXPECT_FALSE(Program::inspect((folder + "with_library").c_str(), &program));
  for (Method method : {Method::hide, Method::copy}) {
    configure({.method = method});
    std::unique_ptr<Image> image;
    const Error error = Image::open(program, &image);
    ASSERT_TRUE(error);
    EXPECT_THAT(std::string(error.text()),
                testing::AnyOf(HasSubstr("damaged"), HasSubstr("cut off")));
  }
  ::unlink((folder + "with_library").c_str());
  ::unlink((folder + "libapplication.so").c_str());
  ::rmdir(directory);
}

TEST(Refusals, RunningOutOfMemoryIsASentenceAndNotTheEnd) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer needs memory of its own";
#endif
  configure({.method = Method::hide});
  Program program;
  ASSERT_FALSE(Program::inspect(program_path("globals").c_str(), &program));
  std::vector<std::unique_ptr<Image>> images;
  images.reserve(100000);
  rlimit before;
  ::getrlimit(RLIMIT_AS, &before);
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  rlimit tight = before;
  tight.rlim_cur = pages * 4096 + (4 << 20);
  ::setrlimit(RLIMIT_AS, &tight);
  std::string text;
  while (text.empty() && images.size() < 100000) {
    std::unique_ptr<Image> image;
    if (Error error = Image::open(program, &image)) {
      text = error.text();
    } else {
      images.push_back(std::move(image));
    }
  }
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_THAT(text, HasSubstr("memory"));
  EXPECT_GT(images.size(), 0u);
  images.clear();
  EXPECT_NE(open_image("globals"), nullptr);
}

}  // namespace
}  // namespace heddle::image
