// shm.h — the transport between hosts of a node: rings in shared memory (segment.h, ring.h).
//
//   try_send ──► RingWriter of (this host, to_host) ──► rings the bell of to_host, if it sleeps
//   poll     ──► RingReader of each host that has written ──► on_packet, from the ring's own memory
//
// A payload is copied twice: into the ring, and by the receiver to where it belongs. A send that
// finds no room is told of room by the bell (T8), so a thread that waits for room sleeps. No thread
// watches anything, and none spins here.
//
// How a sleeping host learns of a packet (T5):
//   Sleepers::kAtBells   each host is a process; a thread of it that waits sleeps at its bell
//                        (segment.h)
//   Sleepers::kHere      all hosts are pretended in this process: Opening::wake after each packet
//
// A host is lost when a process says so (Segment::lose): the launcher, which is the parent of all.
//
// Thread safety: see transport.h.

#pragma once

#include <memory>
#include <string_view>

#include "net/transport/factory.h"
#include "net/transport/shm/segment.h"

namespace heddle::transport {

enum class Sleepers : unsigned char { kAtBells, kHere };

class ShmFactory final : public Factory {
 public:
  // `descriptor`: memory of platform::make_shared_file(), for this number of hosts, all of one
  // node. It is not closed here.
  ShmFactory(int descriptor, int hosts, Sleepers sleepers) noexcept
      : descriptor_(descriptor), hosts_(hosts), sleepers_(sleepers) {}

  std::string_view name() const noexcept override { return "shared memory"; }
  bool reaches(const Location& from, const Location& to) const noexcept override {
    return from.node == to.node;
  }
  Error open(const Opening& opening, std::unique_ptr<Transport>* made) override;

  // Once one has been opened: the memory, and the address of any of its hosts.
  Segment& segment() noexcept { return *segment_; }
  Address address_of(int host) const;

 private:
  const int descriptor_;
  const int hosts_;
  const Sleepers sleepers_;
  std::shared_ptr<Segment> segment_;
};

}  // namespace heddle::transport
