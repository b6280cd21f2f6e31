// typemap_oracle.h — for tests: datatypes as the standard defines them, element by element.
//
// A Typemap is the list of (displacement, basic element) of MPI 5.0 §5.1 plus the bound markers. It
// knows nothing of runs, strides or layouts. RandomTypes makes seeded random nested datatypes
// together with their typemaps.
//
// Thread safety: none.

#pragma once

#include <mpi.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mpi/datatype/datatype.h"

namespace heddle::datatype::oracle {

struct Item {
  std::int64_t at;
  int size;
  int alignment;
};

struct Typemap {
  std::vector<Item> items;
  bool marked = false;
  std::int64_t marker_lower = 0, marker_upper = 0;

  std::int64_t size() const;
  std::int64_t true_lower() const;
  std::int64_t true_upper() const;
  std::int64_t lower() const;
  std::int64_t upper() const;
  std::int64_t extent() const { return upper() - lower(); }

  void place(const Typemap& other, std::int64_t displacement);

  // Where each byte of the packed form of `count` elements lies, relative to the buffer.
  std::vector<std::int64_t> bytes(std::int64_t count) const;
};

struct Sample {
  object::Ref<Datatype> type;
  Typemap map;
  std::string story;  // how it was made, for messages
};

class RandomTypes {
 public:
  explicit RandomTypes(unsigned seed) : random_(seed) {}

  // Nested up to `depth` constructors deep.
  Sample make(int depth);

  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

 private:
  struct Array;  // an argument in both widths

  Sample basic();
  Sample contiguous(Sample old);
  Sample vector(Sample old, bool bytes);
  Sample indexed(Sample old, bool bytes);
  Sample indexed_block(Sample old, bool bytes);
  Sample structure(int depth);
  Sample resized(Sample old);
  Sample dup(Sample old);
  Sample subarray(Sample old);
  Sample darray(Sample old);

  // Calls `make` with the type made so far; takes over what it makes.
  template <class Make>
  Sample made(Typemap map, std::string story, Make make);

  std::mt19937 random_;
};

}  // namespace heddle::datatype::oracle
