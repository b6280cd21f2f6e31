// shortage.h — a maker of objects that finds no memory has the freed ones ended first.
//
// Where objects are collected, what the program has freed stays until a cycle is due, 16 objects or more;
// if these are large, memory may end before. As long as a CollectsInShortage exists, an operator new of its
// strand that finds no memory runs a cycle, and tries again if that has ended something. Elsewhere
// operator new fails as ever: a cycle ends objects, for which it takes locks that the caller may hold.
//
// Thread safety: of its strand. Not across anything that may switch.

#pragma once

namespace heddle::object {

class CollectsInShortage {
 public:
  CollectsInShortage() noexcept { ++depth_; }
  ~CollectsInShortage() { --depth_; }
  CollectsInShortage(const CollectsInShortage&) = delete;
  CollectsInShortage& operator=(const CollectsInShortage&) = delete;

  static bool here() noexcept { return depth_ != 0; }

 private:
  static thread_local constinit int depth_;
};

}  // namespace heddle::object
