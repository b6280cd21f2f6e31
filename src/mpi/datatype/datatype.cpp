#include "mpi/datatype/datatype.h"

#include <climits>
#include <cstdio>
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
    named_table[bits - kFirstNamed] = new Datatype(description);
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
  Bounds bounds;
  bounds.size = description.size;
  bounds.elements = description.second_offset != 0 ? 2 : 1;
  bounds.true_upper = description.second_offset != 0
                          ? description.second_offset + description.second_size
                          : description.extent;
  bounds.alignment = description.alignment;
  return bounds;
}

Piece layout_of(const NamedType& description) {
  if (description.second_offset == 0) return {0, description.size, nullptr};
  const int first_size = description.size - description.second_size;
  return sequence(
      {{0, first_size, nullptr}, {description.second_offset, description.second_size, nullptr}});
}

}  // namespace

Datatype::Datatype(const NamedType& description)
    : Datatype(bounds_of(description), layout_of(description), {}, {}, Lifetime::kPredefined) {
  named_ = description.handle;
  constant_name_ = description.name;
  representation_ = description.representation;
  family_ = description.family;
  second_size_ = description.second_size;
  set_handle(reinterpret_cast<object::HandleBits>(description.handle));
  commit();
}

Datatype::Datatype(const Datatype& equal, Recipe recipe)
    : Datatype(equal.bounds_, equal.layout_, {{&equal, 1}}, std::move(recipe),
               Lifetime::kManagedPredefined) {
  representation_ = equal.representation_;
  family_ = equal.family_;
  commit();
}

Datatype::Datatype(const Bounds& bounds, Piece layout, std::vector<Part> parts, Recipe recipe)
    : Datatype(bounds, std::move(layout), std::move(parts), std::move(recipe), Lifetime::kManaged) {
}

Datatype::Datatype(const Bounds& bounds, Piece layout, std::vector<Part> parts, Recipe recipe,
                   Lifetime lifetime)
    : Managed(object::Kind::kDatatype, lifetime),
      size_(static_cast<MPI_Count>(bounds.size)),
      lower_bound_(static_cast<MPI_Count>(bounds.lower())),
      extent_(static_cast<MPI_Count>(bounds.extent())),
      true_lower_bound_(static_cast<MPI_Count>(bounds.true_lower)),
      true_extent_(static_cast<MPI_Count>(bounds.true_upper - bounds.true_lower)),
      bounds_(bounds),
      layout_(std::move(layout)),
      parts_(std::move(parts)),
      recipe_(std::move(recipe)) {
  vast_ = size_ > kAddresses / INT_MAX;
  dense_ = size_ == 0 || (layout_.is_run() && layout_.offset == 0 && size_ == extent_);
}

object::Ref<Datatype> Datatype::clone() const {
  const lifetime::Making making;
  auto copy = object::Ref<Datatype>::adopt(new Datatype(bounds_, layout_, parts_, recipe_));
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
