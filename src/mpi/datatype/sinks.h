// sinks.h — the loops that move bytes between a layout and packed memory; see walk.h.
//
// Runs of 4, 8 and 16 bytes have loops of their own; their lengths are constants, so memcpy becomes
// one or two instructions that need no alignment.
//
// Thread safety: a sink belongs to one call.

#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "mpi/datatype/walk.h"

namespace heddle::datatype {

inline std::size_t length(MPI_Count bytes) noexcept {
  return static_cast<std::size_t>(bytes);
}
inline char* pointer(Address address) noexcept {
  return reinterpret_cast<char*>(address);
}

// Copies of any length; the short ones without a call.
inline void copy_run(char* to, const char* from, MPI_Count bytes) noexcept {
  // Two overlapping moves cover every length from one to two of their widths.
  const auto twice = [&]<class Word>(Word first) {
    Word last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + bytes - static_cast<MPI_Count>(sizeof last), sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + bytes - static_cast<MPI_Count>(sizeof last), &last, sizeof last);
  };
  struct Sixteen {
    std::uint64_t words[2];
  };
  if (bytes > 32) {
    std::memcpy(to, from, length(bytes));
  } else if (bytes >= 16) {
    twice(Sixteen{});
  } else if (bytes >= 8) {
    twice(std::uint64_t{});
  } else if (bytes >= 4) {
    twice(std::uint32_t{});
  } else {
    for (MPI_Count i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

// Calls `loop` with the run's length, as a constant where that pays.
template <class Loop>
void with_length(MPI_Count bytes, Loop loop) noexcept {
  switch (bytes) {
    case 4:
      loop(std::integral_constant<MPI_Count, 4>());
      break;
    case 8:
      loop(std::integral_constant<MPI_Count, 8>());
      break;
    case 16:
      loop(std::integral_constant<MPI_Count, 16>());
      break;
    case 24:
      loop(std::integral_constant<MPI_Count, 24>());
      break;
    default:
      loop(bytes);
      break;
  }
}

template <class Length>
inline constexpr bool kIsConstant = !std::is_same_v<Length, MPI_Count>;

template <class Length>
void copy_one(char* to, const char* from, Length bytes) noexcept {
  if constexpr (kIsConstant<Length>) {
    std::memcpy(to, from, length(Length::value));
  } else {
    copy_run(to, from, bytes);
  }
}

// Copies `count` runs from from(i) to to(i). Several at a time where the length is a constant: all
// are read before the first is written, since the compiler cannot know that they do not overlap.
template <class Length, class From, class To>
void copy_runs(Length bytes, MPI_Count count, From from, To to) noexcept {
  MPI_Count i = 0;
  if constexpr (kIsConstant<Length>) {
    using Word = std::conditional_t<Length::value % 8 == 0, std::uint64_t, std::uint32_t>;
    struct Run {
      Word words[static_cast<std::size_t>(Length::value) / sizeof(Word)];
    };
    constexpr MPI_Count kAtOnce = Length::value <= 8 ? 8 : 4;
    for (; i + kAtOnce <= count; i += kAtOnce) {
      Run runs[kAtOnce];
#pragma GCC unroll 8
      for (MPI_Count j = 0; j < kAtOnce; ++j) std::memcpy(&runs[j], from(i + j), sizeof(Run));
#pragma GCC unroll 8
      for (MPI_Count j = 0; j < kAtOnce; ++j) std::memcpy(to(i + j), &runs[j], sizeof(Run));
    }
  }
  for (; i < count; ++i) copy_one(to(i), from(i), bytes);
}

// Every `stride` bytes from `at` on.
inline auto every(Address at, MPI_Count stride) noexcept {
  return [=](MPI_Count i) { return pointer(moved(at, i * stride)); };
}
// Element i is at base + offsets[i].
inline auto at_each(Address base, const MPI_Count* offsets) noexcept {
  return [=](MPI_Count i) { return pointer(moved(base, offsets[i])); };
}

enum class Direction : bool { kPack, kUnpack };

// Copies from the layout to packed memory, or back.
template <Direction direction>
class Mover {
 public:
  using Packed = std::conditional_t<direction == Direction::kPack, void*, const void*>;
  explicit Mover(Packed packed) noexcept : packed_(reinterpret_cast<Address>(packed)) {}

  void run(Address at, MPI_Count bytes) noexcept {
    move(packed_, at, bytes);
    packed_ = moved(packed_, bytes);
  }
  void strided(Address at, MPI_Count stride, MPI_Count bytes, MPI_Count count) noexcept {
    move_all(every(at, stride), bytes, count);
  }
  void scattered(Address base, const MPI_Count* offsets, MPI_Count bytes,
                 MPI_Count count) noexcept {
    move_all(at_each(base, offsets), bytes, count);
  }
  void records(Address at, MPI_Count stride, MPI_Count count, const Fields& fields) noexcept {
    // Copied to locals: the compiler must assume that the bytes that are written overlap our
    // members.
    const Fields local = fields;
    Address packed = moved(packed_, -local.starts[0]);
    for (MPI_Count i = 0; i < count; ++i, at = moved(at, stride)) {
      for (MPI_Count j = 0; j < local.count; ++j) {
        move(moved(packed, local.starts[j]), moved(at, local.offsets[j]),
             local.starts[j + 1] - local.starts[j]);
      }
      packed = moved(packed, local.bytes());
    }
    packed_ = moved(packed, local.starts[0]);
  }

 private:
  static constexpr bool kPacks = direction == Direction::kPack;

  [[gnu::always_inline]] static void move(Address packed, Address at, MPI_Count bytes) noexcept {
    copy_run(pointer(kPacks ? packed : at), pointer(kPacks ? at : packed), bytes);
  }
  // `places(i)`: where run i is in the layout.
  template <class Places>
  [[gnu::always_inline]] void move_all(Places places, MPI_Count bytes, MPI_Count count) noexcept {
    with_length(bytes, [=, this](auto each) {
      if constexpr (kPacks) {
        copy_runs(each, count, places, every(packed_, each));
      } else {
        copy_runs(each, count, every(packed_, each), places);
      }
    });
    packed_ = moved(packed_, bytes * count);
  }

  Address packed_;
};
using Packer = Mover<Direction::kPack>;
using Unpacker = Mover<Direction::kUnpack>;

// Calls `visit(address, bytes)` for each run.
template <class Visit>
class EachRun {
 public:
  explicit EachRun(Visit visit) noexcept : visit_(visit) {}

  void run(Address at, MPI_Count bytes) noexcept { visit_(at, bytes); }
  void strided(Address at, MPI_Count stride, MPI_Count bytes, MPI_Count count) noexcept {
    for (MPI_Count i = 0; i < count; ++i) visit_(moved(at, i * stride), bytes);
  }
  void scattered(Address base, const MPI_Count* offsets, MPI_Count bytes,
                 MPI_Count count) noexcept {
    for (MPI_Count i = 0; i < count; ++i) visit_(moved(base, offsets[i]), bytes);
  }
  void records(Address at, MPI_Count stride, MPI_Count count, const Fields& fields) noexcept {
    for (MPI_Count i = 0; i < count; ++i) {
      for (MPI_Count j = 0; j < fields.count; ++j) {
        visit_(moved(at, i * stride + fields.offsets[j]), fields.starts[j + 1] - fields.starts[j]);
      }
    }
  }

 private:
  Visit visit_;
};

}  // namespace heddle::datatype
