#include "launch/host/preload.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace heddle::launch {

namespace {
constexpr char kPreload[] = "LD_PRELOAD";
}

void begin_again_with(const char* allocator, char** argv) {
  const char* others = std::getenv(kPreload);
  const std::string before = others != nullptr ? others : "";
  const std::string all = allocator + (before.empty() ? "" : ":" + before);
  std::string word = std::string("allocator=") + allocator;
  std::vector<char*> words{argv[0], word.data()};
  for (char** rest = argv + 1; *rest != nullptr; ++rest) words.push_back(*rest);
  words.push_back(nullptr);
  setenv(kPreload, all.c_str(), 1);
  execv(argv[0], words.data());
  forget_preload(allocator);
}

void forget_preload(const char* allocator) {
  const char* now = std::getenv(kPreload);
  const std::string all = now != nullptr ? now : "";
  const std::string ours = allocator;
  if (all == ours) {
    unsetenv(kPreload);
  } else if (all.compare(0, ours.size() + 1, ours + ":") == 0) {
    setenv(kPreload, all.substr(ours.size() + 1).c_str(), 1);
  }
}

}  // namespace heddle::launch
