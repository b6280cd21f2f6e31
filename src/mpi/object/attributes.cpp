#include "mpi/object/attributes.h"

#include <algorithm>

namespace heddle::object {

std::vector<Attributes::Entry>::iterator Attributes::position(const Keyval& keyval) const noexcept {
  return std::find_if(entries_.begin(), entries_.end(),
                      [&](const Entry& entry) { return entry.keyval.get() == &keyval; });
}

bool Attributes::get(const Keyval& keyval, void** value) const noexcept {
  SpinGuard guard(lock_);
  const auto found = position(keyval);
  if (found == entries_.end()) return false;
  *value = found->value;
  return true;
}

Error Attributes::put(const Keyval& keyval, void* value, const Object& owner) {
  void* old = nullptr;
  if (get(keyval, &old)) {
    if (Error e = keyval.erase(owner.handle(), old)) return e;
  }
  SpinGuard guard(lock_);
  const auto found = position(keyval);
  if (found != entries_.end()) {
    found->value = value;
  } else {
    entries_.push_back({Ref<const Keyval>(&keyval), value});
  }
  return {};
}

Error Attributes::remove(const Entry& entry, const Object& owner) {
  if (Error e = entry.keyval->erase(owner.handle(), entry.value)) return e;
  SpinGuard guard(lock_);
  const auto found = position(*entry.keyval);
  if (found != entries_.end()) entries_.erase(found);
  return {};
}

Error Attributes::erase(const Keyval& keyval, const Object& owner) {
  void* value = nullptr;
  if (!get(keyval, &value)) return {};
  return remove({Ref<const Keyval>(&keyval), value}, owner);
}

Error Attributes::clear(const Object& owner) {
  for (;;) {
    Entry youngest{};
    {
      SpinGuard guard(lock_);
      if (entries_.empty()) return {};
      youngest = entries_.back();
    }
    if (Error e = remove(youngest, owner)) return e;
  }
}

Error Attributes::copy_to(Attributes& to, const Object& owner) const {
  std::vector<Entry> snapshot;
  {
    SpinGuard guard(lock_);
    snapshot = entries_;
  }
  for (const Entry& entry : snapshot) {
    void* copy = nullptr;
    bool wanted = false;
    if (Error e = entry.keyval->copy(owner.handle(), entry.value, &copy, &wanted)) return e;
    if (!wanted) continue;
    SpinGuard guard(to.lock_);
    to.entries_.push_back({entry.keyval, copy});
  }
  return {};
}

int Attributes::size() const noexcept {
  SpinGuard guard(lock_);
  return static_cast<int>(entries_.size());
}

}  // namespace heddle::object
