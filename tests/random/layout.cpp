#include "tests/random/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/ranks_test.h"

namespace heddle::testing {

namespace {

// Numbers from 0 on in any order.
std::vector<int> shuffled(int count, Dice& dice) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = count; i > 1; --i) {
    std::swap(order[static_cast<std::size_t>(i - 1)],
              order[static_cast<std::size_t>(dice.below(i))]);
  }
  return order;
}

int divisor_of(int number, Dice& dice) {
  int divisor = dice.below(number) + 1;
  while (number % divisor != 0) --divisor;
  return divisor;
}

// Blocks of the lengths that do not overlap, in any order and with gaps, some before zero: where each begins.
std::vector<int> places_for(const std::vector<int>& lengths, Dice& dice) {
  std::vector<int> places(lengths.size());
  int end = 0;
  for (const int i : shuffled(static_cast<int>(lengths.size()), dice)) {
    const auto at = static_cast<std::size_t>(i);
    places[at] = end + dice.below(3);
    end = places[at] + lengths[at];
  }
  const int shift = dice.below(2) * dice.below(end + 1);
  for (int& place : places) place -= shift;
  return places;
}

}  // namespace

Signature random_signature(Dice& dice) {
  Signature signature(static_cast<std::size_t>(dice.below(4) + 1));
  const bool same = dice.toss();
  for (const Basic*& basic : signature) {
    basic =
        same && &basic != &signature[0] ? signature[0] : &kBasics[dice.below(std::size(kBasics))];
  }
  return signature;
}

Layout::Layout(const Signature& signature, int repeats, Dice& dice) {
  begin_with(signature, dice);
  for (int left = repeats; left > 1 || dice.below(3) == 0;) {
    const int times = divisor_of(left, dice);
    repeat(times, dice);
    left /= times;
    if (dice.below(4) == 0) resize(dice);
  }
  MPI_Type_commit(&type_);
  MPI_Aint lower = -1, extent = -1, begin_of_words = -1, length = -1;
  int size = -1, expected_size = 0;
  MPI_Type_get_extent(type_, &lower, &extent);
  MPI_Type_get_true_extent(type_, &begin_of_words, &length);
  MPI_Type_size(type_, &size);
  for (const Word& word : words_) expected_size += static_cast<int>(word.basic->size);
  EXPECT_EQ(lower, lower_) << "seed " << seed();
  EXPECT_EQ(extent, this->extent()) << "seed " << seed();
  EXPECT_EQ(begin_of_words, begin()) << "seed " << seed();
  EXPECT_EQ(length, end() - begin()) << "seed " << seed();
  EXPECT_EQ(size, expected_size) << "seed " << seed();
}

Layout::~Layout() {
  MPI_Type_free(&type_);
}

std::ptrdiff_t Layout::begin() const {
  std::ptrdiff_t least = words_[0].offset;
  for (const Word& word : words_) least = std::min(least, word.offset);
  return least;
}

std::ptrdiff_t Layout::end() const {
  std::ptrdiff_t most = words_[0].offset;
  for (const Word& word : words_) {
    most = std::max(most, word.offset + static_cast<std::ptrdiff_t>(word.basic->size));
  }
  return most;
}

void Layout::take(MPI_Datatype made) {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  type_ = made;
}

// Each word once, in any order in memory, from a place before or behind zero.
void Layout::begin_with(const Signature& signature, Dice& dice) {
  const auto count = static_cast<int>(signature.size());
  std::vector<MPI_Aint> offsets(signature.size());
  MPI_Aint end = 0;
  for (const int i : shuffled(count, dice)) {
    const auto at = static_cast<std::size_t>(i);
    const auto size = static_cast<MPI_Aint>(signature[at]->size);
    offsets[at] = (end + size - 1) / size * size + dice.below(2) * size;
    end = offsets[at] + size;
  }
  const MPI_Aint shift = dice.below(2) * 8 * dice.below(static_cast<int>(end / 8) + 2);
  std::vector<MPI_Datatype> types;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    offsets[i] -= shift;
    words_.push_back({offsets[i], signature[i]});
    types.push_back(signature[i]->type);
  }
  const std::vector<int> lengths(signature.size(), 1);
  MPI_Datatype packed = MPI_DATATYPE_NULL, made = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(count, lengths.data(), offsets.data(), types.data(), &packed);
  // A compiler's padding is not described by §5.1, and so set here.
  lower_ = begin();
  upper_ = (end - shift - lower_ + 7) / 8 * 8 + lower_;
  MPI_Type_create_resized(packed, lower_, upper_ - lower_, &made);
  MPI_Type_free(&packed);
  take(made);
}

void Layout::copy_to(const Offsets& offsets) {
  const std::vector<Word> words = std::move(words_);
  words_.clear();
  for (const std::ptrdiff_t offset : offsets) {
    for (const Word& word : words) words_.push_back({word.offset + offset, word.basic});
  }
  const auto [least, most] = std::minmax_element(offsets.begin(), offsets.end());
  upper_ += *most;
  lower_ += *least;
}

void Layout::repeat(int times, Dice& dice) {
  // Gaps in gaps would make it too large.
  const bool sparse = extent() > 32 * static_cast<std::ptrdiff_t>(words_.size());
  switch (sparse ? 0 : dice.below(6)) {
    case 0: {
      Offsets offsets;
      for (int i = 0; i < times; ++i) offsets.push_back(i * extent());
      MPI_Datatype made = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(times, type_, &made);
      take(made);
      copy_to(offsets);
      return;
    }
    case 1:
    case 2:
      return repeat_by_stride(times, dice);
    case 3:
      return repeat_in_array(times, dice);
    default:
      return repeat_in_blocks(times, dice);
  }
}

// MPI_Type_vector and its kin, forwards or backwards.
void Layout::repeat_by_stride(int times, Dice& dice) {
  const int length = divisor_of(times, dice), blocks = times / length;
  const int direction = dice.toss() ? 1 : -1;
  const int stride = direction * (length + dice.below(3));
  MPI_Aint bytes = stride * extent();
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (dice.toss()) {
    MPI_Type_vector(blocks, length, stride, type_, &made);
  } else {
    bytes += MPI_Aint{direction} * 8 * dice.below(4);
    MPI_Type_create_hvector(blocks, length, bytes, type_, &made);
  }
  Offsets offsets;
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i < length; ++i) offsets.push_back(block * bytes + i * extent());
  }
  take(made);
  copy_to(offsets);
}

// MPI_Type_indexed and its kin.
void Layout::repeat_in_blocks(int times, Dice& dice) {
  const bool equal = dice.below(3) == 0;
  const int unit = divisor_of(times, dice);
  std::vector<int> lengths;
  for (int left = times; left > 0; left -= lengths.back()) {
    lengths.push_back(equal ? unit : std::min(left, dice.below(4)));
  }
  const std::vector<int> places = places_for(lengths, dice);
  const auto blocks = static_cast<int>(lengths.size());
  std::vector<MPI_Aint> bytes;
  for (const int place : places) bytes.push_back(place * extent());
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const bool in_bytes = dice.toss();
  if (equal && in_bytes) {
    MPI_Type_create_hindexed_block(blocks, unit, bytes.data(), type_, &made);
  } else if (equal) {
    MPI_Type_create_indexed_block(blocks, unit, places.data(), type_, &made);
  } else if (!in_bytes) {
    MPI_Type_indexed(blocks, lengths.data(), places.data(), type_, &made);
  } else if (dice.toss()) {
    MPI_Type_create_hindexed(blocks, lengths.data(), bytes.data(), type_, &made);
  } else {
    const std::vector<MPI_Datatype> types(lengths.size(), type_);
    MPI_Type_create_struct(blocks, lengths.data(), bytes.data(), types.data(), &made);
  }
  Offsets offsets;
  for (std::size_t block = 0; block < lengths.size(); ++block) {
    for (int i = 0; i < lengths[block]; ++i) offsets.push_back(bytes[block] + i * extent());
  }
  take(made);
  copy_to(offsets);
}

// A part of a two-dimensional array.
void Layout::repeat_in_array(int times, Dice& dice) {
  const int inner = divisor_of(times, dice);
  const bool rows_first = dice.toss();
  int part[2] = {times / inner, inner};  // the second varies fastest
  int whole[2], start[2];
  for (const int i : {0, 1}) {
    whole[i] = part[i] + dice.below(3);
    start[i] = dice.below(whole[i] - part[i] + 1);
  }
  Offsets offsets;
  for (int i = 0; i < part[0]; ++i) {
    for (int j = 0; j < part[1]; ++j) {
      offsets.push_back(((start[0] + i) * whole[1] + start[1] + j) * extent());
    }
  }
  const std::ptrdiff_t array = whole[0] * whole[1] * extent();
  if (!rows_first) {
    std::swap(part[0], part[1]);
    std::swap(whole[0], whole[1]);
    std::swap(start[0], start[1]);
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(2, whole, part, start, rows_first ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                           type_, &made);
  take(made);
  copy_to(offsets);
  lower_ = 0;  // of the array, by definition
  upper_ = array;
}

void Layout::resize(Dice& dice) {
  const std::ptrdiff_t span = std::max(extent(), end() - begin());
  const std::ptrdiff_t lower = lower_ + 8 * (dice.below(5) - 2);
  const std::ptrdiff_t wanted = (span + 7) / 8 * 8 + 8 * dice.below(3);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(type_, lower, wanted, &made);
  take(made);
  lower_ = lower;
  upper_ = lower + wanted;
}

Room::Room(const Layout& layout, int elements) : layout_(layout), elements_(elements) {
  constexpr std::ptrdiff_t kMargin = 32;
  const std::ptrdiff_t last = elements > 0 ? (elements - 1) * layout.extent() : 0;
  const std::ptrdiff_t begin = layout.begin() + std::min<std::ptrdiff_t>(0, last);
  const std::ptrdiff_t end = layout.end() + std::max<std::ptrdiff_t>(0, last);
  zero_ = (kMargin - begin + 7) / 8 * 8;
  bytes_.assign(static_cast<std::size_t>(zero_ + end + kMargin), '\xEE');
  expected_ = bytes_;
}

void Room::put(int i, long value) {
  store(&bytes_, i, value);
  store(&expected_, i, value);
}

void Room::store(std::vector<char>* bytes, int i, long value) {
  const auto length = static_cast<int>(layout_.words().size());
  const Layout::Word& word = layout_.words()[static_cast<std::size_t>(i % length)];
  word.basic->store(bytes->data() + zero_ + word.offset + i / length * layout_.extent(), value);
}

}  // namespace heddle::testing
