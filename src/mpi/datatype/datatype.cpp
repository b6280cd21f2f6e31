#include "mpi/datatype/datatype.h"

#include <climits>
#include <cstdio>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "exec/rank/rank.h"
#include "mpi/lifetime/making.h"

namespace heddle::datatype {

constinit Datatype* named_table[kNamedSlots] = {};

namespace {

// They live as long as the process: the last to tear down may still ask for MPI_BYTE. Before
// other initializers (101 is the first priority that programs may use), which look types up.
[[gnu::constructor(101)]] void make_named_types() {
  for (const NamedType& description : named_types()) {
    const auto bits = reinterpret_cast<std::uintptr_t>(description.handle);
    named_table[bits - kFirstNamed] = Datatype::make_named(description);
  }
}

// The labels that the calling rank attached to named types.
struct LabelsOfNamed {
  // Lock: guards the labels that a rank has attached to named types, not what is in them.
  SpinLock lock;
  std::unordered_map<const Datatype*, Labels> labels GUARDED_BY(lock);  // not what is in it
};
RankLocal<LabelsOfNamed> labels_of_named;

Bounds bounds_of(const NamedType& description) {
  const bool pair = description.second_offset != 0;
  const int upper = pair ? description.second_offset + description.second_size : description.extent;
  return of_data(description.size, pair ? 2 : 1, upper, description.alignment);
}

Piece layout_of(const NamedType& description) {
  if (description.second_offset == 0) return {0, description.size, nullptr};
  const int first_size = description.size - description.second_size;
  return sequence(
      {{0, first_size, nullptr}, {description.second_offset, description.second_size, nullptr}});
}

// Copies a list to *memory, and moves *memory behind it.
template <class T>
std::span<T> copied(std::span<T> list, std::byte** memory) {
  auto* const copy = reinterpret_cast<std::remove_const_t<T>*>(*memory);
  std::uninitialized_copy(list.begin(), list.end(), copy);
  *memory += list.size_bytes();
  return {copy, list.size()};
}

}  // namespace

Datatype* Datatype::make_named(const NamedType& description) {
  Datatype* const made =
      make(bounds_of(description), layout_of(description), {}, {}, Lifetime::kPredefined);
  made->named_ = description.handle;
  made->constant_name_ = description.name;
  made->representation_ = description.representation;
  made->family_ = description.family;
  made->second_size_ = description.second_size;
  made->set_handle(reinterpret_cast<object::HandleBits>(description.handle));
  made->commit();
  return made;
}

Datatype* Datatype::make_equal(const Datatype& equal, const Recipe& recipe) {
  const Part parts[] = {{&equal, 1}};
  Datatype* const made =
      make(equal.bounds_, equal.layout_, parts, recipe, Lifetime::kManagedPredefined);
  made->representation_ = equal.representation_;
  made->family_ = equal.family_;
  made->commit();
  return made;
}

Datatype* Datatype::make(const Bounds& bounds, Piece layout, std::span<const Part> parts,
                         const Recipe& recipe, Lifetime lifetime) {
  const std::size_t lists = parts.size_bytes() + recipe.integers.size_bytes() +
                            recipe.addresses.size_bytes() + recipe.counts.size_bytes() +
                            recipe.types.size_bytes();
  return new (lists) Datatype(bounds, std::move(layout), parts, recipe, lifetime);
}

Datatype::Datatype(const Bounds& bounds, Piece layout, std::span<const Part> parts,
                   const Recipe& recipe, Lifetime lifetime)
    : Managed(object::Kind::kDatatype, lifetime), bounds_(bounds), layout_(std::move(layout)) {
  vast_ = size() > kAddresses / INT_MAX;
  dense_ = size() == 0 || (layout_.is_run() && layout_.offset == 0 && size() == extent());
  auto* behind = reinterpret_cast<std::byte*>(this + 1);
  parts_ = copied(parts, &behind);
  recipe_.combiner = recipe.combiner;
  recipe_.integers = copied(recipe.integers, &behind);
  recipe_.addresses = copied(recipe.addresses, &behind);
  recipe_.counts = copied(recipe.counts, &behind);
  recipe_.types = copied(recipe.types, &behind);
  for (const Datatype* type : recipe_.types) type->retain();
}

Datatype::~Datatype() {
  for (const Datatype* type : recipe_.types) type->release();
}

object::Ref<Datatype> Datatype::clone() const {
  const lifetime::Making making;
  auto copy = object::Ref<Datatype>::adopt(make(bounds_, layout_, parts_, recipe_));
  if (committed()) copy->commit();
  return copy;
}

Labels& Datatype::labels() const noexcept {
  if (named_ == MPI_DATATYPE_NULL) return labels_;
  LabelsOfNamed& mine = labels_of_named.get();
  const SpinGuard guard(mine.lock);
  return mine.labels[this];  // stays where it is when the map grows
}

std::string Datatype::name() const {
  const Labels& mine = labels();
  return mine.was_named() ? mine.name() : constant_name_;
}

Datatype* from_handle_slow(MPI_Datatype handle) noexcept {
  return object::find_as<Datatype>(object::Kind::kDatatype, handle);
}

std::string describe(const Datatype& type) {
  if (type.named() != MPI_DATATYPE_NULL) return type.constant_name();
  const std::string name = type.name();
  if (!name.empty()) return '"' + name + '"';
  char text[40];
  std::snprintf(text, sizeof text, "the datatype 0x%zx", type.handle());
  return text;
}

std::string Labels::name() const {
  const SpinGuard guard(lock_);
  return name_;
}

void Labels::set_name(std::string name) {
  const SpinGuard guard(lock_);
  std::swap(name_, name);
  was_named_ = true;
}

bool Labels::was_named() const noexcept {
  const SpinGuard guard(lock_);
  return was_named_;
}

}  // namespace heddle::datatype
