#include "mpi/rma/window.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "exec/ult/lend.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/under_way.h"
#include "mpi/rma/hints.h"

namespace heddle::rma {

using error::Errhandler;
using info::Info;
using object::Ref;

namespace {

Part& join(const comm::Comm& comm, world::ContextId context) {
  const auto make = [](const void* argument) -> std::unique_ptr<world::SharedPart> {
    const auto& all = static_cast<const comm::Comm*>(argument)->group().members();
    const int own_host = world::here().process->host;
    const auto here = std::count_if(all.begin(), all.end(), [own_host](const auto* member) {
      return member->host == own_host;
    });
    auto part = std::make_unique<Part>(static_cast<int>(all.size()), static_cast<int>(here));
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      part->member(static_cast<int>(rank)).here = all[rank]->host == own_host;
    }
    return part;
  };
  return static_cast<Part&>(world::here().host->shared_parts().join(context, make, &comm));
}

}  // namespace

Window::Window(int flavor, Ref<comm::Comm> own, world::ContextId context)
    : Object(object::Kind::kWin),
      comm_(std::move(own)),
      rank_(comm_->rank()),
      size_(comm_->size()),
      flavor_(flavor),
      context_(context),
      part_(join(*comm_, context)),
      epochs_(size_),
      sent_(new Sent[static_cast<std::size_t>(size_)]),
      errhandler_(&error::initial_errhandler()) {}

Window::~Window() {
  end_looking_after();
  part_.leave();
}

void Window::end_looking_after() noexcept {
  if (std::exchange(is_looked_after_, false)) ult::work_ends();
}

Error Window::set_others(std::vector<int> members) {
  others_ = std::move(members);
  if (others_.empty()) return {};
  // Where the rank is a process no worker polls while it computes. The thread that does so then is
  // none of the rank's.
  if (!ult::running()) {
    Rank* const rank = Rank::current();
    Rank::enter(nullptr);
    Error failed = ult::start_lending();
    Rank::enter(rank);
    if (failed) return failed;
  }
  ult::work_begins();
  is_looked_after_ = true;
  return {};
}

Ref<Errhandler> Window::errhandler() const noexcept {
  const SpinGuard guard(lock_);
  return errhandler_;
}

void Window::set_errhandler(Ref<Errhandler> handler) noexcept {
  const SpinGuard guard(lock_);
  std::swap(errhandler_, handler);
}

std::string Window::name() const {
  const SpinGuard guard(lock_);
  return name_;
}

void Window::set_name(std::string name) {
  const SpinGuard guard(lock_);
  std::swap(name_, name);
}

Ref<Info> Window::info() const noexcept {
  const SpinGuard guard(lock_);
  return info_;
}

void Window::set_info(Ref<Info> info) noexcept {
  no_locks_.store(is_set(*info, "no_locks"), std::memory_order_relaxed);
  const SpinGuard guard(lock_);
  std::swap(info_, info);
}

std::string describe(const Window& window) {
  const std::string name = window.name();
  if (!name.empty()) return "the window \"" + name + "\"";
  char text[40];
  std::snprintf(text, sizeof text, "the window 0x%zx", window.handle());
  return text;
}

}  // namespace heddle::rma
