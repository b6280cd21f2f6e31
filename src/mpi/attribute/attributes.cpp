#include "mpi/attribute/attributes.h"

#include <algorithm>

namespace heddle::attribute {

std::vector<Attributes::Attribute>::iterator Attributes::position(int keyval) const noexcept {
  return std::find_if(entries_.begin(), entries_.end(),
                      [&](const Attribute& entry) { return entry.keyval->number() == keyval; });
}

Error Attributes::get(int keyval, const object::Object& owner, void** value, int* flag) const {
  {
    SpinGuard guard(lock_);
    const auto found = position(keyval);
    *flag = found != entries_.end();
    if (*flag) {
      *value = found->value.pointer;
      return {};
    }
  }
  object::Ref<const Keyval> known;
  return use_keyval(owner.kind(), keyval, &known);
}

bool Attributes::is_integer(int keyval) const noexcept {
  SpinGuard guard(lock_);
  const auto found = position(keyval);
  return found != entries_.end() && found->value.is_integer;
}

bool Attributes::become_integer(int keyval, const void* cell) noexcept {
  SpinGuard guard(lock_);
  const auto found = position(keyval);
  if (found == entries_.end() || found->value.pointer != cell) return false;
  found->value.is_integer = true;
  return true;
}

Attributes::Claim Attributes::claim(const Keyval& keyval, bool deleting, void* const* fresh,
                                    Attribute* before) const {
  const ult::Strand& self = ult::Strand::current();
  for (;; ult::yield()) {
    SpinGuard guard(lock_);
    const auto found = position(keyval.number());
    if (found == entries_.end()) {
      if (fresh != nullptr) entries_.push_back({object::Ref<const Keyval>(&keyval), {*fresh}});
      return Claim::kAbsent;
    }
    if (found->free_for(self)) {
      *before = *found;
      found->user = &self;
      found->deleting = deleting;
      return Claim::kMine;
    }
    if (found->user == &self) return Claim::kRecursive;
  }
}

void Attributes::unclaim(const Attribute& before) const noexcept {
  SpinGuard guard(lock_);
  const auto found = position(before.keyval->number());
  // A copy callback may have replaced the value, which no strand has claimed then, or another
  // strand.
  if (found == entries_.end() || found->user != &ult::Strand::current()) return;
  found->user = before.user;
  found->deleting = before.deleting;
}

Error Attributes::replace(const Keyval& keyval, void* const* fresh, const object::Object& owner) {
  Attribute before{};
  switch (claim(keyval, true, fresh, &before)) {
    case Claim::kAbsent:
      return {};
    case Claim::kRecursive:
      return Error::make(
          MPI_ERR_OTHER,
          "the delete callback of keyval %d sets or deletes the value that it deletes",
          keyval.number());
    case Claim::kMine:
      break;
  }
  if (Error e = keyval.erase(owner.handle(), before.value)) {
    unclaim(before);
    return e;
  }
  SpinGuard guard(lock_);
  entries_.erase(position(keyval.number()));  // there, as it is claimed
  before.end();
  if (fresh != nullptr) entries_.push_back({object::Ref<const Keyval>(&keyval), {*fresh}});
  return {};
}

Error Attributes::put(int keyval, void* value, const object::Object& owner) {
  if (exchange(keyval, value)) return {};
  object::Ref<const Keyval> known;
  if (Error e = use_keyval(owner.kind(), keyval, &known)) return e;
  return replace(*known, &value, owner);
}

bool Attributes::exchange(int keyval, void* value) noexcept {
  SpinGuard guard(lock_);
  const auto found = position(keyval);
  if (found == entries_.end() || found->user != nullptr) return false;
  if (found->keyval->tells_of_ends()) return false;
  found->end();
  found->value = {value};
  if (found + 1 != entries_.end()) std::rotate(found, found + 1, entries_.end());  // as if put anew
  return true;
}

Error Attributes::erase(int keyval, const object::Object& owner) {
  object::Ref<const Keyval> known;
  if (Error e = use_keyval(owner.kind(), keyval, &known)) return e;
  return replace(*known, nullptr, owner);
}

Error Attributes::clear(const object::Object& owner) {
  for (;;) {
    object::Ref<const Keyval> youngest;
    {
      SpinGuard guard(lock_);
      if (entries_.empty()) return {};
      youngest = entries_.back().keyval;
    }
    if (Error e = replace(*youngest, nullptr, owner)) return e;
  }
}

Error Attributes::copy_to(Attributes& to, const object::Object& owner) const {
  std::vector<Attribute> snapshot;
  {
    SpinGuard guard(lock_);
    snapshot = entries_;
  }
  for (const Attribute& entry : snapshot) {
    Attribute before{};
    // What is gone meanwhile is not copied, nor what our caller, a delete callback, is ending.
    if (claim(*entry.keyval, false, nullptr, &before) != Claim::kMine) continue;
    Value copy{};
    bool wanted = false;
    Error e = entry.keyval->copy(owner.handle(), before.value, &copy, &wanted);
    unclaim(before);
    if (e) return e;
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

}  // namespace heddle::attribute
