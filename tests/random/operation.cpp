#include "tests/random/operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "tests/support/ranks_test.h"

namespace heddle::testing {

namespace {

std::uint64_t compose(std::uint64_t first, std::uint64_t second) {
  const auto a1 = static_cast<std::uint32_t>(first >> 32), b1 = static_cast<std::uint32_t>(first);
  const auto a2 = static_cast<std::uint32_t>(second >> 32), b2 = static_cast<std::uint32_t>(second);
  return std::uint64_t{a1 * a2} << 32 | (a2 * b1 + b2);
}

void compose_all(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* first = static_cast<const std::uint64_t*>(in);
  auto* second = static_cast<std::uint64_t*>(inout);
  for (int i = 0; i < *count; ++i) second[i] = compose(first[i], second[i]);
}

int sum_of(const Ranks& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0);
}

// Functions x -> a x + b, one after the other, as an operation that does not commute.
MPI_Op composition() {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(compose_all, /*commute=*/0, &op);
  return op;
}

}  // namespace

Blocks::Blocks(Ranks all_words, const Form& form, bool regular)
    : words(std::move(all_words)), counts(words.size()), displacements(words.size()) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t at = regular ? i : words.size() - 1 - i;
    counts[at] = words[at] / form.words();
    displacements[at] = extent;
    extent += counts[at] + (regular ? 0 : 2);
  }
}

Operation::Operation(const Node& node, unsigned long number, Dice& dice, Dice& local)
    : node_(node), number_(number) {
  constexpr int kUnits[] = {0, 2, 2, 2, 2, 8, 8, 30, 30, 200, 200, 2000, 12000};
  kind_ =
      static_cast<Kind>(dice.below(static_cast<int>(node.is_inter() ? Kind::kScan : Kind::kKinds)));
  way_ = static_cast<Way>(dice.below(3));
  if (combines()) combine_ = static_cast<Combine>(dice.below(3));
  basic_ = kBasics[combine_ == kCompose ? 0 : dice.below(4)];
  regular_ = dice.toss();
  in_place_ = dice.toss() && !node.is_inter();
  unit_ = kUnits[dice.below(static_cast<int>(std::size(kUnits)))];
  if (unit_ > 2000 && kind_ != Kind::kBcast && !combines()) unit_ = 2000;
  if (combine_ == kCompose) op_ = composition();
  choose_root(dice);
  make_buffers(local);
}

Operation::~Operation() {
  if (combine_ == kCompose) MPI_Op_free(&op_);
  if (persistent()) MPI_Request_free(&request);
}

void Operation::choose_root(Dice& dice) {
  const int side = node_.is_inter() ? dice.below(2) : 0;
  root_ = dice.below(static_cast<int>(node_.groups[side].size()));
  root_argument_ = root_;
  is_root_ = node_.side == side && node_.rank == root_;
  beside_root_ = node_.is_inter() && node_.side == side;
  if (beside_root_) root_argument_ = is_root_ ? MPI_ROOT : MPI_PROC_NULL;
  if (kind_ == Kind::kGather || kind_ == Kind::kScatter || kind_ == Kind::kReduce) {
    in_place_ = in_place_ && is_root_;
  }
  if (kind_ == Kind::kBcast || kind_ == Kind::kBarrier) in_place_ = false;
}

long Operation::value(int side, int from, int to, int i) const {
  const std::uint64_t who = static_cast<std::uint64_t>(side) << 40 |
                            static_cast<std::uint64_t>(from) << 20 | static_cast<std::uint64_t>(to);
  const std::uint64_t all = mix(mix(salt_, who), static_cast<std::uint64_t>(i));
  return combine_ == kCompose ? static_cast<long>(all) : static_cast<long>(all % 1001) - 500;
}

int Operation::words(int from, int to) const {
  if (regular_) return unit_;
  // In place MPI_Alltoallv sends as much as it receives.
  if (in_place_ && kind_ == Kind::kAlltoall && from > to) std::swap(from, to);
  const auto pair = static_cast<std::uint64_t>(from) << 20 | static_cast<std::uint64_t>(to);
  return static_cast<int>(mix(number_, pair) % 3) * unit_;
}

Ranks Operation::words_from_all(int to) const {
  Ranks all;
  for (int from = 0; from < peers(); ++from) all.push_back(words(from, to));
  return all;
}

Ranks Operation::words_to_all(int from) const {
  Ranks all;
  for (int to = 0; to < peers(); ++to) all.push_back(words(from, to));
  return all;
}

long Operation::combined(int count, int i) const {
  long all = value(peer_side(), 0, 0, i);
  for (int from = 1; from < count; ++from) {
    const long next = value(peer_side(), from, 0, i);
    if (combine_ == kSum) all += next;
    if (combine_ == kMax) all = std::max(all, next);
    if (combine_ == kCompose) {
      all = static_cast<long>(
          compose(static_cast<std::uint64_t>(all), static_cast<std::uint64_t>(next)));
    }
  }
  return all;
}

// What this rank gives and gets, in words; empty: nothing.
Ranks Operation::out_words() const {
  const int me = node_.rank;
  switch (kind_) {
    case Kind::kBarrier:
      return {};
    case Kind::kBcast:
      return is_root_ ? Ranks{unit_} : Ranks{};
    case Kind::kGather:
      return beside_root_ ? Ranks{} : Ranks{words(me, 0)};
    case Kind::kScatter:
      return is_root_ ? words_to_all(me) : Ranks{};
    case Kind::kAllgather:
      return {words(me, 0)};
    case Kind::kAlltoall:
      return words_to_all(me);
    case Kind::kReduceScatter:
      return {sum_of(shares())};
    case Kind::kReduce:
      return beside_root_ ? Ranks{} : Ranks{unit_};
    default:
      return {unit_};
  }
}

Ranks Operation::in_words() const {
  const int me = node_.rank;
  switch (kind_) {
    case Kind::kBarrier:
      return {};
    case Kind::kBcast:
      return beside_root_ || is_root_ ? Ranks{} : Ranks{unit_};
    case Kind::kGather:
      return is_root_ ? words_from_all(0) : Ranks{};
    case Kind::kScatter:
      return beside_root_ || in_place_ ? Ranks{} : Ranks{words(root_, me)};
    case Kind::kAllgather:
      return words_from_all(0);
    case Kind::kAlltoall:
      return words_from_all(me);
    case Kind::kReduceScatter:
      return {sum_of(shares())};  // in place it holds all
    case Kind::kReduce:
      return is_root_ ? Ranks{unit_} : Ranks{};
    default:
      return {unit_};
  }
}

// The words that each member of the own group gets of a reduce_scatter.
Ranks Operation::shares() const {
  Ranks all;
  for (int member = 0; member < members(); ++member) {
    all.push_back(node_.is_inter() ? peers() * unit_ : words(0, member));
  }
  return all;
}

void Operation::make_buffers(Dice& local) {
  // The predefined operations know basic types only.
  const auto form = [&] {
    return kForms[combines() ? 0 : local.below(static_cast<int>(std::size(kForms)))];
  };
  const auto make = [&](const Ranks& all, std::unique_ptr<Buffer>& buffer,
                        std::unique_ptr<Blocks>& blocks) {
    const Form chosen = form();
    blocks = std::make_unique<Blocks>(all, chosen, regular_);
    buffer = std::make_unique<Buffer>(basic_, chosen, blocks->extent);
  };
  make(out_words(), out_, out_blocks_);
  make(in_words(), in_, in_blocks_);
  const auto in_bytes = [](const Blocks& blocks, const Buffer& buffer) {
    Ranks all;
    for (const int at : blocks.displacements) all.push_back(at * static_cast<int>(buffer.extent()));
    return all;
  };
  out_bytes_ = in_bytes(*out_blocks_, *out_);
  in_bytes_ = in_bytes(*in_blocks_, *in_);
  out_types_.assign(out_bytes_.size(), out_->type());
  in_types_.assign(in_bytes_.size(), in_->type());
  shares_ = shares();
}

void Operation::fill() {
  ++salt_;
  if (combines()) {
    fill_combined();
  } else {
    fill_moved();
  }
}

// Where a rank gives or gets one block, its other end is the root, or there is one block for all.
void Operation::fill_moved() {
  const int me = node_.rank;
  const bool to_each = kind_ == Kind::kScatter || kind_ == Kind::kAlltoall;
  const auto put = [&](Buffer& buffer, const Blocks& blocks, std::size_t block, int to) {
    for (int i = 0; i < blocks.words[block]; ++i) {
      buffer.put(blocks.displacements[block], i, value(node_.side, me, to, i));
    }
  };
  for (std::size_t k = 0; k < out_blocks_->words.size(); ++k) {
    put(*out_, *out_blocks_, k, to_each ? static_cast<int>(k) : 0);
  }
  if (in_place_ && kind_ == Kind::kAlltoall) {
    for (std::size_t k = 0; k < in_blocks_->words.size(); ++k)
      put(*in_, *in_blocks_, k, static_cast<int>(k));
  }
  if (in_place_ && (kind_ == Kind::kGather || kind_ == Kind::kAllgather)) {
    put(*in_, *in_blocks_, static_cast<std::size_t>(me), 0);
  }
  const bool from_root = kind_ == Kind::kBcast || kind_ == Kind::kScatter;
  for (std::size_t k = 0; k < in_blocks_->words.size(); ++k) {
    const int from = from_root ? root_ : static_cast<int>(k);
    for (int i = 0; i < in_blocks_->words[k]; ++i) {
      in_->expect(in_blocks_->displacements[k], i, value(peer_side(), from, to_each ? me : 0, i));
    }
  }
}

void Operation::fill_combined() {
  const int me = node_.rank;
  Buffer& given = in_place_ ? *in_ : *out_;
  for (int i = 0; i < sum_of(out_blocks_->words); ++i) given.put(0, i, value(node_.side, me, 0, i));
  int first = 0, got = sum_of(in_blocks_->words), from = peers();
  if (kind_ == Kind::kReduceScatter) {
    first = std::accumulate(shares_.begin(), shares_.begin() + me, 0);
    got = shares_[static_cast<std::size_t>(me)];
  }
  if (kind_ == Kind::kScan) from = me + 1;
  if (kind_ == Kind::kExscan) from = me;
  for (int i = 0; i < got && from > 0; ++i) in_->expect(0, i, combined(from, first + i));
}

int Operation::perform() {
  return combines() ? perform_combined() : perform_moved();
}

int Operation::perform_moved() {
  const void* out = in_place_ ? MPI_IN_PLACE : out_->data();
  void* in = in_->data();
  const MPI_Datatype out_type = out_->type(), in_type = in_->type();
  const int out_count = unit_ / out_->form().words(), in_count = unit_ / in_->form().words();
  const Ranks &outs = out_blocks_->counts, &ins = in_blocks_->counts;
  const int *out_at = out_blocks_->displacements.data(), *in_at = in_blocks_->displacements.data();
  switch (kind_) {
    case Kind::kBcast: {
      Buffer& buffer = is_root_ ? *out_ : *in_;
      return perform_as(way_, node_.comm, &request, MPI_Bcast, MPI_Ibcast, MPI_Bcast_init,
                        buffer.data(), is_root_ ? out_count : in_count, buffer.type(),
                        root_argument_);
    }
    case Kind::kGather:
      if (regular_) {
        return perform_as(way_, node_.comm, &request, MPI_Gather, MPI_Igather, MPI_Gather_init, out,
                          out_count, out_type, in, in_count, in_type, root_argument_);
      }
      return perform_as(way_, node_.comm, &request, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init,
                        out, outs.empty() ? 0 : outs[0], out_type, in, ins.data(), in_at, in_type,
                        root_argument_);
    case Kind::kScatter:
      out = out_->data();
      if (in_place_) in = MPI_IN_PLACE;
      if (regular_) {
        return perform_as(way_, node_.comm, &request, MPI_Scatter, MPI_Iscatter, MPI_Scatter_init,
                          out, out_count, out_type, in, in_count, in_type, root_argument_);
      }
      return perform_as(way_, node_.comm, &request, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init,
                        out, outs.data(), out_at, out_type, in, ins.empty() ? 0 : ins[0], in_type,
                        root_argument_);
    case Kind::kAllgather:
      if (regular_) {
        return perform_as(way_, node_.comm, &request, MPI_Allgather, MPI_Iallgather,
                          MPI_Allgather_init, out, out_count, out_type, in, in_count, in_type);
      }
      return perform_as(way_, node_.comm, &request, MPI_Allgatherv, MPI_Iallgatherv,
                        MPI_Allgatherv_init, out, outs[0], out_type, in, ins.data(), in_at,
                        in_type);
    case Kind::kAlltoall:
      if (regular_) {
        return perform_as(way_, node_.comm, &request, MPI_Alltoall, MPI_Ialltoall,
                          MPI_Alltoall_init, out, out_count, out_type, in, in_count, in_type);
      }
      if (number_ % 2 == 0) {
        return perform_as(way_, node_.comm, &request, MPI_Alltoallv, MPI_Ialltoallv,
                          MPI_Alltoallv_init, out, outs.data(), out_at, out_type, in, ins.data(),
                          in_at, in_type);
      }
      return perform_as(way_, node_.comm, &request, MPI_Alltoallw, MPI_Ialltoallw,
                        MPI_Alltoallw_init, out, outs.data(), out_bytes_.data(), out_types_.data(),
                        in, ins.data(), in_bytes_.data(), in_types_.data());
    default:
      return perform_as(way_, node_.comm, &request, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init);
  }
}

int Operation::perform_combined() {
  const void* out = in_place_ ? MPI_IN_PLACE : out_->data();
  void* in = in_->data();
  const MPI_Op known[] = {MPI_SUM, MPI_MAX, op_};
  const MPI_Op op = known[combine_];
  const MPI_Datatype type = basic_.type;
  switch (kind_) {
    case Kind::kReduce:
      return perform_as(way_, node_.comm, &request, MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, out,
                        in, unit_, type, op, root_argument_);
    case Kind::kAllreduce:
      return perform_as(way_, node_.comm, &request, MPI_Allreduce, MPI_Iallreduce,
                        MPI_Allreduce_init, out, in, unit_, type, op);
    case Kind::kScan:
      return perform_as(way_, node_.comm, &request, MPI_Scan, MPI_Iscan, MPI_Scan_init, out, in,
                        unit_, type, op);
    case Kind::kExscan:
      return perform_as(way_, node_.comm, &request, MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, out,
                        in, unit_, type, op);
    default:
      if (regular_) {
        return perform_as(way_, node_.comm, &request, MPI_Reduce_scatter_block,
                          MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, out, in,
                          shares_[0], type, op);
      }
      return perform_as(way_, node_.comm, &request, MPI_Reduce_scatter, MPI_Ireduce_scatter,
                        MPI_Reduce_scatter_init, out, in, shares_.data(), type, op);
  }
}

void Operation::call() {
  fill();
  const int code = perform();
  EXPECT_EQ(code, MPI_SUCCESS) << describe();
}

void Operation::check() {
  EXPECT_TRUE(out_->matches()) << "what was sent has changed: " << describe();
  EXPECT_TRUE(in_->matches()) << describe();
}

std::string Operation::describe() const {
  static constexpr const char* kKinds[] = {"barrier",        "bcast",    "gather", "scatter",
                                           "allgather",      "alltoall", "reduce", "allreduce",
                                           "reduce_scatter", "scan",     "exscan"};
  static constexpr const char* kWays[] = {"blocking", "nonblocking", "persistent"};
  const auto number = [](auto value) { return std::to_string(value); };
  return "operation " + number(number_) + ", " + kWays[static_cast<int>(way_)] + " " +
         kKinds[static_cast<int>(kind_)] + (regular_ ? "" : "v") + (in_place_ ? " in place" : "") +
         " of " + number(unit_) + " words of " + number(basic_.size) + " bytes, root " +
         number(root_) + ", combination " + number(static_cast<int>(combine_)) + ", rank " +
         number(node_.rank) + " of " + number(members()) +
         (node_.is_inter() ? " beside " + number(peers()) : "") + ", round " + number(salt_) +
         ", seed " + number(seed());
}

}  // namespace heddle::testing
