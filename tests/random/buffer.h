// buffer.h — a buffer of a random program that knows what must be in it.
//
// Each word of the memory has an expected value beside it. put() writes both, expect() only the expected one; so
// matches() finds a word that is wrong, or that nothing should have written, gaps of the datatype included.
//
// Thread safety: of its strand.

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle::testing {

// The basic elements that a buffer is made of. All values are small integers, but for those of an operation's own.
struct Basic {
  MPI_Datatype type;
  std::size_t size;
  void (*store)(char* at, long value);
  long (*load)(const char* at);
};

template <class T>
Basic basic_of(MPI_Datatype type) {
  return {type, sizeof(T),
          [](char* at, long value) {
            const T typed = static_cast<T>(value);
            std::memcpy(at, &typed, sizeof typed);
          },
          [](const char* at) {
            T typed;
            std::memcpy(&typed, at, sizeof typed);
            return static_cast<long>(typed);
          }};
}

inline const Basic kBasics[] = {basic_of<long>(MPI_LONG), basic_of<int>(MPI_INT),
                                basic_of<double>(MPI_DOUBLE), basic_of<short>(MPI_SHORT)};

// Where the words of an element lie, perhaps before its begin, and how far the next one is, in words.
struct Form {
  std::vector<int> offsets;
  int extent;

  int words() const { return static_cast<int>(offsets.size()); }
};

inline const Form kForms[] = {{{0}, 1},    {{0, 1}, 2},  {{0}, 3},     {{1, 0}, 2},
                              {{0, 2}, 3}, {{0, -1}, 2}, {{-2, -5}, 4}};

class Buffer {
 public:
  // Room for `elements` of the form, and some more.
  Buffer(const Basic& basic, const Form& form, int elements)
      : basic_(basic),
        form_(form),
        before_(-std::min(0, *std::min_element(form.offsets.begin(), form.offsets.end()))),
        expected_(static_cast<std::size_t>((elements + 1) * form.extent + before_), kUntouched),
        bytes_(expected_.size() * basic.size) {
    std::vector<int> lengths(form.offsets.size(), 1);
    MPI_Datatype packed = MPI_DATATYPE_NULL;
    MPI_Type_indexed(form.words(), lengths.data(), form.offsets.data(), basic.type, &packed);
    MPI_Type_create_resized(packed, 0, form.extent * static_cast<MPI_Aint>(basic.size), &type_);
    MPI_Type_free(&packed);
    MPI_Type_commit(&type_);
    for (std::size_t i = 0; i < expected_.size(); ++i) store(i, kUntouched);
  }
  // Operations that are under way keep the type.
  ~Buffer() { MPI_Type_free(&type_); }
  Buffer(const Buffer&) = delete;

  void* data() { return bytes_.data() + static_cast<std::size_t>(before_) * basic_.size; }
  MPI_Datatype type() const {
    return form_.words() == 1 && form_.extent == 1 ? basic_.type : type_;
  }
  const Form& form() const { return form_; }
  MPI_Aint extent() const { return form_.extent * static_cast<MPI_Aint>(basic_.size); }

  // Word i of those that begin with element `displacement`.
  void put(int displacement, int i, long value) {
    expect(displacement, i, value);
    store(index(displacement, i), value);
  }
  void expect(int displacement, int i, long value) { expected_[index(displacement, i)] = value; }

  bool matches() const {
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      if (basic_.load(&bytes_[i * basic_.size]) != expected_[i]) return false;
    }
    return true;
  }

 private:
  static constexpr long kUntouched = -77;

  std::size_t index(int displacement, int i) const {
    const int element = displacement + i / form_.words();
    return static_cast<std::size_t>(before_ + element * form_.extent +
                                    form_.offsets[static_cast<std::size_t>(i % form_.words())]);
  }
  void store(std::size_t i, long value) { basic_.store(&bytes_[i * basic_.size], value); }

  const Basic basic_;
  const Form form_;
  const int before_;  // words before the first element's begin
  std::vector<long> expected_;
  std::vector<char> bytes_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace heddle::testing
