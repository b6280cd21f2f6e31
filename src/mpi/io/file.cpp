#include "mpi/io/file.h"

#include <utility>

#include "net/world/host.h"

namespace heddle::io {

using info::Info;
using object::Ref;

namespace {

Part& join(const comm::Comm& comm, world::ContextId context) {
  const auto make = [](const void* argument) -> std::unique_ptr<world::SharedPart> {
    return std::make_unique<Part>(*static_cast<const comm::Comm*>(argument),
                                  world::here().process->host);
  };
  return static_cast<Part&>(world::here().host->shared_parts().join(context, make, &comm));
}

}  // namespace

File::File(Ref<comm::Comm> own, world::ContextId context, int mode, std::string path)
    : Listener(no_file().errhandler()),
      comm_(std::move(own)),
      mode_(mode),
      path_(std::move(path)),
      part_(join(*comm_, context)),
      shared_pointer_(part_),
      view_(std::make_shared<View>()) {
  comm_->extras().put(std::make_unique<FileOfComm>(*this));
}

File::~File() {
  comm_->extras().find<FileOfComm>()->file = nullptr;
  part_.leave();
}

std::shared_ptr<const View> File::view() const noexcept {
  const SpinGuard guard(lock_);
  return view_;
}

void File::set_view(std::shared_ptr<const View> view) noexcept {
  const SpinGuard guard(lock_);
  std::swap(view_, view);
}

Ref<Info> File::hints() const noexcept {
  const SpinGuard guard(lock_);
  return hints_;
}

void File::set_hints(Ref<Info> hints) noexcept {
  const auto reads = CollectiveHints::of(*hints, Direction::kRead);
  const auto writes = CollectiveHints::of(*hints, Direction::kWrite);
  const SpinGuard guard(lock_);
  std::swap(hints_, hints);
  for_reads_ = reads;
  for_writes_ = writes;
}

CollectiveHints File::collective_hints(Direction direction) const noexcept {
  const SpinGuard guard(lock_);
  return direction == Direction::kRead ? for_reads_ : for_writes_;
}

}  // namespace heddle::io
