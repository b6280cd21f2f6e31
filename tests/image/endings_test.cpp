// The destructor functions of an image and its libraries run once, in the order of a process's.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "exec/image/plugins.h"
#include "exec/rank/rank.h"
#include "tests/image/open_image.h"

namespace heddle::image {
namespace {

enum class Plugin { kNone, kOpened };
constexpr char kPlugin[] = PROGRAMS "/libendings_q.so";

// What a child process that does `work` and then exits leaves in $ENDINGS.
template <class Work>
std::string endings_of(Work work) {
  const std::string path = testing::TempDir() + "endings" + std::to_string(::getpid());
  std::ofstream(path).close();
  ::setenv("ENDINGS", path.c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  std::ifstream file(path);
  const std::string noted((std::istreambuf_iterator<char>(file)), {});
  std::remove(path.c_str());
  return noted;
}

// The oracle: the same files as a process of their own.
std::string endings_of_a_process(Plugin plugin) {
  return endings_of([plugin] {
    const std::string program = program_path("endings_plain");
    ::execl(program.c_str(), program.c_str(), plugin == Plugin::kOpened ? kPlugin : nullptr,
            nullptr);
    std::_Exit(127);
  });
}

template <class End>
std::string endings_of_an_image(Plugin plugin, End end) {
  return endings_of([&] {
    Rank rank(0);
    Rank::enter(&rank);
    std::unique_ptr<Image> image = open_image("endings");
    if (image == nullptr) std::_Exit(1);
    if (plugin == Plugin::kOpened && open_for_current(kPlugin, RTLD_NOW) == nullptr) std::_Exit(2);
    end(std::move(image));
    if (current() != nullptr) std::_Exit(3);
    Rank::enter(nullptr);
  });
}

using EndingsTest = BothMethods;
INSTANTIATE_TEST_SUITE_P(Methods, EndingsTest, testing::Values(Method::hide, Method::copy),
                         method_name);

TEST_P(EndingsTest, AreThoseOfAProcessWhetherAnImageIsUnloadedOrRetired) {
  const std::string expected = endings_of_a_process(Plugin::kNone);
  EXPECT_EQ(expected, "cbpPBC");
  EXPECT_EQ(endings_of_an_image(Plugin::kNone, &Image::retire), expected);
  EXPECT_EQ(endings_of_an_image(Plugin::kNone, [](auto image) { image.reset(); }), expected);
}

// Method::copy knows no plugins of the rank's own.
TEST(Endings, OfPluginsComeAfterTheProgramsButBeforeThoseThatTheyNeed) {
  configure({.method = Method::hide});
  const std::string expected = endings_of_a_process(Plugin::kOpened);
  EXPECT_EQ(expected, "cbpdqPQBCD");
  EXPECT_EQ(endings_of_an_image(Plugin::kOpened, &Image::retire), expected);
}

TEST(Endings, OfAPluginThatTheProgramClosedAreNotRepeated) {
  configure({.method = Method::hide});
  const std::string noted = endings_of_an_image(Plugin::kOpened, [](auto image) {
    close_for_current(open_for_current(kPlugin, RTLD_NOW));  // opened twice, so it stays
    Image::retire(std::move(image));
  });
  EXPECT_EQ(noted, "cbpdqPQBCD");
  const std::string closed = endings_of_an_image(Plugin::kNone, [](auto image) {
    close_for_current(open_for_current(kPlugin, RTLD_NOW));
    Image::retire(std::move(image));
  });
  EXPECT_EQ(closed, "cbpdqQDPBC");
}

}  // namespace
}  // namespace heddle::image
