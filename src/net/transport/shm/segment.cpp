#include "net/transport/shm/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/platform/memory.h"

namespace heddle::transport {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint64_t kFormat = 0x6864646c73680001;  // "hddlsh", version 1

std::size_t whole_pages(std::size_t bytes) noexcept {
  return platform::round_up(bytes, kPage);
}

std::size_t writers_bytes(const Shape& shape) noexcept {
  return whole_pages(static_cast<std::size_t>(shape.channels) * shape.writer_words() *
                     sizeof(std::uint64_t));
}

std::uint64_t kind_of(const Shape& shape) noexcept {
  const std::uint64_t numbers =
      static_cast<std::uint64_t>(shape.hosts) << 8 | static_cast<std::uint64_t>(shape.channels);
  return kFormat ^ numbers << 16;
}

Error cannot(const char* what) {
  return Error::make(kErrorOther, "shared memory between processes cannot be %s: %s", what,
                     std::strerror(errno));
}

}  // namespace

namespace {
// How long the payload of the longest packet is.
std::size_t piece_bytes(int hosts) noexcept {
  if (hosts <= 16) return 32 << 10;
  if (hosts <= 32) return 16 << 10;
  return hosts <= 128 ? 8 << 10 : 4 << 10;
}
}  // namespace

// A line for the head: so a payload of a power of two is not a byte too long for its pieces.
std::size_t Shape::data_bytes() const noexcept {
  return kPacketsInData * (piece_bytes(hosts) + kLine);
}

std::size_t Shape::ring_bytes() const noexcept {
  return whole_pages(sizeof(Ring) + data_bytes());
}

std::size_t Shape::area_bytes() const noexcept {
  const auto rings = static_cast<std::size_t>(hosts) * static_cast<std::size_t>(channels);
  return kPage + writers_bytes(*this) + rings * ring_bytes();
}

std::size_t Shape::segment_bytes() const noexcept {
  return kPage + static_cast<std::size_t>(hosts) * area_bytes();
}

Error Segment::open(int descriptor, const Shape& shape, std::shared_ptr<Segment>* opened) {
  static_assert(sizeof(Header) <= kPage && sizeof(Area) <= kPage);
  const std::size_t bytes = shape.segment_bytes();
  // Several processes may do this at once: each gives it the same size; then a seal may already be
  // there, and agrees.
  struct stat file = {};
  if (fstat(descriptor, &file) != 0) return cannot("opened");
  if (file.st_size != 0 && static_cast<std::size_t>(file.st_size) != bytes) {
    return Error::make(kErrorOther, "shared memory between processes has %lld bytes, not %zu",
                       static_cast<long long>(file.st_size), bytes);
  }
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) return cannot("sized");
  fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return cannot("mapped (it takes address space, but no memory)");
  std::shared_ptr<Segment> made(new Segment(static_cast<std::byte*>(memory), shape));
  if (Error e = made->claim()) return e;
  *opened = std::move(made);
  return {};
}

Error Segment::claim() noexcept {
  std::uint64_t none = 0;
  const std::uint64_t kind = kind_of(shape_);
  if (!header().kind.compare_exchange_strong(none, kind, std::memory_order_relaxed) &&
      none != kind) {
    return Error::make(kErrorOther,
                       "shared memory between processes is of another version or another job");
  }
  std::uint64_t mark = 0;
  if (getrandom(&mark, sizeof mark, 0) != sizeof mark) return cannot("marked");
  none = 0;
  header().mark.compare_exchange_strong(none, mark | 1, std::memory_order_relaxed);
  return {};
}

Segment::~Segment() {
  munmap(memory_, shape_.segment_bytes());
}

std::byte* Segment::area_memory(int host) const noexcept {
  return memory_ + kPage + static_cast<std::size_t>(host) * shape_.area_bytes();
}

Ring& Segment::ring(int to, int channel, int from) noexcept {
  const auto number = static_cast<std::size_t>(channel) * static_cast<std::size_t>(shape_.hosts) +
                      static_cast<std::size_t>(from);
  return *reinterpret_cast<Ring*>(area_memory(to) + kPage + writers_bytes(shape_) +
                                  number * shape_.ring_bytes());
}

std::atomic<std::uint64_t>& Segment::writers(int to, int channel, std::size_t word) noexcept {
  auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(area_memory(to) + kPage);
  return words[static_cast<std::size_t>(channel) * shape_.writer_words() + word];
}

void Segment::ring_all(int descriptor, int hosts) noexcept {
  struct stat file = {};
  if (fstat(descriptor, &file) != 0 || file.st_size == 0) return;
  const auto bytes = static_cast<std::size_t>(file.st_size);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return;
  const std::size_t area_bytes = (bytes - kPage) / static_cast<std::size_t>(hosts);
  for (int i = 0; i < hosts; ++i) {
    auto* const area =
        static_cast<std::byte*>(memory) + kPage + static_cast<std::size_t>(i) * area_bytes;
    reinterpret_cast<Area*>(area)->bell.ring();
  }
  munmap(memory, bytes);
}

void Segment::lose(int host) noexcept {
  area(host).lost.store(1, std::memory_order_relaxed);
  header().losses.fetch_add(1, std::memory_order_seq_cst);  // with asleep_, see bell.h
  for (int i = 0; i < shape_.hosts; ++i) bell(i).ring_if_awaited();
}

}  // namespace heddle::transport
