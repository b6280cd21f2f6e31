// file.h — what a file is (MPI 5.0 §14.2), as one rank sees it.
//
//   File (of a rank) ──► Comm      a duplicate for the library's own collectives
//                    ──► Part      what the members in this process have in common
//                    ──► View      which bytes the rank sees; replaced as a whole
//                    ──► position  the individual pointer, in etypes
//
// Thread safety: what is constant needs no lock; view and hints are guarded inside.

#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <string>

#include "base/spin_lock.h"
#include "mpi/comm/comm.h"
#include "mpi/info/info.h"
#include "mpi/io/hints.h"
#include "mpi/io/listener.h"
#include "mpi/io/part.h"
#include "mpi/io/shared_pointer.h"
#include "mpi/io/view.h"
#include "mpi/request/request.h"

namespace heddle::io {

class File final : public Listener {
 public:
  // Joins the part.
  File(object::Ref<comm::Comm> own, world::ContextId context, int mode, std::string path);

  comm::Comm& comm() const noexcept { return *comm_; }
  Part& part() const noexcept { return part_; }
  int mode() const noexcept { return mode_; }  // MPI_MODE_…
  bool is_sequential() const noexcept { return (mode_ & MPI_MODE_SEQUENTIAL) != 0; }
  const std::string& path() const noexcept { return path_; }
  // The calling rank is the first one in this process.
  bool is_first_here() const noexcept { return part_.ranks().front() == comm_->rank(); }

  std::shared_ptr<const View> view() const noexcept;
  void set_view(std::shared_ptr<const View> view) noexcept;
  std::atomic<MPI_Offset>& position() noexcept { return position_; }
  SharedPointer& shared_pointer() noexcept { return shared_pointer_; }

  bool is_atomic() const noexcept { return atomic_.load(std::memory_order_relaxed); }
  void set_atomic(bool is) noexcept { atomic_.store(is, std::memory_order_relaxed); }

  object::Ref<info::Info> hints() const noexcept;
  void set_hints(object::Ref<info::Info> hints) noexcept;
  CollectiveHints collective_hints(Direction direction) const noexcept;

  // The split collective that has begun, and its name; one at a time (§14.4.5).
  struct Split {
    object::Ref<request::Request> request;
    const char* call = nullptr;
    const void* buffer = nullptr;
  };
  Split& split() noexcept { return split_; }

 private:
  ~File() override;

  const object::Ref<comm::Comm> comm_;
  const int mode_;
  const std::string path_;
  Part& part_;
  SharedPointer shared_pointer_;
  std::atomic<MPI_Offset> position_{0};
  std::atomic<bool> atomic_{false};
  Split split_;  // of the strand that begins and ends it

  // Lock: guards view and hints of one file.
  mutable SpinLock lock_;
  std::shared_ptr<const View> view_ GUARDED_BY(lock_);
  object::Ref<info::Info> hints_ GUARDED_BY(lock_);
  CollectiveHints for_reads_ GUARDED_BY(lock_), for_writes_ GUARDED_BY(lock_);
};

// A communicator of the library's own: errors of requests that have it are the file's.
struct FileOfComm final : comm::Extra {
  static constexpr comm::ExtraSlot kSlot = comm::ExtraSlot::kFile;

  explicit FileOfComm(File& its_file) noexcept : file(&its_file) {}

  File* file;  // null: it has ended
};

// nullptr if the handle is not a file of the calling rank, MPI_FILE_NULL included.
inline File* from_handle(MPI_File handle) noexcept {
  if (handle == MPI_FILE_NULL) return nullptr;
  return object::find_as<File>(object::Kind::kFile, handle);
}

}  // namespace heddle::io
