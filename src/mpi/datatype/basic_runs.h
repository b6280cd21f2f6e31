// basic_runs.h — the basic elements of a buffer in packed order, as runs of one named type.
//
//   2 × struct {int, double[3]}   ──►   1 int, 3 doubles, 1 int, 3 doubles
//
// Thread safety: none needed; the types are immutable.

#pragma once

#include <vector>

#include "mpi/datatype/datatype.h"

namespace heddle::datatype {

struct BasicRun {
  const Datatype* type;  // a named one
  MPI_Count count;       // of its elements, at least 1
};

class BasicRuns {
 public:
  BasicRuns(const Datatype& type, MPI_Count count) { enter(type, count); }

  // False behind the last one.
  bool next(BasicRun* run);

 private:
  struct Level {
    const Datatype* type;
    MPI_Count left;        // elements of it, the current one included
    std::size_t part = 0;  // of the current one
  };

  void enter(const Datatype& type, MPI_Count count);

  // A stack of our own: types may be nested deeper than the strand's stack allows.
  std::vector<Level> levels_;
};

}  // namespace heddle::datatype
