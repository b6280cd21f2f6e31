#include "tests/random/plan.h"

#include <algorithm>
#include <numeric>

#include "tests/support/ranks_test.h"

namespace heddle::testing {

long Message::value(int time, int i) const {
  return static_cast<long>(mix(number * 8 + static_cast<unsigned>(time), static_cast<unsigned>(i)) %
                           30000);
}

std::string Step::describe() const {
  static constexpr const char* kKinds[] = {"message", "burst", "cycle", "cancelled send",
                                           "cancelled receive"};
  static constexpr const char* kModes[] = {"standard", "synchronous", "buffered", "ready"};
  static constexpr const char* kWays[] = {"blocking", "nonblocking", "persistent"};
  static constexpr const char* kLooks[] = {"", " after a probe", " after an iprobe",
                                           " after an mprobe", " after an improbe"};
  std::string text = kKinds[static_cast<int>(kind)];
  text += node.is_inter() ? " between groups of " + std::to_string(node.groups[0].size()) +
                                " and " + std::to_string(node.groups[1].size())
                          : " among " + std::to_string(node.groups[0].size());
  for (const Message& each : messages) {
    text += "\n  number " + std::to_string(each.number) + ", from " + std::to_string(each.source) +
            " to " + std::to_string(each.destination) + ", tag " + std::to_string(each.tag) + ", " +
            std::to_string(each.units) + " times " + std::to_string(signature.size()) + " words, " +
            kModes[static_cast<int>(each.mode)] + ", sent " + kWays[static_cast<int>(each.sent)] +
            ", received " + kWays[static_cast<int>(each.received)] +
            kLooks[static_cast<int>(each.looks)] + (each.any_tag ? ", any tag" : "") +
            (each.early ? ", early" : "") + ", " + std::to_string(each.times) + " times";
  }
  return text + "\nseed " + std::to_string(seed());
}

Plan::Plan(const Means& means, int steps, Dice& dice)
    : means_(means),
      burst_to_(means.reserved.size() - 1, std::vector<bool>(means.reserved[0].groups[0].size())) {
  for (int i = 0; i < steps; ++i) {
    Step& step = steps_.emplace_back();
    step.node =
        means.nodes[static_cast<std::size_t>(dice.below(static_cast<int>(means.nodes.size())))];
    step.signature = random_signature(dice);
    const int what = dice.below(12);
    if (what == 0) {
      add_burst(step, dice);
    } else if (what == 1 && !step.node.is_inter()) {
      add_cycle(step, dice);
    } else if (what == 2) {
      add_cancelled(step, dice);
    } else {
      add_message(step, dice);
    }
  }
}

Message Plan::message(const Step& step, int from, int to, Dice& dice) {
  constexpr int kUnits[] = {0, 1, 1, 2, 6, 6, 12, 12, 60, 60, 360, 360, 2520};
  Message made;
  made.number = dice.number() >> 8;
  made.side = step.node.is_inter() ? dice.below(2) : 0;
  made.units = kUnits[dice.below(std::size(kUnits))];
  made.tag = means_.first_tag + dice.below(kSharedTags);
  made.mode = static_cast<Mode>(dice.below(3));
  made.sent = static_cast<Way>(dice.below(3));
  made.received = static_cast<Way>(dice.below(3));
  made.looks = static_cast<Looks>(std::max(0, dice.below(9) - 4));
  made.any_tag = means_.alone && dice.below(4) == 0;
  if (dice.below(6) == 0) made.times = dice.below(3) + 1;
  const Ranks& senders = step.node.groups[made.side];
  const Ranks& receivers = step.node.is_inter() ? step.node.groups[1 - made.side] : senders;
  made.from = from >= 0 ? from : dice.below(static_cast<int>(senders.size()));
  made.to = to >= 0 ? to : dice.below(static_cast<int>(receivers.size()));
  made.source = senders[static_cast<std::size_t>(made.from)];
  made.destination = receivers[static_cast<std::size_t>(made.to)];
  // A rank that sends to itself must not wait for the receive that comes next.
  if (made.source == made.destination) {
    made.times = 1;
    if (made.sent == Way::kBlocking) made.sent = Way::kNonblocking;
  }
  return made;
}

void Plan::add_message(Step& step, Dice& dice) {
  Message made = message(step, -1, -1, dice);
  if (dice.below(5) == 0) {
    made.early = true;
    made.times = 1;
    made.looks = Looks::kNot;
    made.received = dice.toss() ? Way::kNonblocking : Way::kPersistent;
    made.any_tag = false;
    made.tag = own_tag();
    if (dice.toss()) made.mode = Mode::kReady;
  }
  step.messages.push_back(made);
}

void Plan::add_burst(Step& step, Dice& dice) {
  step.kind = Step::Kind::kBurst;
  const int count = dice.below(8) + 1;
  const auto at = static_cast<std::size_t>(dice.below(static_cast<int>(burst_to_.size())));
  const int to = dice.below(static_cast<int>(burst_to_[at].size()));
  // Tags do not matter in a communicator that has no other messages to this rank.
  const bool any_tag = !burst_to_[at][static_cast<std::size_t>(to)];
  if (any_tag) {
    burst_to_[at][static_cast<std::size_t>(to)] = true;
    step.node = means_.reserved[at];
  }
  const int tag = own_tag();
  for (int i = 0; i < count; ++i) {
    Message made = message(step, -1, any_tag ? to : -1, dice);
    const int side = i == 0 ? made.side : step.messages[0].side;
    while (made.side != side || (i > 0 && made.to != step.messages[0].to)) {
      made = message(step, -1, any_tag ? to : -1, dice);
    }
    made.times = 1;
    made.any_tag = any_tag;
    if (!any_tag) made.tag = tag;
    step.messages.push_back(made);
  }
}

void Plan::add_cycle(Step& step, Dice& dice) {
  step.kind = Step::Kind::kCycle;
  std::vector<int> members(step.node.groups[0].size());
  std::iota(members.begin(), members.end(), 0);
  for (std::size_t i = members.size(); i > 1; --i) {
    std::swap(members[i - 1], members[static_cast<std::size_t>(dice.below(static_cast<int>(i)))]);
  }
  members.resize(static_cast<std::size_t>(dice.below(static_cast<int>(members.size())) + 1));
  for (std::size_t i = 0; i < members.size(); ++i) {
    Message& made = step.messages.emplace_back(
        message(step, members[i], members[(i + 1) % members.size()], dice));
    made.units = step.messages[0].units;
    made.times = 1;
  }
}

void Plan::add_cancelled(Step& step, Dice& dice) {
  step.kind = dice.toss() ? Step::Kind::kCancelledSend : Step::Kind::kCancelledReceive;
  // The last reserved one is for these alone.
  step.node = means_.reserved.back();
  Message made = message(step, -1, -1, dice);
  made.tag = own_tag();
  step.messages.push_back(made);
}

}  // namespace heddle::testing
