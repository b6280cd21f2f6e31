// access.h — what one call reads or writes: which bytes of the view, and where they are in memory.
//
//   Access ──► view, position, bytes     the view as it was at the call
//          ──► memory                    the program's buffer, or a copy of it in the file's form
//          ──► done                      bytes that were moved: what a status tells
//
//   move()        moves it all, on any kernel thread
//   move_here()   the same for a strand: gives its worker away meanwhile, if that may take long
//
// Thread safety: a strand at a time; `done` may be added to by several.

#pragma once

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "mpi/datatype/buffer.h"
#include "mpi/io/file.h"
#include "mpi/io/mover.h"

namespace heddle::io {

using datatype::Buffer;

struct Access {
  object::Ref<File> file;
  Direction direction;
  Buffer memory;
  std::shared_ptr<const View> view;
  MPI_Count position = 0;  // in the view
  MPI_Count bytes = 0;     // in the file
  Mover::Done done{0};
  int error = 0;  // an errno
  // If the file's form is another one: the program's buffer; `memory` is the copy.
  Buffer unconverted;
  std::unique_ptr<std::byte[]> copy;

  Access(File& its_file, Direction its_direction, Buffer buffer);

  // `offset`: in etypes. Fails where the buffer is no whole number of etypes. Converts what is to
  // be written.
  Error place(MPI_Offset offset);
  // Once all is moved: converts what was read. On a strand of the rank, where functions of the
  // program convert.
  Error finish();
  // What has been moved, in the form of memory.
  MPI_Count delivered() const noexcept;
  Error verdict() const;

  // The part of the file that it touches. Of an access that has bytes.
  Range range() const noexcept { return view->range_of(position, bytes); }
};

// The etypes that a buffer has; fails if that is no whole number.
Error etypes_of(const View& view, const Buffer& buffer, MPI_Offset* etypes);

// Hands pieces of an access to a Mover, or to what looks like one, one after the other.
class Pieces {
 public:
  // Bytes [from, to) of its view.
  Pieces(Access& access, MPI_Count from, MPI_Count to);
  // Those of a list of runs, whose bytes lie one after the other at `data`.
  Pieces(std::vector<Run> runs, std::byte* data, MPI_Count bytes, Mover::Done& done)
      : done_(done),
        file_(std::move(runs)),
        memory_(std::vector<Run>{{reinterpret_cast<datatype::Address>(data), bytes}}) {}

  bool done() const noexcept { return file_.done() || memory_.done(); }
  MPI_Offset offset() const noexcept { return static_cast<MPI_Offset>(file_.run().at); }
  template <class Target>
  void hand_to(Target& target) {
    const MPI_Count bytes = std::min(file_.run().bytes, memory_.run().bytes);
    target.add(offset(), reinterpret_cast<void*>(memory_.run().at), bytes, done_);
    file_.advance(bytes);
    memory_.advance(bytes);
  }

 private:
  Mover::Done& done_;
  Runs file_, memory_;
};

void move(Access& access);
void move_here(Access& access);

// Runs function(argument), outside of the worker if it may take long and other strands want to run:
// it moves so many bytes. May switch.
void run_apart(const Part& part, MPI_Count bytes, void (*function)(void*), void* argument);

}  // namespace heddle::io
