#include "tests/random/window_plan.h"

#include <algorithm>

namespace heddle::testing {

namespace {

using Kind = Access::Kind;

// Codes of claims. Owned: kOwned + actor. Combined: kCombined + operation and basic type.
constexpr int kFree = 0, kRead = 1, kGuarded = 10, kCombined = 100, kOwned = 1000;
// What the owner's last access was; from kCombines on with its basic type.
constexpr int kWrites = 0, kReads = 1, kCombines = 2;

int number_of(const Basic& basic) {
  return static_cast<int>(&basic - kBasics);
}

bool is_integer(const Basic& basic) {
  return basic.type != MPI_DOUBLE;
}

bool is_combining(Kind kind) {
  return kind == Kind::kAccumulate || kind == Kind::kGetAccumulate || kind == Kind::kFetch;
}

// The operations that commute with themselves come first.
MPI_Op draw_op(const Access& access, Dice& dice) {
  const bool may_be_none = access.kind != Kind::kAccumulate;
  switch (dice.below(may_be_none ? 6 : 5)) {
    case 0:
    case 1:
      return MPI_SUM;
    case 2:
      return MPI_MAX;
    case 3:
      return is_integer(access.basic()) ? MPI_BXOR : MPI_SUM;
    case 4:
      return MPI_REPLACE;
    default:
      return MPI_NO_OP;
  }
}

int number_of(MPI_Op op) {
  return op == MPI_SUM ? 0 : op == MPI_MAX ? 1 : 2;
}

long combined(const Access& access, long old, long given) {
  switch (access.kind) {
    case Kind::kPut:
      return given;
    case Kind::kAdd:
      return old + given;
    case Kind::kSwap:
      return old == access.compare ? given : old;
    default:
      break;
  }
  if (access.op == MPI_SUM) return old + given;
  if (access.op == MPI_MAX) return std::max(old, given);
  if (access.op == MPI_BXOR) return old ^ given;
  return access.op == MPI_REPLACE ? given : old;
}

bool writes(const Access& access) {
  return access.kind != Kind::kGet && access.op != MPI_NO_OP;
}

}  // namespace

WindowModel::WindowModel(const std::vector<int>& sizes) {
  for (const int size : sizes) {
    memory.emplace_back(static_cast<std::size_t>(size), '\0');
    basics.emplace_back(static_cast<std::size_t>(size), 0);
  }
}

long Access::value(int i) const {
  return static_cast<long>(mix(number, static_cast<unsigned>(i)) %
                           (is_combining(kind) ? 10 : 1000));
}

std::ptrdiff_t Access::offset(int i) const {
  if (there == nullptr) return at + i * static_cast<std::ptrdiff_t>(basic().size);
  const auto length = static_cast<int>(there->words().size());
  return at + there->words()[static_cast<std::size_t>(i % length)].offset +
         i / length * there->extent();
}

std::string Access::describe() const {
  static const char* const kNames[] = {
      "put",         "get",   "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap",
      "get and put", "flush", "flush_local"};
  return std::string(with_request ? "r" : "") + kNames[static_cast<int>(kind)] + " of thread " +
         std::to_string(thread) + " of rank " + std::to_string(origin) + " at rank " +
         std::to_string(target) + ", byte " + std::to_string(at) + ", number " +
         std::to_string(number);
}

WindowPlan::WindowPlan(WindowModel& model, int threads, bool locks, int steps, Dice& dice)
    : model_(model), threads_(threads) {
  const auto pairs = static_cast<std::size_t>(model.size() * model.size());
  flushes_.assign(pairs * static_cast<std::size_t>(threads), 0);
  for (const std::vector<char>& memory : model.memory) claims_.emplace_back(memory.size());
  draw_epoch(locks, dice);
  for (int i = dice.below(3); i > 0; --i) add_store(dice);
  before_ = model.memory;
  for (int i = 0; i < steps; ++i) add_access(dice);
}

void WindowPlan::draw_epoch(bool locks, Dice& dice) {
  epoch_ = static_cast<EpochKind>(dice.below(locks ? 4 : 2));
  const int density = dice.below(3);
  for (int i = 0; i < model_.size() * model_.size(); ++i) {
    const bool some = density == 0 || dice.below(density + 1) == 0;
    reaches_.push_back(epoch_ == EpochKind::kFence || epoch_ == EpochKind::kLockAll || some);
    alone_.push_back(epoch_ == EpochKind::kLocks && dice.toss());
  }
}

void WindowPlan::add_store(Dice& dice) {
  const int rank = dice.below(model_.size());
  auto& memory = model_.memory[static_cast<std::size_t>(rank)];
  if (memory.empty()) return;
  const Store store{rank, 8 * dice.below(static_cast<int>(memory.size() / 8)), dice.below(1000)};
  kBasics[0].store(memory.data() + store.at, store.value);
  auto& basics = model_.basics[static_cast<std::size_t>(rank)];
  std::fill_n(basics.begin() + store.at, 8, static_cast<unsigned char>(1));
  stores_.push_back(store);
}

void WindowPlan::draw_kind(Access& access, Dice& dice) const {
  const bool passive = epoch_ >= EpochKind::kLocks;
  const int kinds = passive ? 10 : 6;
  access.kind = static_cast<Kind>(std::min(dice.below(kinds), 8));
  if (access.kind == Kind::kAdd &&
      (!is_alone(access.origin, access.target) || access.thread != 0)) {
    access.kind = passive ? Kind::kFlush : Kind::kGet;
  }
  access.with_request = passive && access.kind <= Kind::kGetAccumulate && dice.toss();
}

void WindowPlan::draw_data(Access& access, Dice& dice) const {
  access.number = dice.number();
  const bool is_one = access.kind >= Kind::kFetch;
  access.signature = random_signature(dice);
  if (is_one || is_combining(access.kind)) access.signature.resize(1);
  if (access.kind == Kind::kSwap && !is_integer(access.basic())) access.signature[0] = &kBasics[0];
  if (is_combining(access.kind)) access.op = draw_op(access, dice);
  if (is_one) return;
  const auto room = model_.memory[static_cast<std::size_t>(access.target)].size();
  const bool is_long = room > 10'000 && dice.below(4) == 0;
  const int repeats = dice.below(is_long ? 2 : 6) + 1;
  access.elements = is_long ? dice.below(3000) : dice.below(5);
  access.units = repeats * access.elements;
  access.there = std::make_shared<Layout>(access.signature, repeats, dice);
}

WindowPlan::Use WindowPlan::use_of(const Access& access, bool shares) const {
  const int basic = number_of(access.basic());
  const int own = kOwned + actor(access);
  if (access.kind == Kind::kAdd) return {kGuarded + basic, -1, kWrites};
  if (access.kind == Kind::kGet) return {kRead, own, kReads};
  if (!is_combining(access.kind)) return {own, own, kWrites};
  if (shares) return {kCombined + 10 * number_of(access.op) + basic, -1, kCombines};
  return {access.op == MPI_NO_OP ? kRead : own, own, kCombines + basic};
}

bool WindowPlan::fits(const Access& access, const Use& use) {
  const auto target = static_cast<std::size_t>(access.target);
  const auto size = static_cast<std::ptrdiff_t>(model_.memory[target].size());
  const bool needs_type =
      access.fetches() || (access.kind != Kind::kPut && access.op != MPI_REPLACE);
  for (int word = 0; word < access.words(); ++word) {
    const Basic& basic =
        *access.signature[static_cast<std::size_t>(word) % access.signature.size()];
    const std::ptrdiff_t begin = access.offset(word);
    const auto end = begin + static_cast<std::ptrdiff_t>(basic.size);
    if (begin < 0 || end > size) return false;
    for (auto byte = static_cast<std::size_t>(begin); byte < static_cast<std::size_t>(end);
         ++byte) {
      const Claim& claim = claims_[target][byte];
      const int type = model_.basics[target][byte];
      if (needs_type && type != 0 && type != 1 + number_of(basic)) return false;
      const bool is_ordered =
          flushes(access) > claim.flushes || (claim.access == use.access && use.access != kWrites);
      const bool is_mine = claim.code == use.actor && is_ordered;
      const bool is_common = claim.code == use.code && use.code < kOwned;
      if (claim.code != kFree && !is_mine && !is_common) return false;
    }
  }
  return true;
}

void WindowPlan::claim(const Access& access, const Use& use) {
  const auto target = static_cast<std::size_t>(access.target);
  for (int word = 0; word < access.words(); ++word) {
    const Basic& basic =
        *access.signature[static_cast<std::size_t>(word) % access.signature.size()];
    const auto begin = static_cast<std::size_t>(access.offset(word));
    for (std::size_t byte = begin; byte < begin + basic.size; ++byte) {
      Claim& claim = claims_[target][byte];
      if (claim.code != use.actor) claim.code = use.code;
      claim.flushes = flushes(access);
      claim.access = use.access;
      if (writes(access))
        model_.basics[target][byte] = static_cast<unsigned char>(1 + number_of(basic));
    }
  }
}

bool WindowPlan::find_place(Access& access, const Use& use, Dice& dice) {
  const auto slots =
      static_cast<int>(model_.memory[static_cast<std::size_t>(access.target)].size() / 8);
  for (int attempt = 0; attempt < 12; ++attempt) {
    access.at = 8 * dice.below(slots + 1);
    if (fits(access, use)) return true;
  }
  return false;
}

void WindowPlan::apply(Access& access) {
  std::vector<char>& memory = model_.memory[static_cast<std::size_t>(access.target)];
  const std::vector<char>& before = before_[static_cast<std::size_t>(access.target)];
  for (int word = 0; word < access.words(); ++word) {
    const Basic& basic =
        *access.signature[static_cast<std::size_t>(word) % access.signature.size()];
    char* const at = memory.data() + access.offset(word);
    if (access.fetches()) {
      access.old.push_back(basic.load(access.is_exact ? at : before.data() + access.offset(word)));
    }
    if (word == 0 && access.kind == Kind::kSwap)
      access.compare = access.old[0] + static_cast<long>(access.number % 2);
    if (writes(access)) basic.store(at, combined(access, basic.load(at), access.value(word)));
  }
}

void WindowPlan::add_access(Dice& dice) {
  Access access;
  access.origin = dice.below(model_.size());
  access.target = dice.below(model_.size());
  access.thread = dice.below(threads_);
  if (!reaches(access.origin, access.target)) return;
  draw_kind(access, dice);
  if (access.kind == Kind::kFlush || access.kind == Kind::kFlushLocal) {
    if (access.kind == Kind::kFlush) ++flushes(access);
    access.number = dice.number();
    accesses_.push_back(access);
    return;
  }
  draw_data(access, dice);
  // MPI_NO_OP is combined with what MPI_SUM is.
  const bool commutes = access.op == MPI_SUM || access.op == MPI_MAX || access.op == MPI_BXOR ||
                        access.op == MPI_NO_OP;
  const bool shares = is_combining(access.kind) && commutes && dice.toss();
  Use use = use_of(access, shares);
  if (shares && access.op == MPI_NO_OP) use.code = kCombined + number_of(access.basic());
  if (!find_place(access, use, dice)) return;
  access.is_exact = !shares && access.kind != Kind::kAdd;
  claim(access, use);
  apply(access);
  accesses_.push_back(access);
}

}  // namespace heddle::testing
