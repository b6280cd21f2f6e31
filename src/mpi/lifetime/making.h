// making.h — what the maker of a managed object does besides: it has freed ones ended.
//
//   const Making making;      before new Comm(…), new Datatype(…), new Op
//
//   where            the maker ends freed objects
//   ---------------  ---------------------------------------------------------------------
//   constructor      if enough of them wait (collector.h): making them pays for their end. Not with
//                    HEDDLE_CYCLE_AT=freeing (freeing.h)
//   operator new     that finds no memory, as long as a Making of its strand exists: it runs a
//                    cycle, and tries again if that has ended something
//
// What the program has freed stays until a cycle is due (HEDDLE_LEAST_CYCLE objects or more); if
// these are large, memory may end before. Elsewhere operator new fails as ever: a cycle ends
// objects, for which it takes locks that the caller may hold.
//
// Thread safety: of its strand. Not across anything that may switch.

#pragma once

namespace heddle::lifetime {

class Making {
 public:
  Making() noexcept;
  ~Making() { --depth_; }
  Making(Making&&) = delete;

  // True if the calling strand makes an object.
  static bool here() noexcept { return depth_ != 0; }

 private:
  static thread_local constinit int depth_;
};

}  // namespace heddle::lifetime
