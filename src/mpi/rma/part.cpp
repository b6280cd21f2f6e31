#include "mpi/rma/part.h"

#include <algorithm>

namespace heddle::rma {

Part::Part(int members)
    : SharedPart(members),
      size_(static_cast<std::size_t>(members)),
      members_(new Member[size_]),
      posted_(platform::map_pages(size_ * size_ * sizeof(Count))) {}

Part::~Part() {
  platform::unmap(posted_);
  platform::unmap(segment_);
}

int Part::first_failure() const noexcept {
  if (!is_whole()) return MPI_ERR_NO_MEM;
  const Member *const begin = members_.get(), *const end = begin + size_;
  const Member* const failed =
      std::find_if(begin, end, [](const Member& member) { return member.failed != MPI_SUCCESS; });
  return failed == end ? MPI_SUCCESS : failed->failed;
}

bool Part::take_segment(bool apart) noexcept {
  const std::size_t page = platform::page_size();
  const auto room = [apart, page](const Member& member) {
    const auto bytes = static_cast<std::size_t>(member.size);
    return apart ? platform::round_up(bytes, page) : bytes;
  };
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < size_; ++i) bytes += room(members_[i]);
  segment_ = platform::map_pages(std::max(bytes, page));
  if (segment_.low == nullptr) return false;
  auto* base = static_cast<std::byte*>(segment_.low);
  for (std::size_t i = 0; i < size_; ++i) {
    const bool has_place = !apart || members_[i].size > 0;
    members_[i].base = has_place ? base : nullptr;
    base += room(members_[i]);
  }
  return true;
}

}  // namespace heddle::rma
