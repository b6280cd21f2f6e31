#include "mpi/rma/part.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>

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
      posted_(platform::map_pages(size_ * size_ * sizeof(Count))) {}

Part::~Part() {
  platform::unmap(posted_);
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

std::size_t room_of(const Member& member, bool apart) noexcept {
  const auto bytes = static_cast<std::size_t>(member.size);
  return apart ? platform::round_up(bytes, platform::page_size()) : bytes;
}

// Memory without a name in the file system, all of it taken at once: a lack of memory is seen here,
// and not at the first touch.
int take_shared(std::size_t bytes) noexcept {
  const int descriptor = platform::make_shared_file();
  if (descriptor >= 0 && posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0) {
    return descriptor;
  }
  if (descriptor >= 0) close(descriptor);
  return -1;
}

platform::Mapping map_shared(int descriptor, std::size_t bytes) noexcept {
  void* const low = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return low == MAP_FAILED ? platform::Mapping{} : platform::Mapping{low, bytes, 0};
}

}  // namespace

void Part::give_places(bool apart) noexcept {
  auto* base = static_cast<std::byte*>(segment_.low);
  for (std::size_t i = 0; i < size_; ++i) {
    const bool has_place = !apart || members_[i].size > 0;
    members_[i].base = has_place ? base : nullptr;
    base += room_of(members_[i], apart);
  }
}

SegmentName Part::take_segment(bool apart, bool named) noexcept {
  std::size_t bytes = platform::page_size();
  for (std::size_t i = 0; i < size_; ++i) bytes += room_of(members_[i], apart);
  if (named) {
    descriptor_ = take_shared(bytes);
    if (descriptor_ >= 0) segment_ = map_shared(descriptor_, bytes);
  } else {
    segment_ = platform::map_pages(bytes);
  }
  if (segment_.low == nullptr) return {};
  give_places(apart);
  return {bytes, getpid(), descriptor_};
}

bool Part::map_segment(const SegmentName& name, bool apart) noexcept {
  const std::string path =
      "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.descriptor);
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  segment_ = map_shared(descriptor, name.bytes);
  close(descriptor);
  if (segment_.low == nullptr) return false;
  give_places(apart);
  return true;
}

void Part::close_segment() noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

}  // namespace heddle::rma
