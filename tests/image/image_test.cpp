// Private copies of programs: everything that a process has for itself, a rank has for itself.
#include "exec/image/image.h"

#include <chrono>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "tests/image/open_image.h"

namespace heddle::image {
namespace {

constexpr int kManyCopies = 64;

std::vector<std::unique_ptr<Image>> open_many(const std::string& name, int count) {
  std::vector<std::unique_ptr<Image>> images;
  for (int i = 0; i < count; ++i) images.push_back(open_image(name));
  return images;
}

long memory_kib() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    long value = 0;
    if (word == "Pss:" && file >> value) return value;
  }
  return 0;
}

using ImageTest = BothMethods;
INSTANTIATE_TEST_SUITE_P(Methods, ImageTest, testing::Values(Method::hide, Method::copy),
                         method_name);

TEST_P(ImageTest, EveryCopyOfACProgramHasItsOwnVariables) {
  const auto images = open_many("globals", kManyCopies);
  for (int i = 0; i < kManyCopies; ++i) {
    // Each on a thread of its own, as each rank has a TLS block of its own.
    std::thread([&] {
      EXPECT_EQ(run_main(*images[i], std::to_string(i)), 0) << "copy " << i;
    }).join();
  }
  std::set<int*> addresses;
  for (int i = 0; i < kManyCopies; ++i) {
    int* counter = function_of<int*()>(*images[i], "address_of_counter")();
    EXPECT_EQ(*counter, 100 + i);
    EXPECT_EQ(function_of<int(int, int)>(*images[i], "apply")(1, i), 100);
    addresses.insert(counter);
  }
  EXPECT_EQ(addresses.size(), std::size_t{kManyCopies});
}

TEST_P(ImageTest, ThreadLocalVariablesAreOneForEachThreadAndCopy) {
  const auto images = open_many("globals", 3);
  std::set<int*> addresses;
  for (int thread = 0; thread < 2; ++thread) {
    for (const auto& image : images) {
      addresses.insert(function_of<int*()>(*image, "address_of_per_thread")());
    }
    std::thread([&] {
      for (const auto& image : images) {
        int* variable = function_of<int*()>(*image, "address_of_per_thread")();
        EXPECT_EQ(*variable, 5);
        EXPECT_EQ(addresses.count(variable), 0u);
      }
    }).join();
  }
  EXPECT_EQ(addresses.size(), 3u);
}

TEST_P(ImageTest, AProgramWithHiddenSymbolsAndLinkTimeOptimizationIsAnImageToo) {
  const auto images = open_many("hidden", 3);
  for (const auto& image : images) EXPECT_EQ(run_main(*image, "1"), 0);
}

TEST_P(ImageTest, EveryCopyOfACxxProgramHasItsOwnObjectsAndStreams) {
  const auto images = open_many("objects", 16);
  for (const auto& image : images) {
    std::thread([&] { EXPECT_EQ(run_main(*image, "rank"), 0); }).join();
  }
  function_of<void(int)>(*images[3], "set_hex")(1);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(function_of<int()>(*images[i], "is_hex")(), i == 3 ? 1 : 0) << "copy " << i;
    EXPECT_EQ(function_of<int(int)>(*images[i], "add_to_template")(i), 40 + i);
    EXPECT_EQ(function_of<int(int)>(*images[i], "add_to_local_static")(i), 60 + i);
  }
}

TEST_P(ImageTest, StaticDestructorsRunWhenTheImageIsClosed) {
  auto images = open_many("objects", 3);
  int destroyed = 0;
  function_of<void(int*)>(*images[1], "set_witness")(&destroyed);
  images[0].reset();
  EXPECT_EQ(destroyed, 0);
  images[1].reset();
  EXPECT_EQ(destroyed, 2);
}

TEST_P(ImageTest, AnApplicationLibraryIsPrivate) {
  const auto images = open_many("with_library", 8);
  ASSERT_NE(images[7], nullptr);
  std::set<int*> addresses;
  for (const auto& image : images) {
    std::thread([&] { EXPECT_EQ(run_main(*image, "x"), 0); }).join();
    addresses.insert(function_of<int*()>(*image, "library_address")());
  }
  EXPECT_EQ(addresses.size(), 8u);
}

TEST_P(ImageTest, ALibraryThatIsNeededByItsPathIsPrivate) {
  const auto images = open_many("with_library_by_path", 3);
  std::set<int*> addresses;
  for (const auto& image : images) {
    ASSERT_NE(image, nullptr);
    EXPECT_EQ(run_main(*image, "x"), 0);
    addresses.insert(function_of<int*()>(*image, "library_address")());
  }
  EXPECT_EQ(addresses.size(), 3u);
}

TEST_P(ImageTest, UniqueSymbolsOfForeignObjectsAreOneForEachCopy) {
  const auto images = open_many("duplicate", 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(function_of<int(int)>(*images[i], "add_to_unique")(1 + i), 71 + i);
  }
}

TEST_P(ImageTest, AClosedImageLeavesNoMapping) {
  const auto mappings = [] {
    std::ifstream file("/proc/self/maps");
    int images = 0;
    for (std::string line; std::getline(file, line);) {
      images += line.find("/programs/globals") != std::string::npos ||
                line.find("heddle-image") != std::string::npos;
    }
    return images;
  };
  EXPECT_EQ(mappings(), 0);
  auto images = open_many("globals", 4);
  EXPECT_GE(mappings(), 4);
  images.clear();
  EXPECT_EQ(mappings(), 0);
}

TEST_P(ImageTest, ThreadsOpenAndCloseImagesAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int round = 0; round < 8; ++round) {
        const auto c = open_image("globals");
        const auto cxx = open_image("objects");
        ASSERT_NE(c, nullptr);
        ASSERT_NE(cxx, nullptr);
        // The main thread's TLS block is the same in every round, the images are not.
        EXPECT_EQ(run_main(*c, std::to_string(t)), 0);
        EXPECT_EQ(run_main(*cxx, "x"), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ImageTest, CostsAreRecorded) {
  constexpr int kCopies = 256;
  open_image("globals");
  const long memory = memory_kib();
  const auto start = std::chrono::steady_clock::now();
  auto images = open_many("globals", kCopies);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  RecordProperty("microseconds_each", std::to_string(time.count() / kCopies));
  RecordProperty("pss_kib_each", std::to_string(double(memory_kib() - memory) / kCopies));
  std::printf("           %.0f us and %.1f KiB each\n", time.count() / kCopies,
              double(memory_kib() - memory) / kCopies);
}

TEST_P(ImageTest, WhatMpiNeedsIsSharedAsMpiIs) {
  const auto text_mappings = [](const char* library) {
    std::ifstream file("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(file, line);) {
      count += line.find(library) != std::string::npos && line.find(" r-xp ") != std::string::npos;
    }
    return count;
  };
  const auto c = open_many("globals", 3);
  const auto cxx = open_many("objects", 3);
  EXPECT_EQ(text_mappings("/libmpi_abi.so"), 1);
  EXPECT_EQ(text_mappings("/libneeded_by_mpi.so"), 1);
}

TEST(SharedLibraries, ALibraryOnTheListIsOneForAllRanks) {
  configure({.method = Method::hide, .shared_libraries = {"libshared"}});
  const auto images = open_many("with_shared_library", 2);
  ASSERT_TRUE(images[0] != nullptr && images[1] != nullptr);
  int* first = function_of<int*()>(*images[0], "library_address")();
  EXPECT_EQ(first, function_of<int*()>(*images[1], "library_address")());
}

}  // namespace
}  // namespace heddle::image
