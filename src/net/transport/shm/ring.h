// ring.h — packets from one endpoint to another through memory that their processes share: one
// writer, one reader.
//
//   Ring   | taken, wants_room | cell 0 | cell 1 | … | cell 255 |      data, in whole lines      |
//            written by the      two lines a packet                payloads that fit no cell, each
//            reader, the writer                                    in one piece; the writer skips
//                                                                  the end of the data if one would
//                                                                  not fit
//
//   Cell  | turn | bytes | at | up to 120 bytes in line |  at = kInLine, or the place in data, in
//           4      2       2                               steps of 8 bytes
//
// A long body begins at a line: its head stands at the end of the line before. Copies of lines are
// the fastest ones. A reader that finds a packet fetches all its lines at once, lest it wait for
// one after the other.
//
// Packet number n stands in cell n % kCells. Its turn is then n + 1; before, it is another packet's
// or 0. The reader waits for that, so a short packet moves one line from core to core, or the two
// of its cell.
//
//   state of packet n        turn in its cell     by
//   -----------------------  -------------------  -------------------------------------------------
//   not there                ≠ n + 1
//   there                    n + 1                writer: payload, bytes, at, then turn        [R1]
//   taken                    n + 1                reader, which sees turn [A1]: taken = n + 1  [R2]
//   its cell is free         n + 1                writer, once it has read taken > n           [A2]
//
// Memory order: all four are seq_cst, as bell.h asks; what they publish needs less:
//   [R1] pairs with [A1]: the reader sees the payload.
//   [R2] pairs with [A2]: the reader has done with cell and data, which the writer fills again.
// seq_cst orders turn with Bell::asleep_ of the reader's host, and taken with wants_room:
//
//   writer  finds no room: wants_room = 1 [W1]; looks at taken again [W2]; sleeps as bell.h says
//   reader  taken = n + 1 [R2], wants_room is 1: wants_room = 0 [R3]; rings the bell of the
//           writer's host, if it sleeps
//
// Either the writer sees what was taken or the reader sees the wish. A wish that [R3] takes back is
// no loss: a writer that says that it sleeps and then finds its wish standing is found by the ring
// that follows [R3]; one that does not wishes again. For that [R3] is seq_cst, too. A writer that
// still finds no room then has a reader that will come back: some packet is not taken.
//
// The writer remembers by itself where the data of each packet ends, so one counter frees both.
// Counters wrap around.
//
// The reader trusts nothing: bytes and at must stay inside of the ring, else the packet is refused.
//
// Zeroed memory is an empty ring. Thread safety: one thread at a time writes, one reads.

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/platform/cpu.h"
#include "base/platform/streaming.h"
#include "net/transport/transport.h"

namespace heddle::transport {

constexpr std::size_t kLine = platform::kCacheLine;

struct alignas(2 * kLine) Cell {
  static constexpr std::size_t kMostInLine = 120;
  static constexpr std::uint16_t kInLine = 0xffff;
  static constexpr std::size_t kStep = 8;  // of `at`

  std::atomic<std::uint32_t> turn;
  std::uint16_t bytes;
  std::uint16_t at;
  std::byte in_line[kMostInLine];
};
static_assert(sizeof(Cell) == 2 * kLine);

struct Ring {
  static constexpr std::uint32_t kCells = 256;

  alignas(kLine) std::atomic<std::uint32_t> taken;
  alignas(kLine) std::atomic<std::uint32_t> wants_room;
  std::array<Cell, kCells> cells;

  std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

// The part of the data that the longest packet has: so that several fit.
constexpr std::size_t kPacketsInData = 8;

// Bodies from this length on begin at a line.
constexpr std::size_t kLongBody = 128;

// Bodies from this length on are stored as suits the distance of the reader's core.
constexpr std::size_t kStreamed = 1024;

// So much of a packet its reader fetches at once; the rest follows as it copies.
constexpr std::size_t kFetched = 64 * kLine;

class RingWriter {
 public:
  RingWriter(Ring& ring, std::size_t data_bytes) noexcept
      : ring_(ring), data_lines_(static_cast<std::uint32_t>(data_bytes / kLine)) {}

  // False: there is no room now. Then a read of the ring tells (RingReader::free).
  bool try_write(Bytes head, Bytes body) noexcept {
    const std::size_t bytes = head.size() + body.size();
    const bool in_line = bytes <= Cell::kMostInLine;
    const std::size_t before = body.size() < kLongBody ? 0 : gap_before(head.size());
    const std::uint32_t lines =
        in_line ? 0 : static_cast<std::uint32_t>((before + bytes + kLine - 1) / kLine);
    // The data of a packet begins at the front again if it would not fit.
    const std::uint32_t place = data_written_ % data_lines_;
    const std::uint32_t skip = place + lines > data_lines_ ? data_lines_ - place : 0;
    if (!has_room(skip + lines)) return false;
    Cell& cell = ring_.cells[written_ % Ring::kCells];
    const std::size_t at = (skip != 0 ? 0 : place) * kLine + before;
    std::byte* const to = in_line ? cell.in_line : ring_.data() + at;
    if (!head.empty()) std::memcpy(to, head.data(), head.size());
    if (body.size() < kStreamed) {
      if (!body.empty()) std::memcpy(to + head.size(), body.data(), body.size());
    } else {
      store_.copy(to + head.size(), body.data(), body.size());
    }
    cell.bytes = static_cast<std::uint16_t>(bytes);
    cell.at = in_line ? Cell::kInLine : static_cast<std::uint16_t>(at / Cell::kStep);
    data_written_ += skip + lines;
    data_end_[written_ % Ring::kCells] = data_written_;
    cell.turn.store(++written_, std::memory_order_seq_cst);  // [R1]
    return true;
  }

 private:
  // What is left free before a head, so that the body behind it begins at a line.
  static std::size_t gap_before(std::size_t head) noexcept {
    return head % Cell::kStep == 0 ? (kLine - head % kLine) % kLine : 0;
  }
  bool has_room(std::uint32_t lines) noexcept {
    if (fits(lines)) return true;
    if (see_taken(), fits(lines)) return true;
    // [W1] A wish that stands is not written again, lest the line move for each try.
    if (ring_.wants_room.load(std::memory_order_seq_cst) == 0) {
      ring_.wants_room.store(1, std::memory_order_seq_cst);
    }
    see_taken();  // [W2]
    if (!fits(lines)) return false;
    ring_.wants_room.store(0, std::memory_order_relaxed);
    return true;
  }
  bool fits(std::uint32_t lines) const noexcept {
    return written_ - taken_ < Ring::kCells && data_written_ - data_taken_ + lines <= data_lines_;
  }
  void see_taken() noexcept {
    const std::uint32_t taken = ring_.taken.load(std::memory_order_seq_cst);  // [A2]
    if (taken == taken_ || taken - taken_ > written_ - taken_) return;  // the latter is nonsense
    taken_ = taken;
    data_taken_ = data_end_[(taken - 1) % Ring::kCells];
  }

  Ring& ring_;
  platform::StoresForAnother store_;
  const std::uint32_t data_lines_;
  std::uint32_t written_ = 0;                           // packets
  std::uint32_t taken_ = 0;                             // of these, as far as seen
  std::uint32_t data_written_ = 0;                      // lines, with those that were skipped
  std::uint32_t data_taken_ = 0;                        // of these, as far as seen
  std::array<std::uint32_t, Ring::kCells> data_end_{};  // by cell: data_written_ behind its packet
};

class RingReader {
 public:
  RingReader(Ring& ring, std::size_t data_bytes) noexcept : ring_(ring), data_bytes_(data_bytes) {}

  // A packet that has come stays in the ring until take().
  bool has_packet() const noexcept {
    return cell().turn.load(std::memory_order_seq_cst) == taken_ + 1;  // [A1]
  }
  // The packet. False: the writer has written nonsense.
  [[nodiscard]] bool read(Bytes* packet) const noexcept {
    const Cell& full = cell();
    const std::size_t bytes = full.bytes;
    const std::uint16_t place = full.at;
    if (place == Cell::kInLine) {
      *packet = {full.in_line, bytes};
      return bytes <= Cell::kMostInLine;
    }
    const std::size_t at = place * Cell::kStep;
    const bool inside = at < data_bytes_ && bytes <= data_bytes_ - at;
    if (!inside) return false;
    *packet = {ring_.data() + at, bytes};
    platform::fetch(packet->data(), std::min(bytes, kFetched));
    return true;
  }
  void take(std::size_t bytes) noexcept {
    ++taken_;
    held_ += bytes;
  }

  // True if enough has been taken that the writer should learn of it before the rest is.
  bool holds_much() const noexcept { return held_ >= data_bytes_ / kPacketsInData / 2; }

  // True if the writer waits for room.
  bool has_wish() const noexcept { return ring_.wants_room.load(std::memory_order_seq_cst) != 0; }

  // Tells the writer what has been taken. True: it waits for that.
  [[nodiscard]] bool free() noexcept {
    held_ = 0;
    ring_.taken.store(taken_, std::memory_order_seq_cst);  // [R2]
    if (!has_wish()) return false;
    ring_.wants_room.store(0, std::memory_order_seq_cst);  // [R3]
    return true;
  }

 private:
  Cell& cell() const noexcept { return ring_.cells[taken_ % Ring::kCells]; }

  Ring& ring_;
  const std::size_t data_bytes_;
  std::uint32_t taken_ = 0;
  std::size_t held_ = 0;  // bytes that have been taken, and that the writer has not been told of
};

}  // namespace heddle::transport
