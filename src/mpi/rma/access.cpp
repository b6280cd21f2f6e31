#include "mpi/rma/access.h"

#include <cstring>
#include <vector>

#include "mpi/rma/combine.h"

namespace heddle::rma {

using transport::Bytes;

namespace {

// The element and the operation that a packet names; false if it names none.
bool combination_of(const WindowPacket& head, const datatype::Datatype** element,
                    const op::Op** op) noexcept {
  *element = datatype::from_handle(
      reinterpret_cast<MPI_Datatype>(static_cast<std::uintptr_t>(head.element)));
  const std::uintptr_t operation = head.op;
  const bool is_named = head.element - datatype::kFirstNamed < datatype::kNamedSlots &&
                        operation - op::kFirstNamed < op::kNamedSlots;
  if (!is_named || *element == nullptr) return false;
  *op = op::named_table[operation - op::kFirstNamed];
  return *op != nullptr && (*element)->size() > 0;
}

TargetRun run_at(Bytes runs, std::uint32_t i) noexcept {
  TargetRun run;
  std::memcpy(&run, runs.data() + i * sizeof run, sizeof run);
  return run;
}

// Does what an access asks of one run after the other.
class Doing {
 public:
  Doing(const WindowPacket& head, Member& target, Stripes stripes, Bytes data) noexcept
      : head_(head), target_(target), stripes_(stripes), data_(data) {}

  // The class of what is wrong with the packet.
  int prepare(Bytes runs) {
    const bool combines = head_.access == Access::kCombine || head_.access == Access::kFetch;
    if (combines && !combination_of(head_, &element_, &op_)) return MPI_ERR_INTERN;
    MPI_Count all = 0;
    for (std::uint32_t i = 0; i < head_.runs; ++i) {
      const TargetRun run = run_at(runs, i);
      if (!target_.holds(run.at, run.bytes)) return MPI_ERR_RMA_RANGE;
      all += static_cast<MPI_Count>(run.bytes);
      if (combines && run.bytes % static_cast<std::uint64_t>(element_->size()) != 0) {
        return MPI_ERR_INTERN;
      }
    }
    const bool has_data = head_.access == Access::kPut || head_.access == Access::kCombine ||
                          (head_.access == Access::kFetch && !data_.empty());
    const auto wanted = static_cast<std::size_t>(head_.access == Access::kSwap ? 2 * all
                                                 : has_data                    ? all
                                                                               : 0);
    if (data_.size() != wanted) return MPI_ERR_INTERN;
    if (answers()) result_.resize(static_cast<std::size_t>(all));
    return MPI_SUCCESS;
  }

  void run(const TargetRun& run) {
    std::byte* const at = target_.base + run.at;
    const std::byte* const given = data_.empty() ? nullptr : data_.data() + done_;
    std::byte* const result = answers() ? result_.data() + done_ : nullptr;
    const auto bytes = static_cast<MPI_Count>(run.bytes);
    switch (head_.access) {
      case Access::kPut:
        std::memcpy(at, given, run.bytes);
        break;
      case Access::kGet:
        std::memcpy(result, at, run.bytes);
        break;
      case Access::kSwap:
        swap_if_equal(data_.data() + run.bytes, data_.data(), result, at, run.bytes, stripes_);
        break;
      default:
        combine_packed(given, result, at, bytes / element_->size(),
                       {*element_, *op_, op_->kernel(*element_), stripes_});
        break;
    }
    done_ += run.bytes;
  }

  bool answers() const noexcept {
    return head_.access == Access::kGet || head_.access == Access::kFetch ||
           head_.access == Access::kSwap;
  }
  Bytes result() const noexcept { return {result_.data(), result_.size()}; }

 private:
  const WindowPacket& head_;
  Member& target_;
  const Stripes stripes_;
  const Bytes data_;
  const datatype::Datatype* element_ = nullptr;
  const op::Op* op_ = nullptr;
  std::vector<std::byte> result_;
  std::size_t done_ = 0;  // packed bytes
};

}  // namespace

void do_access(gateway::Gateway& gateway, const Asker& asker, const WindowPacket& head, Part& part,
               Bytes rest) {
  const std::size_t table = head.runs * sizeof(TargetRun);
  if (table > rest.size()) return;
  const Bytes runs = rest.first(table);
  Doing doing(head, part.member(head.target), part.stripes(), rest.subspan(table));
  const int status = doing.prepare(runs);
  if (status == MPI_SUCCESS) {
    for (std::uint32_t i = 0; i < head.runs; ++i) doing.run(run_at(runs, i));
  }
  if (!doing.answers()) return end_given(gateway, asker, head, part, status);
  send_answer(gateway, asker, status, status == MPI_SUCCESS ? doing.result() : Bytes{});
}

void end_given(gateway::Gateway& gateway, const Asker& asker, const WindowPacket& head, Part& part,
               int status) noexcept {
  LateErrors& errors = part.late_errors();
  if (asker.waiting == 0) {
    if (status != MPI_SUCCESS) errors.note(head.origin, head.target, status);
    return;
  }
  const int earlier = errors.take(head.origin, head.target);
  send_answer(gateway, asker, earlier != MPI_SUCCESS ? earlier : status);
}

}  // namespace heddle::rma
