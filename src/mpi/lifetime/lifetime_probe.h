// lifetime_probe.h — for tests: a managed object that knows whether it may end, and an operation
// that needs some.
//
// Each user of a Probe (a handle, an operation, another probe that is built on it) counts itself in
// `needed`, apart from any reference count. A probe that ends while it is needed fails the test.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <utility>
#include <vector>

#include "mpi/lifetime/making.h"
#include "mpi/lifetime/transient_object.h"
#include "mpi/object/handle_table.h"

namespace heddle::lifetime::testing {

class Probe final : public Managed {
 public:
  using Parts = std::vector<object::Ref<const Probe>>;

  explicit Probe(Parts parts = {}) noexcept
      : Managed(object::Kind::kDatatype), parts_(std::move(parts)) {
    for (const auto& part : parts_) ++part->needed;
    ++alive;
  }
  ~Probe() override {
    EXPECT_EQ(needed, 0) << "ended while it was needed";
    EXPECT_EQ(magic_.exchange(kDead), kAlive) << "ended twice";
    for (const auto& part : parts_) --part->needed;
    --alive;
  }

  bool is_alive() const noexcept { return magic_ == kAlive; }
  const Parts& parts() const noexcept { return parts_; }

  mutable std::atomic<int> needed{0};
  static inline std::atomic<int> alive{0};

 private:
  static constexpr unsigned kAlive = 0x600D, kDead = 0xDEAD;
  const Parts parts_;
  std::atomic<unsigned> magic_{kAlive};
};

// A handle of the program.
class Handle {
 public:
  explicit Handle(Probe::Parts parts = {}) {
    const Making making;
    probe_ = new Probe(std::move(parts));
    ++probe_->needed;
    bits_ = publish(probe_);
  }
  const Probe& probe() const noexcept { return *probe_; }
  void free() {
    --probe_->needed;
    retire(object::Kind::kDatatype, bits_)->release();
  }

 private:
  Probe* probe_;
  object::HandleBits bits_;
};

class Operation final : public TransientObject {
 public:
  Operation() noexcept : TransientObject(object::Kind::kRequest) {}
  ~Operation() override {
    for (int i = 0; i < Transient::kReferences; ++i) {
      if (const auto* probe = static_cast<const Probe*>(reference(i))) {
        EXPECT_TRUE(probe->is_alive());
        --probe->needed;
      }
    }
  }
  void hold(const Probe* a, const Probe* b, const Probe* c) noexcept {
    for (const Probe* probe : {a, b, c}) {
      if (probe != nullptr) ++probe->needed;
    }
    refer(a, b, c);
  }
};

inline object::Ref<Operation> start(const Probe* a, const Probe* b = nullptr,
                                    const Probe* c = nullptr) {
  auto operation = make_transient<Operation>();
  operation->hold(a, b, c);
  return operation;
}

}  // namespace heddle::lifetime::testing
