// tree.h — which hosts talk to each other where hosts collect something at host 0 and spread it
// again.
//
//   fan 2, 8 hosts               fan 4, 8 hosts
//   0 ─┬─ 1                      0 ─┬─ 1
//      ├─ 2 ── 3                    ├─ 2
//      └─ 4 ─┬─ 5                   ├─ 3
//            └─ 6 ── 7              └─ 4 ─┬─ 5
//                                         ├─ 6
//                                         └─ 7
//
// A host's subtree is a row of hosts that begins with it, and those of its children follow each
// other. So what is combined on the way up in the order of for_each_child() is combined in host
// order. A tree with a large fan has few levels: each level costs a sleep and a wake where hosts
// outnumber cores. One with a small fan gives each host little to send.
//
// Thread safety: constant.

#pragma once

namespace heddle::coll {

class Tree {
 public:
  // Both arguments are at least 1, the fan at least 2.
  constexpr Tree(int hosts, int fan) noexcept : hosts_(hosts), fan_(fan) {}

  // Requires that it is not host 0.
  constexpr int parent(int host) const noexcept {
    const int step = own_step(host);
    return host - host / step % fan_ * step;
  }

  // Visits the children with the smallest subtrees first; these are the next ones in host order.
  template <class Visit>
  constexpr void for_each_child(int host, Visit&& visit) const {
    const int end = own_step(host);
    for (int step = 1; step < end; step *= fan_) visit_level(host, step, visit);
  }
  // Visits the children with the largest subtrees first.
  template <class Visit>
  constexpr void for_each_child_back(int host, Visit&& visit) const {
    for (int step = own_step(host) / fan_; step > 0; step /= fan_) visit_level(host, step, visit);
  }

 private:
  // The power of fan_ by a multiple of which a host differs from its parent; of host 0 the first
  // that no host has.
  constexpr int own_step(int host) const noexcept {
    int step = 1;
    while (step < hosts_ && host / step % fan_ == 0) step *= fan_;
    return step;
  }
  template <class Visit>
  constexpr void visit_level(int host, int step, Visit& visit) const {
    for (int i = 1; i < fan_ && host + i * step < hosts_; ++i) visit(host + i * step);
  }

  const int hosts_, fan_;
};

}  // namespace heddle::coll
