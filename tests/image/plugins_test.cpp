// dlopen by a rank's program: plugins are the rank's own.
#include "exec/image/plugins.h"

#include <dlfcn.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "exec/rank/rank.h"
#include "tests/image/open_image.h"

namespace heddle::image {
namespace {

// Runs `body` as rank `number`, with an image of the program that uses plugins.
template <class Body>
void as_rank(int number, Body body) {
  std::thread([&] {
    Rank rank(number);
    Rank::enter(&rank);
    {
      const auto image = open_image("plugin_user");
      ASSERT_NE(image, nullptr);
      EXPECT_EQ(current(), image.get());
      body(*image);
    }
    EXPECT_EQ(current(), nullptr);
    Rank::enter(nullptr);
  }).join();
}

template <class Result>
Result* call(void* handle, const char* name) {
  auto* function = reinterpret_cast<Result* (*)()>(::dlsym(handle, name));
  EXPECT_NE(function, nullptr) << name;
  return function != nullptr ? function() : nullptr;
}

using PluginsTest = BothMethods;
INSTANTIATE_TEST_SUITE_P(Methods, PluginsTest, testing::Values(Method::hide), method_name);

TEST_P(PluginsTest, APluginIsTheRanksOwnByAnyName) {
  as_rank(0, [](Image&) {
    void* first = open_for_current(PROGRAMS "/libplugin.so", RTLD_NOW);
    ASSERT_NE(first, nullptr) << ::dlerror();
    int* variable = call<int>(first, "address_of_plugin_counter");
    EXPECT_EQ(*variable, 3);
    *variable = 50;
    // By a plain name it is found through the program's RUNPATH, and is the same copy.
    void* again = open_for_current("libplugin.so", RTLD_NOW);
    ASSERT_NE(again, nullptr) << ::dlerror();
    EXPECT_EQ(call<int>(again, "address_of_plugin_counter"), variable);
    ASSERT_EQ(::chdir(PROGRAMS), 0);
    void* relative = open_for_current("./libplugin.so", RTLD_LAZY);
    ASSERT_NE(relative, nullptr) << ::dlerror();
    EXPECT_EQ(call<int>(relative, "address_of_plugin_counter"), variable);

    as_rank(1, [variable](Image&) {
      for (const char* name : {"libplugin.so", PROGRAMS "/libplugin.so", "./libplugin.so"}) {
        void* other = open_for_current(name, RTLD_NOW);
        ASSERT_NE(other, nullptr) << ::dlerror();
        EXPECT_NE(call<int>(other, "address_of_plugin_counter"), variable) << name;
        EXPECT_EQ(*call<int>(other, "address_of_plugin_counter"), 3) << name;
      }
    });
    EXPECT_EQ(*variable, 50);
  });
}

TEST_P(PluginsTest, APluginSeesItsOwnRanksProgram) {
  for (int rank = 0; rank < 3; ++rank) {
    as_rank(rank, [](Image& image) {
      void* plugin = open_for_current(PROGRAMS "/libplugin.so", RTLD_NOW | RTLD_GLOBAL);
      ASSERT_NE(plugin, nullptr) << ::dlerror();
      EXPECT_EQ(call<int>(plugin, "counter_seen_by_plugin"),
                function_of<int*()>(image, "address_of_counter")());
    });
  }
}

TEST_P(PluginsTest, NullIsTheProgramItself) {
  as_rank(0, [](Image& image) {
    void* self = open_for_current(nullptr, RTLD_NOW);
    EXPECT_EQ(::dlsym(self, "address_of_counter"), image.symbol("address_of_counter"));
    EXPECT_EQ(close_for_current(self), 0);
    EXPECT_EQ(run_main(image, "1"), 0);
  });
}

TEST_P(PluginsTest, AClosedPluginIsGoneAndComesBackFresh) {
  as_rank(0, [](Image&) {
    for (int round = 0; round < 3; ++round) {
      void* plugin = open_for_current("libplugin.so", RTLD_NOW);
      ASSERT_NE(plugin, nullptr) << ::dlerror();
      int* variable = call<int>(plugin, "address_of_plugin_counter");
      EXPECT_EQ(*variable, 3);
      *variable = 4;
      EXPECT_EQ(close_for_current(plugin), 0);
    }
  });
}

TEST_P(PluginsTest, AMissingPluginIsNullWithTheLinkersText) {
  as_rank(0, [](Image&) {
    EXPECT_EQ(open_for_current("/nowhere/libnone.so", RTLD_NOW), nullptr);
    const char* text = ::dlerror();
    ASSERT_NE(text, nullptr);
    EXPECT_NE(std::string(text).find("libnone.so"), std::string::npos);
  });
}

TEST(Plugins, OutsideOfRanksTheLinkersOwnFunctionsServe) {
  void* self = open_for_current(nullptr, RTLD_NOW);
  EXPECT_EQ(self, ::dlopen(nullptr, RTLD_NOW));
}

}  // namespace
}  // namespace heddle::image
