#include "mpi/rma/part.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/platform/shared_file.h"

namespace heddle::rma {

void LateErrors::note(int origin, int target, int error_class) {
  const MutexGuard guard(lock_);
  classes_.try_emplace({origin, target}, error_class);
}

int LateErrors::take(int origin, int target) {
  const MutexGuard guard(lock_);
  const auto found = classes_.extract({origin, target});
  return found.empty() ? MPI_SUCCESS : found.mapped();
}

Part::Part(int members, int here)
    : SharedPart(here),
      size_(static_cast<std::size_t>(members)),
      members_(new Member[size_]),
      own_words_(platform::map_pages(Words::bytes(size_))),
      words_(own_words_.low == nullptr ? Words() : Words(own_words_.low, size_)) {}

Part::~Part() {
  platform::unmap(own_words_);
  platform::unmap(segment_);
  close_segment();
}

int Part::first_failure() const noexcept {
  if (!is_whole()) return MPI_ERR_NO_MEM;
  const Member *const begin = members_.get(), *const end = begin + size_;
  const Member* const failed =
      std::find_if(begin, end, [](const Member& member) { return member.failed != MPI_SUCCESS; });
  return failed == end ? MPI_SUCCESS : failed->failed;
}

namespace {

std::size_t room_of(const Member& member, std::size_t alignment) noexcept {
  const auto bytes = static_cast<std::size_t>(member.size);
  return alignment == 0 ? bytes : platform::round_up(bytes, alignment);
}

// `bytes` of a file, at an address that is a multiple of `alignment`; 0: of a page.
platform::Mapping map_shared(int descriptor, std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t all = bytes + alignment;
  void* const reserved = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return {};
  const std::size_t step = std::max(alignment, platform::page_size());
  const std::size_t skip = platform::round_up(reinterpret_cast<std::uintptr_t>(reserved), step) -
                           reinterpret_cast<std::uintptr_t>(reserved);
  std::byte* const low = static_cast<std::byte*>(reserved) + skip;
  const bool is_mapped =
      mmap(low, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0) != MAP_FAILED;
  if (is_mapped) {
    if (skip != 0) munmap(reserved, skip);
    if (all - skip != bytes) munmap(low + bytes, all - skip - bytes);
    return {low, bytes, 0};
  }
  munmap(reserved, all);
  return {};
}

}  // namespace

std::size_t Part::front_bytes() const noexcept {
  return sizeof stripes_of_process + Words::bytes(size_);
}

void Part::give_places(std::size_t alignment) noexcept {
  auto* const low = static_cast<std::byte*>(segment_.low);
  std::byte* base = low;
  if (is_mapped_) {
    stripes_ = Stripes(reinterpret_cast<Stripe*>(low), low);
    words_ = Words(low + sizeof stripes_of_process, size_);
    base += platform::round_up(front_bytes(), std::max(alignment, platform::page_size()));
  }
  for (std::size_t i = 0; i < size_; ++i) {
    const bool has_place = alignment == 0 || members_[i].size > 0;
    members_[i].base = has_place ? base : nullptr;
    base += room_of(members_[i], alignment);
  }
}

// Each process takes its members' memory, so that it lies near them; all at once, so that a lack of
// memory is seen here, and not at the first touch.
bool Part::take_rooms(int descriptor) const noexcept {
  const auto* const low = static_cast<const std::byte*>(segment_.low);
  for (std::size_t i = 0; i < size_; ++i) {
    const Member& member = members_[i];
    if (!member.here || member.size == 0) continue;
    if (posix_fallocate(descriptor, member.base - low, static_cast<off_t>(member.size)) != 0) {
      return false;
    }
  }
  return true;
}

SegmentName Part::take_segment(std::size_t alignment, bool named) noexcept {
  std::size_t bytes = front_bytes() + platform::page_size() + alignment;
  for (std::size_t i = 0; i < size_; ++i) bytes += room_of(members_[i], alignment);
  bytes = platform::round_up(bytes, platform::page_size());
  is_mapped_ = named;
  if (named) {
    descriptor_ = platform::make_shared_file();
    const bool is_there = descriptor_ >= 0 &&
                          ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0 &&
                          posix_fallocate(descriptor_, 0, static_cast<off_t>(front_bytes())) == 0;
    if (is_there) segment_ = map_shared(descriptor_, bytes, alignment);
  } else {
    segment_ = platform::map_pages(bytes);
  }
  if (segment_.low == nullptr) return {};
  give_places(alignment);
  if (named && !take_rooms(descriptor_)) return {};
  return {bytes, alignment, getpid(), descriptor_};
}

bool Part::map_segment(const SegmentName& name) noexcept {
  const int descriptor = platform::open_shared_file(name.process, name.descriptor);
  if (descriptor < 0) return false;
  is_mapped_ = true;
  segment_ = map_shared(descriptor, name.bytes, name.alignment);
  if (segment_.low != nullptr) give_places(name.alignment);
  const bool is_there = segment_.low != nullptr && take_rooms(descriptor);
  close(descriptor);
  return is_there;
}

void Part::close_segment() noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

}  // namespace heddle::rma
