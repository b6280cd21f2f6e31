// view.h — which bytes of a file a rank sees, and in which order (MPI 5.0 §14.3).
//
//   displacement   filetype            filetype            …
//   |              |██..██..|          |██..██..|
//                   01  23              45  67        position: bytes of the view, packed
//
// A view is a buffer without end whose elements are filetypes, the first at the displacement. Its
// positions count bytes of data; a rank's offsets count etypes. Nothing is flattened: each access
// asks for the runs it needs (runs.h).
//
// Invariants
//   I1  Runs of a filetype begin in ascending order, and where the file may be written they do not
//       overlap. Those of all begin so unless overlaps().
//   I2  The filetype's size is a multiple of the etype's.
//
// Thread safety: immutable.

#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "mpi/datatype/datatype.h"
#include "mpi/io/datarep.h"
#include "mpi/io/runs.h"

namespace heddle::io {

// Bytes [first, end) of a file.
struct Range {
  MPI_Offset first, end;
};

class View {
 public:
  // The initial one: bytes.
  View();
  // An error unless it is a view; `writes`: the file may be written.
  static Error make(MPI_Offset displacement, datatype::Datatype& etype,
                    datatype::Datatype& filetype, const char* datarep, bool writes,
                    std::shared_ptr<const View>* out);

  MPI_Offset displacement() const noexcept { return displacement_; }
  datatype::Datatype& etype() const noexcept { return *etype_; }
  datatype::Datatype& filetype() const noexcept { return *filetype_; }
  const Datarep& datarep() const noexcept { return *datarep_; }

  // The bytes of an etype in the file.
  MPI_Count unit() const noexcept { return unit_; }
  // Runs overlap, or those of one filetype lie between another's: only the walk from a known
  // position is right.
  bool overlaps() const noexcept { return overlaps_; }
  // Sees no bytes at all.
  bool is_empty() const noexcept { return layout_->size() == 0; }

  Runs runs(MPI_Count position, MPI_Count bytes) const {
    return {static_cast<datatype::Address>(displacement_), *layout_, position, bytes};
  }
  // Where the byte at this position lies. Requires that the view is not empty.
  MPI_Offset offset_of(MPI_Count position) const noexcept;
  // The first position whose byte lies at `offset` of the file or behind it. Requires !overlaps().
  MPI_Count position_from(MPI_Offset offset) const noexcept;
  // In etypes: the first one that begins at `offset` of the file or behind it. Requires that the
  // view is not empty.
  MPI_Offset etypes_before(MPI_Offset offset) const;
  // A range of the file that has all bytes of [position, position + bytes), which are some.
  Range range_of(MPI_Count position, MPI_Count bytes) const noexcept;

 private:
  Error check(bool writes);
  // Where the data of the first filetype end.
  MPI_Offset end_of_first() const noexcept {
    return displacement_ + layout_->true_lower_bound() + layout_->true_extent();
  }

  MPI_Offset displacement_ = 0;
  object::Ref<datatype::Datatype> etype_, filetype_;
  // The filetype as it lies in the file; another one only where elements have other sizes there.
  object::Ref<datatype::Datatype> layout_;
  std::shared_ptr<const Datarep> datarep_;
  MPI_Count unit_ = 1;
  bool overlaps_ = false;
};

}  // namespace heddle::io
