#include "mpi/io/access.h"

#include <fcntl.h>

#include <cerrno>
#include <optional>

#include "exec/process/waits/descriptor_waits.h"
#include "exec/ult/outside.h"
#include "mpi/io/system_error.h"

namespace heddle::io {

Access::Access(File& its_file, Direction its_direction, Buffer buffer)
    : file(&its_file), direction(its_direction), memory(buffer), view(its_file.view()) {}

Error etypes_of(const View& view, const Buffer& buffer, MPI_Offset* etypes) {
  const MPI_Count bytes = buffer.count * view.datarep().size_of(*buffer.type);
  *etypes = 0;
  if (bytes == 0) return {};
  if (view.unit() == 0 || bytes % view.unit() != 0) {
    return Error::make(MPI_ERR_ARG,
                       "the buffer's %lld bytes are no whole number of the view's etypes, which "
                       "have %lld bytes",
                       static_cast<long long>(bytes), static_cast<long long>(view.unit()));
  }
  *etypes = bytes / view.unit();
  return {};
}

Error Access::place(MPI_Offset offset) {
  MPI_Offset etypes = 0;
  if (Error e = etypes_of(*view, memory, &etypes)) return e;
  position = offset * view->unit();
  bytes = view->is_empty() ? 0 : etypes * view->unit();
  if (!view->datarep().converts(direction) || bytes == 0) return {};
  copy.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (copy == nullptr) {
    return Error::make(MPI_ERR_NO_MEM, "no memory for %lld bytes to be converted",
                       static_cast<long long>(bytes));
  }
  unconverted = std::exchange(memory, datatype::bytes_at(copy.get(), bytes));
  if (direction == Direction::kRead) return {};
  return view->datarep().to_file(unconverted, copy.get());
}

Error Access::finish() {
  if (copy == nullptr || direction == Direction::kWrite) return {};
  // relaxed: all that moved it has ended.
  const MPI_Count moved = done.load(std::memory_order_relaxed);
  Buffer whole = unconverted;
  whole.count = moved / view->datarep().size_of(*whole.type);
  return view->datarep().from_file(copy.get(), whole);
}

MPI_Count Access::delivered() const noexcept {
  const MPI_Count moved = done.load(std::memory_order_relaxed);
  if (copy == nullptr) return moved;
  return moved / view->datarep().size_of(*unconverted.type) * unconverted.type->size();
}

Error Access::verdict() const {
  if (error == 0) return {};
  return file_error(error, direction == Direction::kWrite ? "write to" : "read from", file->path());
}

Pieces::Pieces(Access& access, MPI_Count from, MPI_Count to)
    : done_(access.done),
      file_(access.view->runs(from, to - from)),
      memory_(reinterpret_cast<datatype::Address>(access.memory.data), *access.memory.type,
              from - access.position, to - from) {}

namespace {

// Keeps other processes from a range, in atomic mode.
class LockOfKernel {
 public:
  LockOfKernel(int descriptor, Range range, Direction direction) noexcept
      : descriptor_(descriptor) {
    range_.l_type = direction == Direction::kWrite ? F_WRLCK : F_RDLCK;
    range_.l_whence = SEEK_SET;
    range_.l_start = range.first;
    range_.l_len = range.end - range.first;
    while ((failed_ = fcntl(descriptor_, F_OFD_SETLKW, &range_)) != 0 && errno == EINTR) {
    }
    if (failed_ != 0) failed_ = errno;
  }
  ~LockOfKernel() {
    range_.l_type = F_UNLCK;
    fcntl(descriptor_, F_OFD_SETLK, &range_);
  }
  LockOfKernel(LockOfKernel&&) = delete;

  int error() const noexcept { return failed_; }

 private:
  const int descriptor_;
  struct flock range_ = {};
  int failed_ = 0;
};

void move_all(Access& access, Mover::Waits waits = Mover::Waits::kMayWait) {
  Mover mover(access.file->part().descriptor(), access.direction, waits);
  Pieces pieces(access, access.position, access.position + access.bytes);
  while (!pieces.done() && !mover.is_over()) pieces.hand_to(mover);
  access.error = mover.finish();
}

constexpr MPI_Count kLong = 256 << 10;

// Reads what the kernel has in memory. False: something must come from a disk, so nothing counts.
bool read_from_memory(Access& access) {
  move_all(access, Mover::Waits::kAtOnce);
  if (access.error != EAGAIN) return true;
  access.error = 0;
  access.done.store(0, std::memory_order_relaxed);
  return false;
}

}  // namespace

void move(Access& access) {
  if (access.bytes == 0) return;
  if (!access.file->is_atomic() || access.file->part().all_are_here()) return move_all(access);
  const LockOfKernel lock(access.file->part().descriptor(), access.range(), access.direction);
  access.error = lock.error();
  if (access.error == 0) move_all(access);
}

void run_apart(const Part& part, MPI_Count bytes, void (*function)(void*), void* argument) {
  // Short writes go to the kernel's memory.
  const bool may_wait = part.file_system() == Part::FileSystem::kRemote ||
                        (part.file_system() == Part::FileSystem::kLocal && bytes >= kLong);
  if (may_wait && process::shares_worker() && ult::call_outside(function, argument)) return;
  function(argument);
}

void move_here(Access& access) {
  if (access.bytes == 0) return;
  std::optional<RangeLocks::Held> held;
  Part& part = access.file->part();
  if (access.file->is_atomic()) {
    const Range range = access.range();
    held.emplace(part.locks(), range.first, range.end);
  }
  MPI_Count bytes = access.bytes;
  const bool is_short_read = access.direction == Direction::kRead && bytes < kLong &&
                             part.file_system() == Part::FileSystem::kLocal && !held;
  if (is_short_read && process::shares_worker()) {
    if (read_from_memory(access)) return;
    bytes = kLong;
  }
  run_apart(
      part, bytes, [](void* it) { move(*static_cast<Access*>(it)); }, &access);
}

}  // namespace heddle::io
