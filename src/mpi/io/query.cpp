#include "mpi/io/query.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "mpi/comm_make/agree.h"
#include "mpi/io/access.h"
#include "mpi/io/collective.h"
#include "mpi/io/hints.h"
#include "mpi/io/system_error.h"

namespace heddle::io {

using datatype::Datatype;

namespace {

Error check_size(MPI_Offset size) {
  if (size >= 0) return {};
  return Error::make(MPI_ERR_ARG, "argument size is %lld, but must not be negative",
                     static_cast<long long>(size));
}

Error check_writable(const File& file) {
  if ((file.mode() & MPI_MODE_RDONLY) == 0) return {};
  return Error::make(MPI_ERR_READ_ONLY, "\"%s\" was opened with MPI_MODE_RDONLY",
                     file.path().c_str());
}

Error check_not_sequential(const File& file) {
  if (!file.is_sequential()) return {};
  return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                     "\"%s\" was opened with MPI_MODE_SEQUENTIAL; only the shared pointer may be "
                     "used, and only by reads and writes",
                     file.path().c_str());
}

// A system call on the descriptor, of one member or of one in each process; all learn how it ended.
// Collective. The call gets the descriptor and returns an errno.
template <class Call>
Error change(File& file, Error wrong, bool calls, const char* what, Call call) {
  // All have come before it, so that it is after their writes.
  if (Error e = agree(file, std::move(wrong), 0, what)) return e;
  struct Made {
    Call call;
    int descriptor;
    int error;
  } made = {std::move(call), file.part().descriptor(), 0};
  constexpr MPI_Count kMayTakeLong = 1 << 30;
  if (calls) {
    run_apart(
        file.part(), kMayTakeLong,
        [](void* it) {
          auto& its = *static_cast<Made*>(it);
          its.error = its.call(its.descriptor);
        },
        &made);
  }
  Error mine;
  if (made.error != 0) mine = file_error(made.error, what, file.path());
  return agree(file, std::move(mine), made.error, what);
}

int error_of(int result) noexcept {
  return result == 0 ? 0 : errno;
}

}  // namespace

Error set_size(File& file, MPI_Offset size) {
  Error wrong = check_size(size);
  if (!wrong) wrong = check_writable(file);
  return change(file, std::move(wrong), file.comm().rank() == 0, "set the size of",
                [size](int descriptor) { return error_of(ftruncate(descriptor, size)); });
}

Error preallocate(File& file, MPI_Offset size) {
  Error wrong = check_size(size);
  if (!wrong) wrong = check_writable(file);
  return change(file, std::move(wrong), file.comm().rank() == 0, "take space for",
                [size](int descriptor) {
                  if (size == 0) return 0;
                  // posix_fallocate would write zeros where the file system cannot do it.
                  if (fallocate(descriptor, 0, 0, size) == 0) return 0;
                  if (errno != EOPNOTSUPP) return errno;
                  struct stat about;
                  if (fstat(descriptor, &about) != 0) return errno;
                  return about.st_size < size ? error_of(ftruncate(descriptor, size)) : 0;
                });
}

Error sync(File& file) {
  return change(file, check_writable(file), file.is_first_here(), "write to the disk",
                [](int descriptor) { return error_of(fsync(descriptor)); });
}

Error get_size(const File& file, MPI_Offset* size) {
  struct stat about;
  if (fstat(file.part().descriptor(), &about) != 0) {
    const int error = errno;
    return file_error(error, "get the size of", file.path());
  }
  *size = about.st_size;
  return {};
}

Error get_group(const File& file, group::Group** out) {
  *out = object::Ref<group::Group>(&file.comm().group()).leak();
  return {};
}

Error get_mode(const File& file, int* mode) {
  *mode = file.mode();
  return {};
}

Error get_hints(const File& file, info::Info** out) {
  *out = new info::Info(file.hints()->entries());
  return {};
}

Error set_hints(File& file, const info::Info* hints) {
  file.set_hints(hints_in_use(file.hints().get(), hints, file.part().nodes()));
  return coll::run(coll::Barrier{file.comm()});
}

namespace {

Error check_committed(const Datatype& type, const char* name) {
  if (type.committed()) return {};
  return Error::make(MPI_ERR_TYPE,
                     "argument %s is a datatype that is not committed; call MPI_Type_commit before",
                     name);
}

Error make_view(File& file, MPI_Offset displacement, Datatype& etype, Datatype& filetype,
                const char* datarep, std::shared_ptr<const View>* out) {
  if (Error e = check_committed(etype, "etype")) return e;
  if (Error e = check_committed(filetype, "filetype")) return e;
  const bool is_current = displacement == MPI_DISPLACEMENT_CURRENT;
  if (is_current != file.is_sequential()) {
    return Error::make(
        MPI_ERR_ARG,
        "argument disp is %lld, but with MPI_MODE_SEQUENTIAL, and only then, it must "
        "be MPI_DISPLACEMENT_CURRENT",
        static_cast<long long>(displacement));
  }
  if (is_current) {
    MPI_Offset etypes = 0;
    if (Error e = file.shared_pointer().take(0, &etypes)) return e;
    const auto now = file.view();
    displacement = now->is_empty() ? now->displacement() : now->offset_of(etypes * now->unit());
  }
  const bool writes = (file.mode() & MPI_MODE_RDONLY) == 0;
  return View::make(displacement, etype, filetype, datarep, writes, out);
}

}  // namespace

Error set_view(File& file, MPI_Offset displacement, Datatype& etype, Datatype& filetype,
               const char* datarep, const info::Info* hints) {
  std::shared_ptr<const View> view;
  Error wrong = make_view(file, displacement, etype, filetype, datarep, &view);
  if (Error e = agree(file, std::move(wrong), 0, "set the view of")) return e;
  Error failed;
  if (file.comm().rank() == 0) failed = file.shared_pointer().set(0);
  if (Error e = agree(file, std::move(failed), 0, "set the view of")) return e;
  file.set_view(std::move(view));
  file.position().store(0, std::memory_order_relaxed);
  if (hints != nullptr)
    file.set_hints(hints_in_use(file.hints().get(), hints, file.part().nodes()));
  return {};
}

namespace {
// The program frees what it gets.
Datatype* copy_of(Datatype& type) {
  if (type.predefined()) return &type;
  Datatype* const copy = type.clone().leak();
  copy->commit();
  return copy;
}
}  // namespace

Error get_view(const File& file, MPI_Offset* displacement, Datatype** etype, Datatype** filetype,
               char* datarep) {
  const auto view = file.view();
  *displacement = view->displacement();
  *etype = copy_of(view->etype());
  *filetype = copy_of(view->filetype());
  const std::string& name = view->datarep().name();
  datarep[name.copy(datarep, MPI_MAX_DATAREP_STRING - 1)] = '\0';
  return {};
}

Error get_type_extent(const File& file, const Datatype& type, MPI_Count* extent) {
  *extent = file.view()->datarep().extent_of(type);
  return {};
}

Error get_byte_offset(const File& file, MPI_Offset offset, MPI_Offset* bytes) {
  const auto view = file.view();
  if (offset < 0) {
    return Error::make(MPI_ERR_ARG, "argument offset is %lld, but must not be negative",
                       static_cast<long long>(offset));
  }
  *bytes = view->is_empty() ? view->displacement() : view->offset_of(offset * view->unit());
  return {};
}

namespace {

// In etypes: the first one that begins at the file's end or behind it.
Error end_of(const File& file, MPI_Offset* etypes) {
  MPI_Offset size = 0;
  if (Error e = get_size(file, &size)) return e;
  const auto view = file.view();
  *etypes = view->is_empty() ? 0 : view->etypes_before(size);
  return {};
}

// Where `whence` and `offset` lead.
Error target_of(const File& file, MPI_Offset current, MPI_Offset offset, int whence,
                MPI_Offset* target) {
  MPI_Offset base = 0;
  switch (whence) {
    case MPI_SEEK_SET:
      break;
    case MPI_SEEK_CUR:
      base = current;
      break;
    case MPI_SEEK_END:
      if (Error e = end_of(file, &base)) return e;
      break;
    default:
      return Error::make(MPI_ERR_ARG,
                         "argument whence is %d, but must be MPI_SEEK_SET, MPI_SEEK_CUR or "
                         "MPI_SEEK_END",
                         whence);
  }
  if (offset + base < 0) {
    return Error::make(MPI_ERR_ARG, "argument offset is %lld, which leads before the view's begin",
                       static_cast<long long>(offset));
  }
  *target = offset + base;
  return {};
}

}  // namespace

Error seek(File& file, MPI_Offset offset, int whence) {
  if (Error e = check_not_sequential(file)) return e;
  MPI_Offset target = 0;
  const MPI_Offset now = file.position().load(std::memory_order_relaxed);
  if (Error e = target_of(file, now, offset, whence, &target)) return e;
  file.position().store(target, std::memory_order_relaxed);
  return {};
}

Error get_position(const File& file, MPI_Offset* offset) {
  if (Error e = check_not_sequential(file)) return e;
  *offset = const_cast<File&>(file).position().load(std::memory_order_relaxed);
  return {};
}

Error seek_shared(File& file, MPI_Offset offset, int whence) {
  struct Asked {
    MPI_Offset offset;
    int whence;
    int unused;
  } asked = {offset, whence, 0};
  const Asked mine = asked;
  Error wrong = check_not_sequential(file);
  if (Error e = comm_make::broadcast(file.comm(), 0, &asked, sizeof asked)) return e;
  if (!wrong && (asked.offset != mine.offset || asked.whence != mine.whence)) {
    wrong = Error::make(
        MPI_ERR_NOT_SAME, "arguments offset and whence are %lld and %d, but %lld and %d at rank 0",
        static_cast<long long>(offset), whence, static_cast<long long>(asked.offset), asked.whence);
  }
  if (Error e = agree(file, std::move(wrong), 0, "move the shared pointer of")) return e;
  Error failed;
  if (file.comm().rank() == 0) {
    MPI_Offset now = 0, target = 0;
    failed = file.shared_pointer().take(0, &now);
    if (!failed) failed = target_of(file, now, offset, whence, &target);
    if (!failed) failed = file.shared_pointer().set(target);
  }
  return agree(file, std::move(failed), 0, "move the shared pointer of");
}

Error get_shared_position(File& file, MPI_Offset* offset) {
  return file.shared_pointer().take(0, offset);
}

Error seek_to_end(File& file) {
  MPI_Offset end = 0;
  if (Error e = end_of(file, &end)) return e;
  file.position().store(end, std::memory_order_relaxed);
  if (file.comm().rank() != 0) return {};
  return file.shared_pointer().set(end);
}

Error set_atomicity(File& file, int flag) {
  Error failed;
  int error = 0;
  const bool asks = flag != 0 && !file.part().all_are_here() && file.is_first_here();
  if (asks) {
    struct flock range = {};
    range.l_type = F_RDLCK;
    range.l_whence = SEEK_SET;
    range.l_len = 1;
    if (fcntl(file.part().descriptor(), F_OFD_GETLK, &range) != 0) error = errno;
    if (error != 0) {
      failed = Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                           "the file system of \"%s\" has no locks, which atomic mode needs",
                           file.path().c_str());
    }
  }
  if (Error e = agree(file, std::move(failed), error, "lock")) return e;
  file.set_atomic(flag != 0);
  return coll::run(coll::Barrier{file.comm()});
}

Error get_atomicity(const File& file, int* flag) {
  *flag = file.is_atomic() ? 1 : 0;
  return {};
}

}  // namespace heddle::io
