#include "mpi/io/verbs.h"

#include <optional>
#include <utility>

#include "mpi/comm_make/agree.h"
#include "mpi/io/collective.h"
#include "mpi/io/pool.h"
#include "mpi/io/system_error.h"
#include "mpi/request/status.h"

namespace heddle::io {

namespace {

constexpr MPI_Count kSmall = 64 << 10;  // moved in place: to wake another thread costs as much

Error check(const Call& call) {
  const File& file = call.file;
  const bool writes = call.direction == Direction::kWrite;
  if (writes && (file.mode() & MPI_MODE_RDONLY) != 0) {
    return Error::make(MPI_ERR_READ_ONLY, "\"%s\" was opened with MPI_MODE_RDONLY",
                       file.path().c_str());
  }
  if (!writes && (file.mode() & MPI_MODE_WRONLY) != 0) {
    return Error::make(MPI_ERR_ACCESS, "\"%s\" was opened with MPI_MODE_WRONLY",
                       file.path().c_str());
  }
  const bool by_shared_pointer =
      call.pointer.kind == Pointer::Kind::kShared || call.pointer.kind == Pointer::Kind::kOrdered;
  if (file.is_sequential() && !by_shared_pointer) {
    return Error::make(MPI_ERR_UNSUPPORTED_OPERATION,
                       "\"%s\" was opened with MPI_MODE_SEQUENTIAL; only the shared pointer may be "
                       "used",
                       file.path().c_str());
  }
  if (call.pointer.offset < 0) {
    return Error::make(MPI_ERR_ARG, "argument offset is %lld, but must not be negative",
                       static_cast<long long>(call.pointer.offset));
  }
  return {};
}

// The members' places follow each other by rank. Collective.
Error take_in_order(File& file, MPI_Offset etypes, MPI_Offset* offset) {
  comm::Comm& comm = file.comm();
  MPI_Offset before = 0;
  const datatype::Datatype& type = datatype::named(MPI_INT64_T);
  if (Error e = coll::run(
          coll::Exscan{{&etypes, {&before, 1, &type}, *op::from_handle(MPI_SUM), comm}})) {
    return e;
  }
  if (comm.rank() == 0) before = 0;
  const int last = comm.size() - 1;
  MPI_Offset base = 0;
  Error failed;
  if (comm.rank() == last) failed = file.shared_pointer().take(before + etypes, &base);
  if (Error e = comm_make::broadcast(comm, last, &base, sizeof base, std::move(failed))) return e;
  *offset = base + before;
  return {};
}

// Where the access begins; moves the pointer.
Error take_place(const Call& call, const View& view, MPI_Offset* offset) {
  MPI_Offset etypes = 0;
  Error wrong = check(call);
  if (!wrong) wrong = etypes_of(view, call.buffer, &etypes);
  if (call.pointer.kind == Pointer::Kind::kOrdered) {
    // All take part, whatever is wrong at one.
    Error e = take_in_order(call.file, wrong ? 0 : etypes, offset);
    return wrong ? std::move(wrong) : std::move(e);
  }
  if (wrong) return wrong;
  switch (call.pointer.kind) {
    case Pointer::Kind::kIndividual:
      *offset = call.file.position().fetch_add(etypes, std::memory_order_relaxed);
      return {};
    case Pointer::Kind::kShared:
      return call.file.shared_pointer().take(etypes, offset);
    default:
      *offset = call.pointer.offset;
      return {};
  }
}

Error place(const Call& call, Access& access) {
  MPI_Offset offset = 0;
  if (Error e = take_place(call, *access.view, &offset)) return e;
  return access.place(offset);
}

// An access that its rank has started, and that needs no other rank.
class Pending final : public request::Request, public Work {
 public:
  explicit Pending(std::unique_ptr<Access> access) noexcept
      : Request(Life::kOnce), access_(std::move(access)) {}
  ~Pending() override = default;

  void start() {
    File& file = *access_->file;
    keep_alive(&file.comm(), unconverted().type);
    if (access_->bytes == 0) return finish();
    if (file.is_atomic()) {
      const Range range = access_->range();
      held_.emplace(file.part().locks(), range.first, range.end);
    }
    file.part().under_way().fetch_add(1, std::memory_order_relaxed);
    const bool is_small =
        access_->bytes < kSmall && file.part().file_system() != Part::FileSystem::kRemote;
    // Functions of the program run on strands of its rank alone.
    const bool stays = is_small || access_->view->datarep().is_registered();
    if (stays || !hand_to_pool(*this)) run();
  }

  Error verdict() const override {
    if (access_->error != 0 || !unconverted_) return access_->verdict();
    const std::string_view text = unconverted_.text();
    return Error::make(unconverted_.error_class(), "%.*s", static_cast<int>(text.size()),
                       text.data());
  }
  std::string awaited() const override { return "an access to a file that it has started"; }

 private:
  const Buffer& unconverted() const noexcept {
    return access_->copy != nullptr ? access_->unconverted : access_->memory;
  }
  void run() noexcept override {
    move(*access_);
    held_.reset();
    access_->file->part().under_way().fetch_sub(1, std::memory_order_release);
    finish();
  }
  void finish() noexcept {
    unconverted_ = access_->finish();
    outcome_for_writing().bytes = access_->delivered();
    const int converted = unconverted_ ? unconverted_.error_class() : MPI_SUCCESS;
    outcome_for_writing().error_class = access_->error != 0 ? class_of(access_->error) : converted;
    complete();
  }

  const std::unique_ptr<Access> access_;
  Error unconverted_;
  std::optional<RangeLocks::Held> held_;
};

void tell(MPI_Status* status, const Access& access) noexcept {
  request::write_status(status, {.bytes = access.delivered()});
}

// In the name of a member whose call is wrong: it has no bytes.
Error perform_all(Access& access, Error wrong) {
  if (wrong) access.bytes = 0;
  Error error = coll::run(
      CollectiveAccess{access, access.file->comm(), wrong ? wrong.error_class() : MPI_SUCCESS});
  return wrong ? std::move(wrong) : std::move(error);
}

}  // namespace

Error run(const Call& call, MPI_Status* status) {
  Access access(call.file, call.direction, call.buffer);
  if (Error e = place(call, access)) return e;
  move_here(access);
  Error unconverted = access.finish();
  tell(status, access);
  if (Error e = access.verdict()) return e;
  return unconverted;
}

Error run_all(const Call& call, MPI_Status* status) {
  Access access(call.file, call.direction, call.buffer);
  Error wrong = place(call, access);
  Error error = perform_all(access, std::move(wrong));
  tell(status, access);
  return error;
}

Error start(const Call& call, request::Request** out) {
  auto access = std::make_unique<Access>(call.file, call.direction, call.buffer);
  if (Error e = place(call, *access)) return e;
  auto made = request::make<Pending>(std::move(access));
  if (!made) return request::no_memory();
  made->start();
  *out = made.leak();
  return {};
}

Error start_all(const Call& call, request::Request** out) {
  // One member needs no other.
  if (coll::is_alone(call.file.comm())) return start(call, out);
  auto access = std::make_unique<Access>(call.file, call.direction, call.buffer);
  Error wrong = place(call, *access);
  if (wrong) access->bytes = 0;
  return start_collective(std::move(access), out, std::move(wrong));
}

Error begin(const Call& call, const char* name) {
  File::Split& split = call.file.split();
  if (split.request) {
    return Error::make(MPI_ERR_IO, "%s_begin has begun on \"%s\"; %s_end must come before another",
                       split.call, call.file.path().c_str(), split.call);
  }
  request::Request* made = nullptr;
  if (Error e = start_all(call, &made)) return e;
  split = {object::Ref<request::Request>::adopt(made), name, call.buffer.data};
  return {};
}

Error end(File& file, const void* buffer, const char* name, MPI_Status* status) {
  File::Split& split = file.split();
  if (!split.request || std::string_view(split.call) != name || split.buffer != buffer) {
    return Error::make(MPI_ERR_IO, "%s_begin has not begun on \"%s\" with this buffer", name,
                       file.path().c_str());
  }
  const auto request = std::exchange(split, {}).request;
  request->wait();
  request::write_status(status, request->outcome());
  return request->verdict();
}

}  // namespace heddle::io
