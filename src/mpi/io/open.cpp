#include "mpi/io/open.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "mpi/comm_make/agree.h"
#include "mpi/comm_make/comm_make.h"
#include "mpi/io/collective.h"
#include "mpi/io/hints.h"
#include "mpi/io/query.h"
#include "mpi/io/system_error.h"

namespace heddle::io {

using comm::Comm;
using object::Ref;

namespace {

// The name without the file system that it may begin with ("ufs:/tmp/x"), as other libraries have
// it.
std::string path_of(const char* name) {
  for (const char* prefix : {"ufs:", "nfs:", "lustre:", "unix:", "testfs:", "gpfs:", "panfs:"}) {
    const std::size_t length = std::strlen(prefix);
    if (std::strncmp(name, prefix, length) == 0) return name + length;
  }
  return name;
}

Error check_mode(int mode) {
  constexpr int kKnown = MPI_MODE_APPEND | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE |
                         MPI_MODE_EXCL | MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL |
                         MPI_MODE_UNIQUE_OPEN | MPI_MODE_WRONLY;
  const int access = mode & (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY);
  const char* wrong = nullptr;
  if ((mode & ~kKnown) != 0) wrong = "has bits that are no MPI_MODE_… of files";
  if (access == 0 || (access & (access - 1)) != 0) {
    wrong = "must have one of MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_WRONLY";
  } else if (access == MPI_MODE_RDONLY && (mode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0) {
    wrong = "has MPI_MODE_RDONLY; with it no file is created";
  } else if (access == MPI_MODE_RDWR && (mode & MPI_MODE_SEQUENTIAL) != 0) {
    wrong = "has MPI_MODE_SEQUENTIAL; with it a file is either read or written";
  }
  if (wrong == nullptr) return {};
  return Error::make(MPI_ERR_AMODE, "argument amode is %d, but %s", mode, wrong);
}

int flags_of(int mode) noexcept {
  if ((mode & MPI_MODE_RDONLY) != 0) return O_RDONLY;
  return (mode & MPI_MODE_WRONLY) != 0 ? O_WRONLY : O_RDWR;
}

int creation_of(int mode) noexcept {
  return ((mode & MPI_MODE_CREATE) != 0 ? O_CREAT : 0) | ((mode & MPI_MODE_EXCL) != 0 ? O_EXCL : 0);
}

// All must give the same mode, and none a wrong one.
Error check_modes(const Comm& comm, int mode) {
  Error wrong = check_mode(mode);
  std::vector<int> all(static_cast<std::size_t>(comm.size()));
  if (Error e = comm_make::gather_all(const_cast<Comm&>(comm), &mode, all.data(), sizeof mode)) {
    return e;
  }
  if (wrong) return wrong;
  for (const int other : all) {
    if (other == mode) continue;
    return Error::make(MPI_ERR_NOT_SAME, "argument amode is %d, but %d at another rank", mode,
                       other);
  }
  return {};
}

// Rank 0 first, which may create it; then the first member of each other process.
Error open_everywhere(File& file) {
  const bool opens_first = file.comm().rank() == 0;
  int error = 0;
  if (opens_first) {
    error = file.part().open(file.path(), flags_of(file.mode()) | creation_of(file.mode()));
  }
  if (Error e = comm_make::broadcast(file.comm(), 0, &error, sizeof error)) return e;
  if (error != 0) return file_error(error, "open", file.path());
  if (file.part().all_are_here()) return {};
  if (file.is_first_here() && !opens_first) {
    error = file.part().open(file.path(), flags_of(file.mode()));
  }
  Error mine;
  if (error != 0) mine = file_error(error, "open", file.path());
  return agree(file, std::move(mine), error, "open");
}

}  // namespace

Error open(Comm& comm, const char* name, int mode, const info::Info* hints, File** out) {
  if (comm.is_inter()) {
    return Error::make(MPI_ERR_COMM, "argument comm is %s, which is an intercommunicator",
                       comm::describe(comm).c_str());
  }
  Ref<Comm> own;
  if (Error e = comm_make::dup_bare(comm, &own)) return e;
  own->set_name("of a file");  // for reports
  if (Error e = check_modes(*own, mode)) return e;
  comm::ContextId context = own->rank() == 0 ? comm_make::draw_context() : world::kNoContext;
  if (Error e = comm_make::broadcast(*own, 0, &context, sizeof context)) return e;
  if (Error e = comm_make::check_context(context)) return e;
  const auto file = Ref<File>::adopt(new File(std::move(own), context, mode, path_of(name)));
  file->set_hints(hints_in_use(nullptr, hints, file->part().nodes()));
  if (Error e = open_everywhere(*file)) return e;
  if (Error e = file->shared_pointer().open(file->comm())) return e;
  if ((mode & MPI_MODE_APPEND) != 0) {
    Error failed = seek_to_end(*file);
    if (Error e = agree(*file, std::move(failed), 0, "find the end of")) return e;
  }
  *out = Ref<File>(file).leak();
  return {};
}

Error close(MPI_File* handle) {
  File* const found = from_handle(*handle);
  if (found == nullptr) {
    return Error::make(
        MPI_ERR_FILE, "argument fh is %s",
        *handle == MPI_FILE_NULL ? "MPI_FILE_NULL" : "not a file, or already closed");
  }
  const Ref<File> file(found);
  if (file->split().request) {
    Error e = Error::make(MPI_ERR_IO, "%s_begin has begun on \"%s\"; %s_end must come before",
                          file->split().call, file->path().c_str(), file->split().call);
    return e;
  }
  if (object::Object* const mine =
          object::retire(object::Kind::kFile, reinterpret_cast<object::HandleBits>(*handle))) {
    mine->release();
  }
  *handle = MPI_FILE_NULL;
  if (Error e = coll::run(coll::Barrier{file->comm()})) return e;
  const int error = file->is_first_here() ? file->part().close() : 0;
  Error failed;
  if (error != 0) failed = file_error(error, "close", file->path());
  failed = agree(*file, std::move(failed), error, "close");
  if ((file->mode() & MPI_MODE_DELETE_ON_CLOSE) == 0) return failed;
  int removal = 0;
  if (file->comm().rank() == 0 && unlink(file->path().c_str()) != 0) removal = errno;
  if (Error e = comm_make::broadcast(file->comm(), 0, &removal, sizeof removal)) return e;
  if (failed || removal == 0) return failed;
  return file_error(removal, "delete", file->path());
}

Error remove(const char* name) {
  const std::string path = path_of(name);
  if (unlink(path.c_str()) == 0) return {};
  const int error = errno;
  return file_error(error, "delete", path);
}

}  // namespace heddle::io
