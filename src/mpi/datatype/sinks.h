// sinks.h — the loops that move bytes between a layout and packed memory; see walk.h.
//
// Runs of 4, 8 and 16 bytes have loops of their own; their lengths are constants, so memcpy becomes
// one or two instructions that need no alignment.
//
// Thread safety: a sink belongs to one call.

#pragma once

#include <cstring>

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
void copy_one(char* to, const char* from, Length bytes) noexcept {
  if constexpr (std::is_same_v<Length, MPI_Count>) {
    copy_run(to, from, bytes);
  } else {
    std::memcpy(to, from, length(Length::value));
  }
}

// From the layout to packed memory.
class Packer {
 public:
  explicit Packer(void* out) noexcept : out_(static_cast<char*>(out)) {}

  void run(Address at, MPI_Count bytes) noexcept {
    copy_run(out_, pointer(at), bytes);
    out_ += bytes;
  }
  void strided(Address at, MPI_Count stride, MPI_Count bytes, MPI_Count count) noexcept {
    with_length(bytes, [=, this](auto each) {
      char* out = out_;
      for (MPI_Count i = 0; i < count; ++i) {
        copy_one(out + i * each, pointer(moved(at, i * stride)), each);
      }
      out_ = out + count * each;
    });
  }
  void scattered(Address base, const MPI_Count* offsets, MPI_Count bytes,
                 MPI_Count count) noexcept {
    with_length(bytes, [=, this](auto each) {
      char* out = out_;
      for (MPI_Count i = 0; i < count; ++i) {
        copy_one(out + i * each, pointer(moved(base, offsets[i])), each);
      }
      out_ = out + count * each;
    });
  }

 private:
  char* out_;
};

// From packed memory to the layout.
class Unpacker {
 public:
  explicit Unpacker(const void* in) noexcept : in_(static_cast<const char*>(in)) {}

  void run(Address at, MPI_Count bytes) noexcept {
    copy_run(pointer(at), in_, bytes);
    in_ += bytes;
  }
  void strided(Address at, MPI_Count stride, MPI_Count bytes, MPI_Count count) noexcept {
    with_length(bytes, [=, this](auto each) {
      const char* in = in_;
      for (MPI_Count i = 0; i < count; ++i) {
        copy_one(pointer(moved(at, i * stride)), in + i * each, each);
      }
      in_ = in + count * each;
    });
  }
  void scattered(Address base, const MPI_Count* offsets, MPI_Count bytes,
                 MPI_Count count) noexcept {
    with_length(bytes, [=, this](auto each) {
      const char* in = in_;
      for (MPI_Count i = 0; i < count; ++i) {
        copy_one(pointer(moved(base, offsets[i])), in + i * each, each);
      }
      in_ = in + count * each;
    });
  }

 private:
  const char* in_;
};

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

 private:
  Visit visit_;
};

}  // namespace heddle::datatype
