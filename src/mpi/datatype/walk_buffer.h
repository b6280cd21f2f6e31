// walk_buffer.h — visits bytes [skip, skip + bytes) of the packed form of elements of a type, which
// begin at `data`; see walk.h.
//
// Thread safety: as walk.h.

#pragma once

#include "mpi/datatype/datatype.h"
#include "mpi/datatype/walk.h"

namespace heddle::datatype {

template <class Sink>
void walk_buffer(const void* data, const Datatype& type, MPI_Count skip, MPI_Count bytes,
                 Sink& sink) noexcept {
  if (bytes == 0) return;
  const Piece& layout = type.layout();
  const Address at = moved(reinterpret_cast<Address>(data), layout.offset);
  // An array of rows that goes on evenly is one array: then the loop over it is one, too.
  const bool goes_on = !layout.is_run() && layout.node->kind == NodeKind::kStrided &&
                       type.extent() == layout.node->count * layout.node->stride;
  if (goes_on) {
    walk_strided(layout.node->child, layout.node->stride, at, skip, bytes, sink);
  } else if (type.extent() == type.size() && layout.is_run()) {
    sink.run(moved(at, skip), bytes);
  } else {
    walk_strided(layout, type.extent(), at, skip, bytes, sink);
  }
}

}  // namespace heddle::datatype
