// segment.h — the memory through which the hosts of a node talk: one memfd, which all of them map.
//
//   | Header | Area of host 0 | Area of host 1 | … |            everything begins on a page
//
//   Area  | bell, ended, lost | writers, by channel | Ring 0 0 | Ring 0 1 | … | Ring 1 0 | … |
//           a page                a bit a host        └ from host 0, 1, … by channel 0
//                                                                └ by channel 1
//
// A ring is for packets *to* the host whose area it is in. The file is sparse: there is address
// space for a ring of each pair, but memory only for those that have carried packets, and only as
// far as they were filled. A writer sets its bit before its first packet, and a reader looks only
// at rings with a bit: a look at a page would bring it into being.
//
// Rings get smaller with the number of hosts, so that all of them together stay within some hundred
// MiB.
//
// Nothing is left behind: the file has no name, and goes with the last process that maps it. Its
// mode is 0600, and its size is sealed, so that no process can take memory away under the others.
//
// A process opens the file at its number in its own table of descriptors, where a launcher (or a
// test) has put it. Once it is mapped the descriptor may be closed.
//
// Thread safety: open() one thread; the rest any thread of any process.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "base/platform/bell.h"
#include "net/transport/shm/ring.h"

namespace heddle::transport {

struct Shape {
  int hosts = 0;     // of the node
  int channels = 1;  // the same on all hosts

  std::size_t data_bytes() const noexcept;  // of a ring
  std::size_t packet_bytes() const noexcept { return data_bytes() / kPacketsInData; }
  std::size_t ring_bytes() const noexcept;
  std::size_t area_bytes() const noexcept;
  std::size_t segment_bytes() const noexcept;
  std::size_t writer_words() const noexcept { return (static_cast<std::size_t>(hosts) + 63) / 64; }
};

class Segment {
 public:
  // Maps the memory behind a descriptor of platform::make_shared_file(). The first one to come
  // gives it its size and its mark. Fails if it is not such memory, or one of another shape.
  static Error open(int descriptor, const Shape& shape, std::shared_ptr<Segment>* opened);
  ~Segment();
  Segment(Segment&&) = delete;

  const Shape& shape() const noexcept { return shape_; }

  // Tells this memory from any other.
  std::uint64_t mark() const noexcept { return header().mark.load(std::memory_order_relaxed); }

  // Rings all bells of a job of `hosts` hosts, for a launcher, which knows no more of the shape.
  // Nothing where no host has opened it.
  static void ring_all(int descriptor, int hosts) noexcept;

  platform::Bell& bell(int host) noexcept { return area(host).bell; }
  Ring& ring(int to, int channel, int from) noexcept;
  // A word of 64 hosts: those that have written to `to` by this channel.
  std::atomic<std::uint64_t>& writers(int to, int channel, std::size_t word) noexcept;

  // The endpoint is no longer there. seq_cst, with Ring::wants_room: see ~ShmEndpoint.
  void end(int host, int channel) noexcept {
    area(host).ended[channel].store(1, std::memory_order_seq_cst);
  }
  bool has_ended(int host, int channel) noexcept {
    return area(host).ended[channel].load(std::memory_order_seq_cst) != 0;
  }

  // The host is lost to all others, and they to it. Any process may say so: a launcher that has
  // seen it die.
  void lose(int host) noexcept;
  bool is_lost(int host) noexcept { return area(host).lost.load(std::memory_order_relaxed) != 0; }
  // How many have been lost. acquire: is_lost() knows of them.
  std::uint32_t losses() const noexcept { return header().losses.load(std::memory_order_seq_cst); }

  static constexpr int kMostChannels = 64;

 private:
  struct Header {
    std::atomic<std::uint64_t> kind;  // of the format and the shape; 0: the file is new
    std::atomic<std::uint64_t> mark;
    std::atomic<std::uint32_t> losses;
  };
  struct Area {
    platform::Bell bell;
    alignas(kLine) std::atomic<std::uint8_t> ended[kMostChannels];
    alignas(kLine) std::atomic<std::uint32_t> lost;
  };

  Segment(std::byte* memory, const Shape& shape) noexcept : memory_(memory), shape_(shape) {}

  Error claim() noexcept;
  Header& header() const noexcept { return *reinterpret_cast<Header*>(memory_); }
  std::byte* area_memory(int host) const noexcept;
  Area& area(int host) noexcept { return *reinterpret_cast<Area*>(area_memory(host)); }

  std::byte* const memory_;
  const Shape shape_;
};

}  // namespace heddle::transport
