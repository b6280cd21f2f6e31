#include "mpi/rma/window.h"

#include <cstdio>

#include "mpi/rma/hints.h"

namespace heddle::rma {

using error::Errhandler;
using info::Info;
using object::Ref;

namespace {

Part& join(const comm::Comm& comm, world::ContextId context) {
  const int members = comm.size();
  const auto make = [](const void* argument) -> std::unique_ptr<world::SharedPart> {
    return std::make_unique<Part>(*static_cast<const int*>(argument));
  };
  return static_cast<Part&>(world::here().host->shared_parts().join(context, make, &members));
}

}  // namespace

Window::Window(int flavor, Ref<comm::Comm> own, world::ContextId context)
    : Object(object::Kind::kWin),
      comm_(std::move(own)),
      rank_(comm_->rank()),
      size_(comm_->size()),
      flavor_(flavor),
      part_(join(*comm_, context)),
      epochs_(size_),
      errhandler_(&error::initial_errhandler()) {}

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
