#include "mpi/attribute/keyval.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <vector>

#include "base/spin_lock.h"
#include "exec/rank/rank.h"

namespace heddle::attribute {

namespace {

constexpr int kFirstOwn = 1000;

struct KnownKeyval {
  object::Ref<const Keyval> keyval;
  bool freed = false;

  bool extant() const noexcept { return !freed || keyval->in_use(); }
};

// A rank's keyvals, sorted by number because numbers only grow. A freed one stays while it is in
// use, and is swept away by a later free_keyval.
struct Keyvals {
  // Lock: guards a rank's keyvals.
  SpinLock lock;
  int next GUARDED_BY(lock) = kFirstOwn;
  std::vector<KnownKeyval> known GUARDED_BY(lock);

  // Null if there is no such keyval any more.
  KnownKeyval* find(object::Kind for_kind, int number) noexcept REQUIRES(lock) {
    const auto found = std::lower_bound(
        known.begin(), known.end(), number,
        [](const KnownKeyval& each, int wanted) { return each.keyval->number() < wanted; });
    if (found == known.end() || found->keyval->number() != number) return nullptr;
    return found->keyval->for_kind() == for_kind && found->extant() ? &*found : nullptr;
  }

  // Takes those out that are freed and not in use.
  std::vector<KnownKeyval> sweep() REQUIRES(lock) {
    std::vector<KnownKeyval> gone;
    const auto end = std::stable_partition(known.begin(), known.end(),
                                           [](const KnownKeyval& each) { return each.extant(); });
    gone.assign(std::make_move_iterator(end), std::make_move_iterator(known.end()));
    known.erase(end, known.end());
    return gone;
  }
};
const RankLocal<Keyvals> keyvals_of_rank;

template <class Callbacks>
Error create(Callbacks callbacks, void* extra, int* number) {
  Keyvals& keyvals = keyvals_of_rank.get();
  SpinGuard guard(keyvals.lock);
  *number = keyvals.next++;
  keyvals.known.push_back(
      {object::Ref<const Keyval>::adopt(new Keyval(*number, callbacks, extra))});
  return {};
}

// The ABI's constants 0 (nothing to do) and 1 (copy the value) are not functions.
template <class Function>
bool is_constant_callback(Function* function) noexcept {
  return reinterpret_cast<std::uintptr_t>(function) <= 1;
}

Error box(MPI_Aint integer, Value* out) {
  auto* const cell = static_cast<MPI_Aint*>(new_cell(sizeof(MPI_Aint)));
  if (cell == nullptr) return Error::make(MPI_ERR_NO_MEM, "no memory for an attribute's value");
  *cell = integer;
  *out = {cell, true};
  return {};
}

const char* class_name(object::Kind kind) noexcept {
  if (kind == object::Kind::kDatatype) return "datatypes";
  return kind == object::Kind::kWin ? "windows" : "communicators";
}

Error unknown(object::Kind for_kind, int number) {
  if (number == MPI_KEYVAL_INVALID) {
    return Error::make(MPI_ERR_KEYVAL, "the keyval is MPI_KEYVAL_INVALID");
  }
  if (number < kFirstOwn) {
    return Error::make(MPI_ERR_KEYVAL, "the keyval is %d, which is predefined or no keyval",
                       number);
  }
  return Error::make(MPI_ERR_KEYVAL, "the keyval %d is none for %s, or was freed", number,
                     class_name(for_kind));
}

}  // namespace

void* new_cell(std::size_t bytes) noexcept {
  return ::operator new(bytes, std::nothrow);
}

void free_cell(void* cell) noexcept {
  ::operator delete(cell);
}

void Keyval::retain() const noexcept {
  references_.fetch_add(1, std::memory_order_relaxed);
}

void Keyval::release() const noexcept {
  // acq_rel: like Object::release.
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

int Keyval::call_copy(object::HandleBits owner, void* value, void** copy, int* flag) const {
  switch (for_) {
    case object::Kind::kDatatype:
      return type_.copy(reinterpret_cast<MPI_Datatype>(owner), number_, extra_, value, copy, flag);
    case object::Kind::kWin:
      return win_.copy(reinterpret_cast<MPI_Win>(owner), number_, extra_, value, copy, flag);
    default:
      return comm_.copy(reinterpret_cast<MPI_Comm>(owner), number_, extra_, value, copy, flag);
  }
}

Error Keyval::copy(object::HandleBits owner, Value value, Value* copy, bool* wanted) const {
  const auto constant = reinterpret_cast<std::uintptr_t>(comm_.copy);
  if (constant <= 1) {
    *wanted = constant == 1;
    if (*wanted && value.is_integer) return box(value.integer(), copy);
    *copy = value;
    return {};
  }
  int flag = 0;
  void* made = nullptr;
  if (const int code = call_copy(owner, given(value), &made, &flag); code != MPI_SUCCESS) {
    return Error::make(code, "the copy callback of keyval %d returned %d", number_, code);
  }
  *wanted = flag != 0;
  if (*wanted && fortrans_) return box(reinterpret_cast<MPI_Aint>(made), copy);
  *copy = {made};
  return {};
}

bool Keyval::tells_of_ends() const noexcept {
  switch (for_) {
    case object::Kind::kDatatype:
      return !is_constant_callback(type_.erase);
    case object::Kind::kWin:
      return !is_constant_callback(win_.erase);
    default:
      return !is_constant_callback(comm_.erase);
  }
}

Error Keyval::erase(object::HandleBits owner, Value attribute) const {
  if (!tells_of_ends()) return {};
  void* const value = given(attribute);
  int code = MPI_SUCCESS;
  switch (for_) {
    case object::Kind::kDatatype:
      code = type_.erase(reinterpret_cast<MPI_Datatype>(owner), number_, value, extra_);
      break;
    case object::Kind::kWin:
      code = win_.erase(reinterpret_cast<MPI_Win>(owner), number_, value, extra_);
      break;
    default:
      code = comm_.erase(reinterpret_cast<MPI_Comm>(owner), number_, value, extra_);
  }
  if (code == MPI_SUCCESS) return {};
  return Error::make(code, "the delete callback of keyval %d returned %d", number_, code);
}

Error create_keyval(Keyval::CommCallbacks callbacks, void* extra, int* number) {
  return create(callbacks, extra, number);
}
Error create_keyval(Keyval::TypeCallbacks callbacks, void* extra, int* number) {
  return create(callbacks, extra, number);
}
Error create_keyval(Keyval::WinCallbacks callbacks, void* extra, int* number) {
  return create(callbacks, extra, number);
}

Error use_keyval(object::Kind for_kind, int number, object::Ref<const Keyval>* out) {
  Keyvals& keyvals = keyvals_of_rank.get();
  SpinGuard guard(keyvals.lock);
  const KnownKeyval* const known = keyvals.find(for_kind, number);
  if (known == nullptr) return unknown(for_kind, number);
  *out = known->keyval;
  return {};
}

void become_fortrans(int number) noexcept {
  Keyvals& keyvals = keyvals_of_rank.get();
  SpinGuard guard(keyvals.lock);
  for (const KnownKeyval& each : keyvals.known) {
    if (each.keyval->number() == number) const_cast<Keyval&>(*each.keyval).become_fortrans();
  }
}

Error free_keyval(object::Kind for_kind, int* number) {
  Keyvals& keyvals = keyvals_of_rank.get();
  std::vector<KnownKeyval> gone;  // outlives the lock
  {
    SpinGuard guard(keyvals.lock);
    KnownKeyval* known = keyvals.find(for_kind, *number);
    if (known == nullptr) return unknown(for_kind, *number);
    known->freed = true;
    gone = keyvals.sweep();
  }
  *number = MPI_KEYVAL_INVALID;
  return {};
}

}  // namespace heddle::attribute
