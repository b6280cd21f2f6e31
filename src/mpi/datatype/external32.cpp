#include "mpi/datatype/external32.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "mpi/datatype/basic_runs.h"

namespace heddle::datatype {

namespace {

constexpr MPI_Count kBlock = 4096;  // of native bytes; holds many elements of every named type

// How the numbers of one type are written.
struct Codec {
  int native, external;  // bytes of a number
  // Converts a number. encode() returns false if it does not fit.
  bool (*encode)(const char* from, char* to);
  void (*decode)(const char* from, char* to);
};

// From here on, a number's external form stands in this machine's byte order: as its mirror image.
template <class Number>
void mirror(const char* from, char* to) {
  std::reverse_copy(from, from + sizeof(Number), to);
}

template <class Native, class External>
bool encode(const char* from, char* to) {
  Native value;
  std::memcpy(&value, from, sizeof value);
  const auto converted = static_cast<External>(value);
  mirror<External>(reinterpret_cast<const char*>(&converted), to);
  // Only integers become shorter.
  return sizeof(External) == sizeof(Native) || static_cast<Native>(converted) == value;
}

template <class Native, class External>
void decode(const char* from, char* to) {
  External value;
  mirror<External>(from, reinterpret_cast<char*>(&value));
  const auto converted = static_cast<Native>(value);
  std::memcpy(to, &converted, sizeof converted);
}

template <class Native, class External = Native>
constexpr Codec kCodec = {sizeof(Native), sizeof(External), encode<Native, External>,
                          decode<Native, External>};

constexpr const Codec* kByte = &kCodec<std::uint8_t>;
constexpr const Codec* kTwo = &kCodec<std::uint16_t>;
constexpr const Codec* kFour = &kCodec<std::uint32_t>;
constexpr const Codec* kEight = &kCodec<std::uint64_t>;
constexpr const Codec* kSixteen = &kCodec<unsigned __int128>;
constexpr const Codec* kLong = &kCodec<std::int64_t, std::int32_t>;
constexpr const Codec* kUnsignedLong = &kCodec<std::uint64_t, std::uint32_t>;
constexpr const Codec* kWide = &kCodec<std::int32_t, std::uint16_t>;
constexpr const Codec* kLongDouble = &kCodec<long double, __float128>;

// The one or two numbers of an element of a named type.
struct Format {
  const Codec* first;
  const Codec* second = nullptr;

  MPI_Count external() const {
    return first->external + (second != nullptr ? second->external : 0);
  }
};

Format format_of(const Datatype& type) {
  if (type.named() == MPI_LONG) return {kLong};
  if (type.named() == MPI_UNSIGNED_LONG) return {kUnsignedLong};
  if (type.named() == MPI_WCHAR) return {kWide};
  switch (type.representation()) {
    case Representation::kNone:
    case Representation::kInt8:
    case Representation::kUint8:
      return {kByte};
    case Representation::kInt16:
    case Representation::kUint16:
    case Representation::kFloat16:
      return {kTwo};
    case Representation::kInt32:
    case Representation::kUint32:
    case Representation::kFloat32:
      return {kFour};
    case Representation::kInt64:
    case Representation::kUint64:
    case Representation::kFloat64:
      return {kEight};
    case Representation::kInt128:
    case Representation::kFloat128:
      return {kSixteen};
    case Representation::kFloat80:
      return {kLongDouble};
    case Representation::kComplex16:
      return {kTwo, kTwo};
    case Representation::kComplex32:
    case Representation::kFloatInt:
    case Representation::kIntInt:
    case Representation::kFloatFloat:
      return {kFour, kFour};
    case Representation::kComplex64:
    case Representation::kDoubleDouble:
      return {kEight, kEight};
    case Representation::kComplex80:
      return {kLongDouble, kLongDouble};
    case Representation::kComplex128:
      return {kSixteen, kSixteen};
    case Representation::kDoubleInt:
      return {kEight, kFour};
    case Representation::kLongInt:
      return {kLong, kFour};
    case Representation::kShortInt:
      return {kTwo, kFour};
    case Representation::kLongDoubleInt:
      return {kLongDouble, kFour};
  }
  __builtin_unreachable();
}

// Calls step(skip, count, type, format) for blocks of at most kBlock native bytes, in packed order.
// Ends early with the first error.
template <class Step>
Error for_each_block(const Datatype& type, MPI_Count count, Step step) {
  BasicRuns runs(type, count);
  BasicRun run;
  MPI_Count skip = 0;
  while (runs.next(&run)) {
    const Format format = format_of(*run.type);
    while (run.count > 0) {
      const MPI_Count part = std::min(run.count, kBlock / run.type->size());
      if (Error e = step(skip, part, *run.type, format)) return e;
      skip += part * run.type->size();
      run.count -= part;
    }
  }
  return {};
}

// Calls convert(codec) for the numbers of `count` elements, one after the other.
template <class Convert>
void for_each_number(const Format& format, MPI_Count count, Convert convert) {
  for (MPI_Count i = 0; i < count; ++i) {
    convert(*format.first);
    if (format.second != nullptr) convert(*format.second);
  }
}

}  // namespace

MPI_Count external32_size(const Datatype& type) {
  BasicRuns runs(type, 1);
  BasicRun run;
  MPI_Count bytes = 0;
  while (runs.next(&run)) bytes += run.count * format_of(*run.type).external();
  return bytes;
}

Error encode_external32(ConstBuffer from, void* out) {
  auto* to = static_cast<char*>(out);
  return for_each_block(
      *from.type, from.count,
      [&](MPI_Count skip, MPI_Count count, const Datatype& type, const Format& format) -> Error {
        char block[kBlock];
        pack(from, skip, block, count * type.size());
        const char* number = block;
        bool fit = true;
        for_each_number(format, count, [&](const Codec& codec) {
          fit &= codec.encode(number, to);
          number += codec.native;
          to += codec.external;
        });
        if (fit) return {};
        return Error::make(MPI_ERR_VALUE_TOO_LARGE,
                           "a value of %s does not fit into the %lld bytes of external32",
                           type.constant_name(), static_cast<long long>(format.external()));
      });
}

void decode_external32(const void* in, Buffer to) {
  const auto* from = static_cast<const char*>(in);
  for_each_block(
      *to.type, to.count,
      [&](MPI_Count skip, MPI_Count count, const Datatype& type, const Format& format) -> Error {
        char block[kBlock];
        char* number = block;
        for_each_number(format, count, [&](const Codec& codec) {
          codec.decode(from, number);
          from += codec.external;
          number += codec.native;
        });
        unpack(to, skip, block, count * type.size());
        return {};
      })
      .ignore();
}

}  // namespace heddle::datatype
