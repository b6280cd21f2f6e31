// made_array.h — arrays that a test computes. A sanitizer looks at each element that instrumented code writes, which
// would be most of the test's time; here it looks once, where the whole array is copied into its place.
//
// Thread safety: plain functions.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

// Behind the parameters of a lambda or a function: no sanitizer looks at what it reads and writes.
#define HEDDLE_UNSANITIZED __attribute__((no_sanitize("address", "thread", "undefined")))

namespace heddle::testing {

// element(0), element(1), …, called in this order. `element` should be HEDDLE_UNSANITIZED.
template <class T, class Element>
HEDDLE_UNSANITIZED std::vector<T> made_array(std::size_t count, Element element) {
  const std::unique_ptr<T[]> made(new T[count]);
  T* const begin = made.get();
  for (std::size_t i = 0; i < count; ++i) begin[i] = element(i);
  return std::vector<T>(begin, begin + count);
}

}  // namespace heddle::testing
