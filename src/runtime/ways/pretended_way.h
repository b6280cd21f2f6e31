// pretended_way.h — the way between hosts that a test pretends this process to be.
//
// Thread safety: way.h.

#pragma once

#include <memory>

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

// This process alone, or what it is to pretend.
inline std::unique_ptr<Way> way_of(const Pretence& pretence) {
  if (pretence.hosts == 1) return std::make_unique<Way>();
  return std::make_unique<PretendedWay>(pretence);
}

}  // namespace heddle::runtime
