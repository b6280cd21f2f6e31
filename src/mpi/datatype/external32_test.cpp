// external32 against bytes that are written out here, and against an encoder that computes them from values.

#include "mpi/datatype/external32.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "exec/rank/rank.h"
#include "mpi/datatype/make.h"
#include "mpi/datatype/packing.h"

namespace heddle::datatype {
namespace {

using object::Ref;
using Bytes = std::vector<unsigned char>;

class External32Test : public testing::Test {
 protected:
  External32Test() { Rank::enter(&rank_); }
  ~External32Test() override { Rank::enter(nullptr); }
  Rank rank_{0};
};

Bytes encoded(const void* data, MPI_Count count, const Datatype& type) {
  Bytes bytes(static_cast<std::size_t>(count * external32_size(type)));
  EXPECT_FALSE(encode_external32({data, count, &type}, bytes.data()));
  return bytes;
}

template <class T>
Bytes encoded(const std::vector<T>& values, MPI_Datatype type) {
  return encoded(values.data(), static_cast<MPI_Count>(values.size()), named(type));
}

// The bytes are right, and give the values back.
template <class T>
void expect(MPI_Datatype type, const std::vector<T>& values, const Bytes& bytes) {
  EXPECT_EQ(encoded(values, type), bytes) << named(type).constant_name();
  std::vector<T> back(values.size());
  const auto count = static_cast<MPI_Count>(values.size());
  decode_external32(bytes.data(), {back.data(), count, &named(type)});
  EXPECT_EQ(back, values) << named(type).constant_name();
}

TEST_F(External32Test, IntegersAreBigEndianInTheStandardsSizes) {
  expect<short>(MPI_SHORT, {1, -2}, {0, 1, 0xFF, 0xFE});
  expect<int>(MPI_INT, {0x01020304, -2}, {1, 2, 3, 4, 0xFF, 0xFF, 0xFF, 0xFE});
  expect<long>(MPI_LONG, {0x01020304, -2}, {1, 2, 3, 4, 0xFF, 0xFF, 0xFF, 0xFE});
  expect<unsigned long>(MPI_UNSIGNED_LONG, {0xFFFFFFFE}, {0xFF, 0xFF, 0xFF, 0xFE});
  expect<long long>(MPI_LONG_LONG, {-2}, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE});
  expect<std::int64_t>(MPI_INT64_T, {0x0102030405060708}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect<MPI_Aint>(MPI_AINT, {1}, {0, 0, 0, 0, 0, 0, 0, 1});
  expect<wchar_t>(MPI_WCHAR, {L'A', 0x20AC}, {0, 0x41, 0x20, 0xAC});
  expect<char>(MPI_CHAR, {'a', -1}, {0x61, 0xFF});
  expect<char>(MPI_BYTE, {1, 2, 3}, {1, 2, 3});
  expect<char>(MPI_PACKED, {1, 2, 3}, {1, 2, 3});
  expect<int>(MPI_LOGICAL, {1}, {0, 0, 0, 1});
  const __int128 wide = -2;
  Bytes bytes(16, 0xFF);
  bytes[15] = 0xFE;
  EXPECT_EQ(encoded(&wide, 1, named(MPI_INTEGER16)), bytes);
}

TEST_F(External32Test, FloatingPointNumbersAreThoseOfIeee) {
  expect<float>(MPI_FLOAT, {1.0F, -2.5F}, {0x3F, 0x80, 0, 0, 0xC0, 0x20, 0, 0});
  expect<double>(MPI_DOUBLE, {1.0}, {0x3F, 0xF0, 0, 0, 0, 0, 0, 0});
  expect<float>(MPI_REAL, {1.0F}, {0x3F, 0x80, 0, 0});
  const double complex[2] = {1.0, -1.0};
  EXPECT_EQ(encoded(complex, 1, named(MPI_C_DOUBLE_COMPLEX)),
            Bytes({0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0}));
  Bytes one(16), part(16);
  one[0] = 0x3F;
  one[1] = 0xFF;
  expect<long double>(MPI_LONG_DOUBLE, {1.0L}, one);
  // 0.75 = 1.1 (binary) * 2^-1
  part[0] = 0xBF;
  part[1] = 0xFE;
  part[2] = 0x80;
  expect<long double>(MPI_LONG_DOUBLE, {-0.75L}, part);
  Bytes infinity(16);
  infinity[0] = 0x7F;
  infinity[1] = 0xFF;
  expect<long double>(MPI_LONG_DOUBLE, {HUGE_VALL}, infinity);
}

TEST_F(External32Test, PairsHaveNoPadding) {
  const struct {
    double value;
    int index;
  } doubles[2] = {{1.0, 2}, {-1.0, 3}};
  EXPECT_EQ(encoded(doubles, 2, named(MPI_DOUBLE_INT)),
            Bytes({0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,  //
                   0xBF, 0xF0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}));
  const struct {
    long value;
    int index;
  } longs = {-1, 7};
  EXPECT_EQ(encoded(&longs, 1, named(MPI_LONG_INT)), Bytes({0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 7}));
  const struct {
    short value;
    int index;
  } shorts = {1, 2};
  EXPECT_EQ(encoded(&shorts, 1, named(MPI_SHORT_INT)), Bytes({0, 1, 0, 0, 0, 2}));
}

// The table of the standard (§14.5.2), by hand.
const std::pair<MPI_Datatype, int> kTable[] = {
    {MPI_PACKED, 1},
    {MPI_BYTE, 1},
    {MPI_CHAR, 1},
    {MPI_UNSIGNED_CHAR, 1},
    {MPI_SIGNED_CHAR, 1},
    {MPI_WCHAR, 2},
    {MPI_SHORT, 2},
    {MPI_UNSIGNED_SHORT, 2},
    {MPI_INT, 4},
    {MPI_LONG, 4},
    {MPI_UNSIGNED, 4},
    {MPI_UNSIGNED_LONG, 4},
    {MPI_LONG_LONG_INT, 8},
    {MPI_UNSIGNED_LONG_LONG, 8},
    {MPI_FLOAT, 4},
    {MPI_DOUBLE, 8},
    {MPI_LONG_DOUBLE, 16},
    {MPI_C_BOOL, 1},
    {MPI_INT8_T, 1},
    {MPI_INT16_T, 2},
    {MPI_INT32_T, 4},
    {MPI_INT64_T, 8},
    {MPI_UINT8_T, 1},
    {MPI_UINT16_T, 2},
    {MPI_UINT32_T, 4},
    {MPI_UINT64_T, 8},
    {MPI_AINT, 8},
    {MPI_COUNT, 8},
    {MPI_OFFSET, 8},
    {MPI_C_COMPLEX, 8},
    {MPI_C_DOUBLE_COMPLEX, 16},
    {MPI_C_LONG_DOUBLE_COMPLEX, 32},
    {MPI_CHARACTER, 1},
    {MPI_LOGICAL, 4},
    {MPI_INTEGER, 4},
    {MPI_REAL, 4},
    {MPI_DOUBLE_PRECISION, 8},
    {MPI_COMPLEX, 8},
    {MPI_DOUBLE_COMPLEX, 16},
    {MPI_CXX_BOOL, 1},
    {MPI_CXX_FLOAT_COMPLEX, 8},
    {MPI_CXX_DOUBLE_COMPLEX, 16},
    {MPI_INTEGER1, 1},
    {MPI_INTEGER2, 2},
    {MPI_INTEGER4, 4},
    {MPI_INTEGER8, 8},
    {MPI_INTEGER16, 16},
    {MPI_REAL2, 2},
    {MPI_REAL4, 4},
    {MPI_REAL8, 8},
    {MPI_REAL16, 16},
    {MPI_COMPLEX4, 4},
    {MPI_COMPLEX8, 8},
    {MPI_COMPLEX16, 16},
    {MPI_COMPLEX32, 32},
    {MPI_2INT, 8},
    {MPI_LONG_DOUBLE_INT, 20},
};

TEST_F(External32Test, SizesAreThoseOfTheStandardsTable) {
  for (const auto& [type, bytes] : kTable) {
    EXPECT_EQ(external32_size(named(type)), bytes) << named(type).constant_name();
  }
}

TEST_F(External32Test, WhatDoesNotFitIsAnError) {
  const long big[] = {0x80000000L, -0x80000001L};
  const unsigned long positive = 0x100000000UL;
  const wchar_t emoji = 0x1F600;
  char out[64] = "untouched";
  for (const long& value : big) {
    Error error = encode_external32({&value, 1, &named(MPI_LONG)}, out);
    ASSERT_TRUE(error);
    EXPECT_EQ(error.error_class(), MPI_ERR_VALUE_TOO_LARGE);
  }
  EXPECT_TRUE(encode_external32({&positive, 1, &named(MPI_UNSIGNED_LONG)}, out));
  EXPECT_TRUE(encode_external32({&emoji, 1, &named(MPI_WCHAR)}, out));
  MPI_Count position = 8;
  EXPECT_TRUE(pack_external_at("external32", {big, 1, &named(MPI_LONG)}, out, 64, &position));
  EXPECT_EQ(position, 8);
}

TEST_F(External32Test, PackingChecksItsRoomAndTheName) {
  const int values[2] = {1, 2};
  char out[16];
  MPI_Count position = 4, size = 0;
  EXPECT_TRUE(pack_external_at("native", {values, 2, &named(MPI_INT)}, out, 16, &position));
  EXPECT_TRUE(pack_external_at("external32", {values, 2, &named(MPI_INT)}, out, 11, &position));
  EXPECT_EQ(position, 4);
  EXPECT_FALSE(pack_external_at("external32", {values, 2, &named(MPI_INT)}, out, 12, &position));
  EXPECT_EQ(position, 12);
  int back[2] = {0, 0};
  position = 4;
  EXPECT_TRUE(unpack_external_at("external32", out, 11, &position, {back, 2, &named(MPI_INT)}));
  EXPECT_FALSE(unpack_external_at("external32", out, 12, &position, {back, 2, &named(MPI_INT)}));
  EXPECT_EQ(back[0] * 10 + back[1], 12);
  EXPECT_EQ(position, 12);
  EXPECT_FALSE(pack_external_size("external32", 3, named(MPI_LONG), &size));
  EXPECT_EQ(size, 12);
  EXPECT_TRUE(pack_external_size("external64", 3, named(MPI_LONG), &size));
  EXPECT_TRUE(pack_external_size("external32", INT64_MAX / 2, named(MPI_LONG), &size));
}

// Random nested types, with a list of what lies where in one element.
struct Member {
  std::int64_t at;
  char kind;  // of kKinds
};
struct Sample {
  Ref<Datatype> type;
  std::vector<Member> members;
};

struct Kind {
  char name;
  MPI_Datatype type;
  int size;
};
constexpr int kKinds = 5;
const Kind kKind[kKinds] = {{'s', MPI_SHORT, 2},
                            {'i', MPI_INT, 4},
                            {'l', MPI_LONG, 8},
                            {'d', MPI_DOUBLE, 8},
                            {'L', MPI_LONG_DOUBLE, 16}};

class Samples {
 public:
  explicit Samples(unsigned seed) : random_(seed) {}

  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Sample make(int depth) {
    if (depth == 0) {
      const Kind& kind = kKind[number(0, kKinds - 1)];
      return {Ref<Datatype>(&named(kind.type)), {{0, kind.name}}};
    }
    return number(0, 2) == 0 ? structure(depth) : vector(depth);
  }

 private:
  static void place(Sample& into, const Sample& one, std::int64_t at) {
    for (const Member& member : one.members) into.members.push_back({at + member.at, member.kind});
  }

  Sample vector(int depth) {
    Sample old = make(depth - 1), made;
    const int count = number(0, 4), length = number(1, 3), stride = length + number(0, 2);
    Datatype* type = nullptr;
    EXPECT_FALSE(make_vector(false, count, length, stride, old.type.get(), &type));
    made.type = Ref<Datatype>::adopt(type);
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < length; ++j) place(made, old, (i * stride + j) * old.type->extent());
    }
    return made;
  }

  Sample structure(int depth) {
    Sample made;
    std::vector<Sample> parts;
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> handles;
    MPI_Aint end = 0;
    for (int i = number(1, 4); i > 0; --i) {
      parts.push_back(make(depth - 1));
      const Datatype& type = *parts.back().type;
      lengths.push_back(number(0, 3));
      displacements.push_back(end);
      object::Object* const published = parts.back().type.get();
      published->retain();
      handles.push_back(reinterpret_cast<MPI_Datatype>(
          type.predefined() ? type.handle() : object::publish(published)));
      for (int j = 0; j < lengths.back(); ++j) place(made, parts.back(), end + j * type.extent());
      end += type.lower_bound() + lengths.back() * type.extent() + number(0, 9);
    }
    Datatype* type = nullptr;
    EXPECT_FALSE(make_struct(false, static_cast<MPI_Count>(parts.size()),
                             object::CountArray(lengths.data()),
                             object::CountArray(displacements.data()), handles.data(), &type));
    made.type = Ref<Datatype>::adopt(type);
    return made;
  }

  std::mt19937 random_;
};

// The value of a member by its number, so that each differs.
long double value_of(char kind, int i) {
  const long double value = (i % 2 == 0 ? 1 : -1) * (i % 30000 + 1);
  return kind == 'd' ? value / 7.0 : kind == 'L' ? value / 7.0L : value;
}

void store(unsigned char* at, char kind, int i) {
  const auto put = [&](auto value) { std::memcpy(at, &value, sizeof value); };
  const long double value = value_of(kind, i);
  if (kind == 's') put(static_cast<short>(value));
  if (kind == 'i') put(static_cast<int>(value));
  if (kind == 'l') put(static_cast<long>(value));
  if (kind == 'd') put(static_cast<double>(value));
  if (kind == 'L') put(value);
}

// `bits` of a number, most significant byte first.
void append(Bytes& out, unsigned __int128 bits, int bytes) {
  for (int i = bytes; i-- > 0;) out.push_back(static_cast<unsigned char>(bits >> (8 * i)));
}

// Sign, exponent and fraction of a normal number by arithmetic, not from its bytes.
void append_floating(Bytes& out, long double value, int exponent_bits, int fraction_bits) {
  int exponent = 0;
  long double rest = std::frexp(std::fabs(value), &exponent) * 2 - 1;  // 1.rest * 2^(exponent - 1)
  unsigned __int128 bits = value < 0 ? 1 : 0;
  bits =
      bits << exponent_bits | static_cast<unsigned>(exponent - 1 + (1 << (exponent_bits - 1)) - 1);
  for (int i = 0; i < fraction_bits; ++i) {
    rest *= 2;
    bits = bits << 1 | (rest >= 1 ? 1U : 0U);
    if (rest >= 1) rest -= 1;
  }
  append(out, bits, (1 + exponent_bits + fraction_bits) / 8);
}

void append_external(Bytes& out, char kind, int i) {
  const long double value = value_of(kind, i);
  const auto integer = static_cast<unsigned __int128>(static_cast<__int128>(value));
  if (kind == 's') append(out, integer, 2);
  if (kind == 'i' || kind == 'l') append(out, integer, 4);
  if (kind == 'd') append_floating(out, static_cast<double>(value), 11, 52);
  if (kind == 'L') append_floating(out, value, 15, 112);
}

TEST_F(External32Test, RandomTypesAreEncodedElementByElement) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Samples samples(seed);
    const Sample sample = samples.make(samples.number(0, 4));
    const Datatype& type = *sample.type;
    const int count = samples.number(0, 40);
    const auto bytes = static_cast<std::size_t>(type.true_lower_bound() + count * type.extent() +
                                                type.true_extent() + 1);
    Bytes memory(bytes, 0xEE), expected;
    int i = 0;
    for (int element = 0; element < count; ++element) {
      for (const Member& member : sample.members) {
        store(&memory[static_cast<std::size_t>(element * type.extent() + member.at)], member.kind,
              i);
        append_external(expected, member.kind, i++);
      }
    }
    const Bytes packed = encoded(memory.data(), count, type);
    ASSERT_EQ(packed, expected);

    Bytes back(bytes, 0xEE);
    decode_external32(packed.data(), {back.data(), count, &type});
    ASSERT_EQ(encoded(back.data(), count, type), expected);
    // Padding is not touched; that of a long double is none of ours.
    Bytes touched(bytes, 0);
    for (int element = 0; element < count; ++element) {
      for (const Member& member : sample.members) {
        for (const Kind& kind : kKind) {
          if (kind.name != member.kind) continue;
          const auto at = static_cast<std::size_t>(element * type.extent() + member.at);
          std::fill_n(&touched[at], kind.size, 1);
        }
      }
    }
    for (std::size_t at = 0; at < bytes; ++at) {
      ASSERT_TRUE(touched[at] != 0 || back[at] == 0xEE) << at;
    }
  }
}

}  // namespace
}  // namespace heddle::datatype
