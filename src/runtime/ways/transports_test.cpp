#include "runtime/ways/transports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/transport/fake/fabric.h"

namespace heddle::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using transport::everywhere;
using transport::Location;
using transport::on_a_node;

constexpr int kNone = transport::Routes::kNone;

// Hosts 0 and 1 on a node, 2 and 3 on nodes of their own.
const std::vector<Location> kHosts = {{0, 0}, {1, 0}, {2, 1}, {3, 2}};

std::vector<transport::Routes> wire_up(Factories factories) {
  std::vector<WireUp> opened(kHosts.size());
  std::vector<HostCard> cards;
  for (const Location& at : kHosts) {
    WireUp& here = opened[static_cast<std::size_t>(at.host)];
    EXPECT_FALSE(WireUp::open(factories, {.host = at.host}, kHosts, &here));
    cards.push_back(here.card());
  }
  std::vector<transport::Routes> routes(kHosts.size());
  for (std::size_t i = 0; i < kHosts.size(); ++i) {
    EXPECT_FALSE(std::move(opened[i]).connect(cards, &routes[i]));
  }
  return routes;
}

TEST(Transports, AreChosenByTheHostThatTheyLeadTo) {
  transport::FakeFabric inside(4, {}), outside(4, {});
  transport::FakeFactory near(inside, on_a_node), far(outside, everywhere);
  transport::Factory* const table[] = {&near, &far};
  const auto routes = wire_up(table);
  EXPECT_THAT(routes[0].to_host, ElementsAre(kNone, 0, 1, 1));
  EXPECT_THAT(routes[1].to_host, ElementsAre(0, kNone, 1, 1));
  EXPECT_EQ(routes[0].transports.size(), 2u);
}

TEST(Transports, ThatLeadToNoHostAreNotOpened) {
  transport::FakeFabric inside(4, {}), outside(4, {});
  transport::FakeFactory near(inside, on_a_node), far(outside, everywhere);
  transport::Factory* const table[] = {&near, &far};
  const auto routes = wire_up(table);
  EXPECT_EQ(routes[2].transports.size(), 1u);
  EXPECT_THAT(routes[2].to_host, ElementsAre(0, 0, kNone, 0));
}

TEST(Transports, AnErrorNamesTheHostThatNoneReaches) {
  transport::FakeFabric inside(4, {});
  transport::FakeFactory near(inside, on_a_node);
  transport::Factory* const table[] = {&near};
  WireUp opened;
  const Error e = WireUp::open(table, {.host = 1}, kHosts, &opened);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.text(), "host 1 on node 0 cannot reach host 2 on node 1; transports tried: fake");
}

TEST(Transports, AnErrorNamesTheOneThatCannotBeOpened) {
  class Broken final : public transport::Factory {
   public:
    std::string_view name() const noexcept override { return "broken"; }
    bool reaches(const Location&, const Location&) const noexcept override { return true; }
    Error open(const transport::Opening&, std::unique_ptr<transport::Transport>*) override {
      return Error::make(kErrorOther, "no device");
    }
  } broken;
  transport::Factory* const table[] = {&broken};
  WireUp opened;
  const Error e = WireUp::open(table, {.host = 0}, kHosts, &opened);
  ASSERT_TRUE(e);
  EXPECT_THAT(std::string(e.text()), HasSubstr("opening transport broken"));
  EXPECT_THAT(std::string(e.text()), HasSubstr("no device"));
}

TEST(Transports, AnErrorNamesTheHostWhoseAddressIsWrong) {
  transport::FakeFabric outside(4, {});
  transport::FakeFactory far(outside, everywhere);
  transport::Factory* const table[] = {&far};
  WireUp opened;
  ASSERT_FALSE(WireUp::open(table, {.host = 0}, kHosts, &opened));
  std::vector<HostCard> cards(4, opened.card());
  transport::Routes routes;
  const Error e = std::move(opened).connect(cards, &routes);
  ASSERT_TRUE(e);
  EXPECT_THAT(std::string(e.text()), HasSubstr("connecting to host 1 by transport fake"));
}

}  // namespace
}  // namespace heddle::runtime
