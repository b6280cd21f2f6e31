#include "tests/random/window_play.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/ranks_test.h"

namespace heddle::testing {

namespace {

using Kind = Access::Kind;

int divisor_of(int number, Dice& dice) {
  if (number == 0) return 1;
  int divisor = dice.below(std::min(number, 8)) + 1;
  while (number % divisor != 0) --divisor;
  return divisor;
}

// A single element has no layout of its own: the calls take named types alone.
bool is_one(const Access& access) {
  return access.kind >= Kind::kFetch;
}

}  // namespace

WindowPlay::Data::Data(const Access& access, Dice& dice)
    : count(0), layout(access.signature, divisor_of(access.units, dice), dice), room(layout, [&] {
        const int words = static_cast<int>(layout.words().size());
        return count = access.words() / words;
      }()) {}

WindowPlay::WindowPlay(RandomWindow& window, const WindowPlan& plan, int thread,
                       unsigned long number, const std::function<void()>& between_calls)
    : window_(window), plan_(plan), thread_(thread), dice_(number), between_calls_(between_calls) {}

void WindowPlay::perform(int target) {
  for (const Access& access : plan_.accesses()) {
    const bool is_mine = access.origin == window_.rank() && access.thread == thread_;
    if (!is_mine || (target >= 0 && access.target != target)) continue;
    between_calls_();
    start(access);
  }
}

void WindowPlay::start(const Access& access) {
  switch (access.kind) {
    case Kind::kFlush:
      EXPECT_EQ(access.number % 3 == 0 ? MPI_Win_flush_all(window_.win())
                                       : MPI_Win_flush(access.target, window_.win()),
                MPI_SUCCESS);
      return finish(access.target);
    case Kind::kFlushLocal:
      EXPECT_EQ(access.number % 3 == 0 ? MPI_Win_flush_local_all(window_.win())
                                       : MPI_Win_flush_local(access.target, window_.win()),
                MPI_SUCCESS);
      return finish(access.target);
    default:
      break;
  }
  auto pending = std::make_unique<Pending>();
  pending->access = &access;
  if (is_one(access)) {
    pending->words.resize(3 * access.basic().size);
    access.basic().store(pending->words.data(), access.value(0));
    access.basic().store(pending->words.data() + 2 * access.basic().size, access.compare);
  } else {
    if (access.kind != Kind::kGet) {
      pending->given = std::make_unique<Data>(access, dice_);
      for (int i = 0; i < access.words(); ++i) pending->given->room.put(i, access.value(i));
    }
    if (access.fetches() && access.is_exact) {
      pending->result = std::make_unique<Data>(access, dice_);
      for (int i = 0; i < access.words(); ++i) {
        pending->result->room.expect(i, access.old[static_cast<std::size_t>(i)]);
      }
    } else if (access.fetches()) {
      pending->words.resize(static_cast<std::size_t>(access.words()) * access.basic().size);
    }
  }
  issue(*pending);
  pending_.push_back(std::move(pending));
  if (pending_.back()->request != MPI_REQUEST_NULL && dice_.toss()) {
    await(*pending_.back());
    pending_.pop_back();
  }
}

void WindowPlay::issue(Pending& pending) {
  const Access& access = *pending.access;
  const MPI_Win win = window_.win();
  const int target = access.target;
  const MPI_Aint at = window_.displacement(target, access.at);
  if (is_one(access)) {
    const MPI_Datatype type = access.basic().type;
    char* const word = pending.words.data();
    char* const result = word + access.basic().size;
    if (access.kind == Kind::kAdd) return add(pending);
    EXPECT_EQ(access.kind == Kind::kSwap
                  ? MPI_Compare_and_swap(word, result + access.basic().size, result, type, target,
                                         at, win)
                  : MPI_Fetch_and_op(word, result, type, target, at, access.op, win),
              MPI_SUCCESS)
        << access.describe();
    return;
  }
  struct Place {
    void* data = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
  };
  const auto place_of = [](const std::unique_ptr<Data>& data) {
    return data == nullptr ? Place{} : Place{data->room.data(), data->count, data->layout.type()};
  };
  const Place given = place_of(pending.given);
  const Place result = pending.words.empty()
                           ? place_of(pending.result)
                           : Place{pending.words.data(), access.words(), access.basic().type};
  const MPI_Datatype there = access.there->type();
  const int count = access.elements;
  MPI_Request* const request = &pending.request;
  int code = MPI_ERR_OTHER;
  switch (access.kind) {
    case Kind::kPut:
      code = access.with_request
                 ? MPI_Rput(given.data, given.count, given.type, target, at, count, there, win,
                            request)
                 : MPI_Put(given.data, given.count, given.type, target, at, count, there, win);
      break;
    case Kind::kGet:
      code = access.with_request
                 ? MPI_Rget(result.data, result.count, result.type, target, at, count, there, win,
                            request)
                 : MPI_Get(result.data, result.count, result.type, target, at, count, there, win);
      break;
    case Kind::kAccumulate:
      code = access.with_request ? MPI_Raccumulate(given.data, given.count, given.type, target, at,
                                                   count, there, access.op, win, request)
                                 : MPI_Accumulate(given.data, given.count, given.type, target, at,
                                                  count, there, access.op, win);
      break;
    default:
      code =
          access.with_request
              ? MPI_Rget_accumulate(given.data, given.count, given.type, result.data, result.count,
                                    result.type, target, at, count, there, access.op, win, request)
              : MPI_Get_accumulate(given.data, given.count, given.type, result.data, result.count,
                                   result.type, target, at, count, there, access.op, win);
      break;
  }
  EXPECT_EQ(code, MPI_SUCCESS) << "seed " << seed() << ": " << access.describe();
}

// Reads and writes under the exclusive lock.
void WindowPlay::add(Pending& pending) {
  const Access& access = *pending.access;
  const Basic& basic = access.basic();
  char* const word = pending.words.data();
  char* const result = word + basic.size;
  const MPI_Aint at = window_.displacement(access.target, access.at);
  EXPECT_EQ(MPI_Get(result, 1, basic.type, access.target, at, 1, basic.type, window_.win()),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Win_flush(access.target, window_.win()), MPI_SUCCESS);
  basic.store(word, basic.load(result) + access.value(0));
  EXPECT_EQ(MPI_Put(word, 1, basic.type, access.target, at, 1, basic.type, window_.win()),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Win_flush(access.target, window_.win()), MPI_SUCCESS);
}

void WindowPlay::await(Pending& pending) {
  if (dice_.toss()) {
    EXPECT_EQ(MPI_Wait(&pending.request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  for (int done = 0; done == 0;) {
    EXPECT_EQ(MPI_Test(&pending.request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  look_at(pending);
}

void WindowPlay::finish(int target) {
  for (std::unique_ptr<Pending>& pending : pending_) {
    if (target >= 0 && pending->access->target != target) continue;
    await(*pending);
    pending = nullptr;
  }
  std::erase(pending_, nullptr);
}

void WindowPlay::look_at(const Pending& pending) const {
  const Access& access = *pending.access;
  if (pending.given != nullptr) {
    EXPECT_TRUE(pending.given->room.matches())
        << "seed " << seed() << ": the origin's data of " << access.describe();
    // The buffer is the program's again.
    for (int i = 0; i < access.words(); ++i) pending.given->room.put(i, -1);
  }
  if (pending.result != nullptr) {
    EXPECT_TRUE(pending.result->room.matches())
        << "seed " << seed() << ": the result of " << access.describe();
  }
  const bool is_bounded = access.is_exact || access.op != MPI_BXOR;
  if (!access.fetches() || pending.words.empty() || !is_bounded) return;
  const std::vector<char>& memory = window_.model().memory[static_cast<std::size_t>(access.target)];
  const char* const words = pending.words.data() + (is_one(access) ? access.basic().size : 0);
  for (int i = 0; i < access.words(); ++i) {
    const long low = access.old[static_cast<std::size_t>(i)];
    const long high = access.is_exact ? low : access.basic().load(memory.data() + access.offset(i));
    const long word =
        access.basic().load(words + static_cast<std::size_t>(i) * access.basic().size);
    EXPECT_TRUE(low <= word && word <= high)
        << "seed " << seed() << ": " << word << " is not between " << low << " and " << high
        << ", the result of " << access.describe();
  }
}

}  // namespace heddle::testing
