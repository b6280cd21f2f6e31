#include "mpi/io/part.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

namespace heddle::io {

namespace {

std::vector<int> ranks_here(const comm::Comm& comm, int host) {
  std::vector<int> ranks;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (comm.group().member(rank).host == host) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<int> leaders_of(const comm::Comm& comm, int* nodes) {
  struct Leader {
    int rank;
    int before;  // leaders of its node with lower ranks
  };
  std::vector<Leader> found;
  std::set<int> hosts;
  std::map<int, int> on_node;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const world::Process& member = comm.group().member(rank);
    if (hosts.insert(member.host).second) found.push_back({rank, on_node[member.node]++});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Leader& a, const Leader& b) { return a.before < b.before; });
  *nodes = static_cast<int>(on_node.size());
  std::vector<int> leaders;
  leaders.reserve(found.size());
  for (const Leader& leader : found) leaders.push_back(leader.rank);
  return leaders;
}

// Accesses to another machine's file may wait for long.
Part::FileSystem file_system_of(int descriptor) noexcept {
  struct statfs about;
  if (fstatfs(descriptor, &about) != 0) return Part::FileSystem::kRemote;
  switch (about.f_type) {
    case TMPFS_MAGIC:
      return Part::FileSystem::kMemory;
    case EXT4_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
      return Part::FileSystem::kLocal;
    default:
      return Part::FileSystem::kRemote;
  }
}

}  // namespace

Part::Part(const comm::Comm& comm, int host)
    : SharedPart(static_cast<int>(ranks_here(comm, host).size())),
      ranks_(ranks_here(comm, host)),
      all_are_here_(static_cast<int>(ranks_.size()) == comm.size()),
      leaders_(leaders_of(comm, &nodes_)),
      board_(ranks_.size()) {}

Part::~Part() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Part::open(const std::string& path, int flags) noexcept {
  constexpr mode_t kAnyone = 0666;  // and the rank's mask
  do {
    descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, kAnyone);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) return errno;
  struct stat about;
  if (fstat(descriptor_, &about) == 0 && S_ISDIR(about.st_mode)) return EISDIR;
  file_system_ = file_system_of(descriptor_);
  return 0;
}

int Part::close() noexcept {
  if (descriptor_ < 0 || under_way_.load(std::memory_order_acquire) != 0) return 0;
  const int closed = std::exchange(descriptor_, -1);
  return ::close(closed) == 0 || errno == EINTR ? 0 : errno;
}

int Part::index_of(int rank) const noexcept {
  return static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
}

}  // namespace heddle::io
