#include "runtime/ways/node_cards.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/platform/futex.h"
#include "base/platform/shared_file.h"

namespace heddle::runtime {

namespace {

constexpr off_t kPage = 4096;

Error no_file(const char* what) {
  return Error::make(kErrorOther, "the addresses of other nodes cannot be shared (%s): %s", what,
                     std::strerror(errno));
}

// False: the file has not so many bytes there, or no room.
bool read_all(int descriptor, std::vector<std::byte>* to) {
  for (std::size_t done = 0; done < to->size();) {
    const ssize_t came =
        pread(descriptor, to->data() + done, to->size() - done, kPage + static_cast<off_t>(done));
    if (came < 0 && errno == EINTR) continue;
    if (came <= 0) return false;
    done += static_cast<std::size_t>(came);
  }
  return true;
}
bool write_all(int descriptor, const std::vector<std::byte>& from) {
  for (std::size_t done = 0; done < from.size();) {
    const ssize_t taken = pwrite(descriptor, from.data() + done, from.size() - done,
                                 kPage + static_cast<off_t>(done));
    if (taken < 0 && errno == EINTR) continue;
    if (taken <= 0) return false;
    done += static_cast<std::size_t>(taken);
  }
  return true;
}

}  // namespace

NodeCards::~NodeCards() {
  if (head_ != nullptr) munmap(head_, kPage);
  if (descriptor_ >= 0) ::close(descriptor_);
}

Error NodeCards::map() {
  void* const memory = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) return no_file("mmap");
  head_ = static_cast<Head*>(memory);
  return {};
}

Error NodeCards::make() {
  descriptor_ = platform::make_shared_file();
  if (descriptor_ < 0) return no_file("memfd_create");
  if (ftruncate(descriptor_, kPage) != 0) return no_file("ftruncate");
  return map();
}

Error NodeCards::open(int descriptor) {
  descriptor_ = descriptor;
  return map();
}

Error NodeCards::publish(const Cards* cards) {
  Error failed;
  if (cards != nullptr) {
    std::vector<std::byte> all;
    for (const launcher::Card& card : *cards) {
      const std::uint64_t bytes = card.size();
      const auto length = std::as_bytes(std::span(&bytes, 1));
      all.insert(all.end(), length.begin(), length.end());
      all.insert(all.end(), card.begin(), card.end());
    }
    head_->bytes = all.size();
    if (!write_all(descriptor_, all)) failed = no_file("write");
  }
  const bool there = cards != nullptr && !failed;
  head_->state.store(there ? kThere : kNotToBeHad, std::memory_order_release);
  platform::futex_wake_shared(head_->state);
  return failed;
}

Error NodeCards::take(Cards* cards) {
  std::uint32_t state = 0;
  // acquire: with publish().
  while ((state = head_->state.load(std::memory_order_acquire)) == kAwaited) {
    platform::futex_wait_shared(head_->state, kAwaited, platform::kNever);
  }
  platform::futex_wake_shared(head_->state);  // the next one: a wake is for one sleeper
  if (state != kThere) {
    return Error::make(kErrorOther,
                       "the first process of this node could not fetch the addresses of others");
  }
  std::vector<std::byte> all(head_->bytes);
  if (!read_all(descriptor_, &all)) return no_file("read");
  std::span<const std::byte> rest(all);
  cards->clear();
  for (std::uint64_t bytes = 0; rest.size() >= sizeof bytes;) {
    std::memcpy(&bytes, rest.data(), sizeof bytes);
    rest = rest.subspan(sizeof bytes);
    if (bytes > rest.size()) break;
    cards->emplace_back(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(bytes));
    rest = rest.subspan(bytes);
  }
  return {};
}

}  // namespace heddle::runtime
