// pretended_way.h — the way between hosts that a test pretends this process to be.
//
// Thread safety: way.h.

#pragma once

#include "runtime/ways/way.h"

namespace heddle::runtime {

class PretendedWay final : public Way {
 public:
  explicit PretendedWay(const Pretence& pretence) : pretence_(pretence) {}

  Layout layout(int ranks, const int*) const override { return {ranks, pretence_}; }
  bool carries(int) const noexcept override { return true; }
  Error connect(const Opening& opening, std::vector<transport::Routes>* routes) override;

 private:
  const Pretence pretence_;
};

}  // namespace heddle::runtime
