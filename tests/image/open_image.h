// open_image.h — opens images in tests, by either method.
//
// Thread safety: any strand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "exec/image/image.h"

namespace heddle::image {

inline std::string program_path(const std::string& name) {
  return std::string(PROGRAMS "/") + name;
}

// Fails the test with the loader's sentence if there is one.
inline std::unique_ptr<Image> open_image(const std::string& name) {
  Program program;
  std::unique_ptr<Image> image;
  if (Error e = Program::inspect(program_path(name).c_str(), &program)) {
    ADD_FAILURE() << e.text();
  } else if (Error e2 = Image::open(program, &image)) {
    ADD_FAILURE() << e2.text();
  }
  return image;
}

template <class Function>
Function* function_of(const Image& image, const char* name) {
  auto* function = reinterpret_cast<Function*>(image.symbol(name));
  EXPECT_NE(function, nullptr) << name;
  return function;
}

// Calls main with `argument` as its only argument.
inline int run_main(const Image& image, std::string argument) {
  std::string name = "program";
  char* arguments[] = {name.data(), argument.data(), nullptr};
  return image.main()(2, arguments, environ);
}

// Tests that hold for both ways of loading.
class BothMethods : public testing::TestWithParam<Method> {
 protected:
  void SetUp() override { configure({.method = GetParam()}); }
};

inline std::string method_name(const testing::TestParamInfo<Method>& info) {
  return info.param == Method::hide ? "Hide" : "Copy";
}

}  // namespace heddle::image
