// layout.h — a random datatype, of which a plain list says where its words lie.
//
//   signature   what the words are: basic elements, repeated any number of times
//   layout      one random nest of type constructors for so many repetitions, with gaps, out of order, with negative
//               displacements, strides and bounds; and beside it the list of its words, by the rules of MPI 5.0 §5.1
//   room        memory for elements of a layout, which knows what must be in it, gaps included
//
// Words of one element, and of elements that follow each other, never overlap; so a message may be received into them.
//
// Thread safety: of its strand.

#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "tests/random/buffer.h"
#include "tests/random/dice.h"

namespace heddle::testing {

using Signature = std::vector<const Basic*>;

Signature random_signature(Dice& dice);

class Layout {
 public:
  Layout(const Signature& signature, int repeats, Dice& dice);
  ~Layout();
  Layout(const Layout&) = delete;

  struct Word {
    std::ptrdiff_t offset;
    const Basic* basic;
  };

  MPI_Datatype type() const { return type_; }
  const std::vector<Word>& words() const { return words_; }
  std::ptrdiff_t extent() const { return upper_ - lower_; }
  // Where the words begin and end.
  std::ptrdiff_t begin() const;
  std::ptrdiff_t end() const;

 private:
  using Offsets = std::vector<std::ptrdiff_t>;  // of copies, in bytes

  void begin_with(const Signature& signature, Dice& dice);
  void repeat(int times, Dice& dice);
  void resize(Dice& dice);
  // Puts the new type in place of the one that it is made of.
  void take(MPI_Datatype made);
  // What `offsets.size()` copies there are.
  void copy_to(const Offsets& offsets);

  void repeat_in_blocks(int times, Dice& dice);
  void repeat_by_stride(int times, Dice& dice);
  void repeat_in_array(int times, Dice& dice);

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<Word> words_;
  std::ptrdiff_t lower_ = 0, upper_ = 0;
};

class Room {
 public:
  Room(const Layout& layout, int elements);

  void* data() { return bytes_.data() + zero_; }
  int words() const { return static_cast<int>(layout_.words().size()) * elements_; }

  // Word i, counted through all elements.
  void put(int i, long value);
  void expect(int i, long value) { store(&expected_, i, value); }
  bool matches() const { return bytes_ == expected_; }

 private:
  void store(std::vector<char>* bytes, int i, long value);

  const Layout& layout_;
  const int elements_;
  std::ptrdiff_t zero_ = 0;  // where data() is
  std::vector<char> bytes_, expected_;
};

}  // namespace heddle::testing
