#include "mpi/io/view.h"

#include <algorithm>
#include <limits>

namespace heddle::io {

using datatype::Address;
using datatype::Datatype;
using object::Ref;

namespace {

// Looks at the runs of one filetype: do they ascend?
class Order {
 public:
  void run(Address at, MPI_Count bytes) noexcept {
    const auto begin = static_cast<MPI_Offset>(at);
    if (is_first_) first_ = begin;
    if (!is_first_ && begin < last_) ascends = false;
    if (!is_first_ && begin < end_) overlaps = true;
    is_first_ = false;
    last_ = begin;
    end_ = std::max(end_, begin + bytes);
  }
  void strided(Address at, MPI_Count stride, MPI_Count bytes, MPI_Count count) noexcept {
    run(at, bytes);
    if (count > 1) run(datatype::moved(at, stride), bytes);
    if (count > 2) run(datatype::moved(at, (count - 1) * stride), bytes);
  }
  void scattered(Address base, const MPI_Count* offsets, MPI_Count bytes,
                 MPI_Count count) noexcept {
    for (MPI_Count i = 0; i < count; ++i) run(datatype::moved(base, offsets[i]), bytes);
  }
  void records(Address at, MPI_Count stride, MPI_Count count,
               const datatype::Fields& fields) noexcept {
    // If the first two follow each other, so do all.
    for (MPI_Count i = 0; i < count; i = i < 1 || i == count - 1 ? i + 1 : count - 1) {
      for (MPI_Count f = 0; f < fields.count; ++f) {
        run(datatype::moved(at, i * stride + fields.offsets[f]),
            fields.starts[f + 1] - fields.starts[f]);
      }
    }
  }

  MPI_Offset first() const noexcept { return first_; }

  bool ascends = true, overlaps = false;

 private:
  MPI_Offset first_ = 0, last_ = 0, end_ = 0;
  bool is_first_ = true;
};

// Where one byte lies.
struct Finder {
  void run(Address where, MPI_Count) noexcept { at = where; }
  void strided(Address where, MPI_Count, MPI_Count, MPI_Count) noexcept { at = where; }
  void scattered(Address base, const MPI_Count* offsets, MPI_Count, MPI_Count) noexcept {
    at = datatype::moved(base, offsets[0]);
  }
  void records(Address where, MPI_Count, MPI_Count, const datatype::Fields& fields) noexcept {
    at = datatype::moved(where, fields.offsets[0]);
  }

  Address at = 0;
};

}  // namespace

View::View()
    : etype_(&datatype::named(MPI_BYTE)),
      filetype_(etype_),
      layout_(etype_),
      datarep_(native_datarep()) {}

Error View::make(MPI_Offset displacement, Datatype& etype, Datatype& filetype, const char* datarep,
                 bool writes, std::shared_ptr<const View>* out) {
  auto view = std::make_shared<View>();
  if (displacement < 0) {
    return Error::make(MPI_ERR_ARG, "argument disp is %lld, but must not be negative",
                       static_cast<long long>(displacement));
  }
  view->displacement_ = displacement;
  view->etype_ = Ref<Datatype>(&etype);
  view->filetype_ = view->layout_ = Ref<Datatype>(&filetype);
  if (Error e = find_datarep(datarep, &view->datarep_)) return e;
  if (Error e = view->datarep_->lay_out(etype, filetype, &view->unit_, &view->layout_)) return e;
  if (Error e = view->check(writes)) return e;
  *out = std::move(view);
  return {};
}

Error View::check(bool writes) {
  if (etype_->size() == 0 ? filetype_->size() != 0 : filetype_->size() % etype_->size() != 0) {
    return Error::make(MPI_ERR_ARG,
                       "argument filetype has %lld bytes of data, which is no multiple of the "
                       "%lld of argument etype",
                       static_cast<long long>(filetype_->size()),
                       static_cast<long long>(etype_->size()));
  }
  const MPI_Count size = layout_->size();
  if (size == 0) return {};
  Order order;
  datatype::walk_buffer(nullptr, *layout_, 0, size, order);
  if (order.first() < 0) {
    return Error::make(MPI_ERR_IO,
                       "argument filetype has data at displacement %lld; "
                       "displacements must not be negative",
                       static_cast<long long>(order.first()));
  }
  if (!order.ascends || (order.overlaps && writes)) {
    return Error::make(MPI_ERR_IO,
                       order.ascends
                           ? "data of argument filetype overlap, but the file may be written"
                           : "displacements of argument filetype must be in ascending order");
  }
  // Elements of the view may lie between each other: a program may use no more than the first.
  datatype::walk_buffer(reinterpret_cast<const void*>(layout_->extent()), *layout_, 0, size, order);
  overlaps_ = order.overlaps || !order.ascends;
  return {};
}

MPI_Offset View::offset_of(MPI_Count position) const noexcept {
  Finder finder;
  datatype::walk_buffer(reinterpret_cast<const void*>(displacement_), *layout_, position, 1,
                        finder);
  return static_cast<MPI_Offset>(finder.at);
}

MPI_Count View::position_from(MPI_Offset offset) const noexcept {
  const MPI_Offset within = offset - displacement_ - layout_->true_lower_bound();
  if (within <= 0) return 0;
  if (layout_->dense()) return within;
  const MPI_Count size = layout_->size(), extent = layout_->extent();
  // The data of earlier tiles end before this one begins, those of later ones begin behind it.
  MPI_Count low = within / extent * size, high = low + size;
  while (low < high) {
    const MPI_Count middle = low + (high - low) / 2;
    if (offset_of(middle) < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

MPI_Offset View::etypes_before(MPI_Offset offset) const {
  if (!overlaps_) return (position_from(offset) + unit_ - 1) / unit_;
  const MPI_Count size = layout_->size(), extent = layout_->extent();
  // Earlier filetypes end before the offset. Those that do not advance are one.
  const MPI_Offset rest = offset - end_of_first();
  MPI_Count position = extent <= 0 || rest < 0 ? 0 : (rest / extent + 1) * size;
  Runs all = runs(position, extent <= 0 ? size : std::numeric_limits<MPI_Count>::max() - position);
  while (!all.done()) {
    const Run run = all.run();
    const MPI_Offset before = std::max<MPI_Offset>(offset - static_cast<MPI_Offset>(run.at), 0);
    const MPI_Count etype = (position + before + unit_ - 1) / unit_;
    position += run.bytes;
    if (etype * unit_ < position) return etype;
    all.advance(run.bytes);
  }
  return position / unit_;
}

Range View::range_of(MPI_Count position, MPI_Count bytes) const noexcept {
  const MPI_Count last = position + bytes - 1;
  if (!overlaps_) return {offset_of(position), offset_of(last) + 1};
  const MPI_Count a = position / layout_->size() * layout_->extent();
  const MPI_Count b = last / layout_->size() * layout_->extent();
  return {displacement_ + layout_->true_lower_bound() + std::min(a, b),
          end_of_first() + std::max(a, b)};
}

}  // namespace heddle::io
