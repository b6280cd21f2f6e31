// listener.h — what hears of a file's errors (MPI 5.0 §14.7): the file, or MPI_FILE_NULL where
// there is none yet.
//
// Each rank has one Listener for MPI_FILE_NULL. It hears of errors of MPI_File_open,
// MPI_File_delete and of wrong handles; files that are opened inherit its error handler, which is
// MPI_ERRORS_RETURN at first.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "mpi/error/errhandler.h"
#include "mpi/object/handle_table.h"

namespace heddle::io {

class Listener : public object::Object {
 public:
  object::Ref<error::Errhandler> errhandler() const noexcept;
  void set_errhandler(object::Ref<error::Errhandler> handler) noexcept;

 protected:
  explicit Listener(object::Ref<error::Errhandler> handler) noexcept
      : Object(object::Kind::kFile), errhandler_(std::move(handler)) {}
  ~Listener() override = default;

 private:
  // Lock: guards the error handler of one file.
  mutable SpinLock lock_;
  object::Ref<error::Errhandler> errhandler_ GUARDED_BY(lock_);
};

class NoFile final : public Listener {
 public:
  NoFile() noexcept;  // its handle is MPI_FILE_NULL
  ~NoFile() override = default;
};

extern const RankLocal<NoFile> no_file_of_rank;

// The calling rank's. Requires Rank::current().
inline NoFile& no_file() noexcept {
  return no_file_of_rank.get();
}

// Null is MPI_FILE_NULL.
Error get_errhandler(const Listener* file, error::Errhandler** out);
Error set_errhandler(Listener* file, error::Errhandler& handler);
// MPI_File_call_errhandler: succeeds if the handler returns.
Error call_errhandler(const Listener* file, int code);

}  // namespace heddle::io
