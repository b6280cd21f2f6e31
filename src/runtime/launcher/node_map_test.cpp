#include "runtime/launcher/node_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::launcher {
namespace {

using ::testing::ElementsAre;

std::vector<int> nodes_of(std::string_view text, int processes) {
  std::vector<int> nodes;
  EXPECT_FALSE(read_node_map(text, processes, &nodes)) << text;
  return nodes;
}

TEST(NodeMap, PlacesProcessesBlockByBlock) {
  EXPECT_THAT(nodes_of("(vector,(0,2,3))", 6), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(nodes_of("(vector,(0,1,2),(4,2,1))", 4), ElementsAre(0, 0, 4, 5));
}

TEST(NodeMap, PlacesNoMoreThanThereAre) {
  EXPECT_THAT(nodes_of("(vector,(0,4,16))", 3), ElementsAre(0, 0, 0));
}

TEST(NodeMap, BeginsAgainAtItsEnd) {
  EXPECT_THAT(nodes_of("(vector,(0,2,1))", 5), ElementsAre(0, 1, 0, 1, 0));
}

TEST(NodeMap, RefusesWhatItCannotRead) {
  for (const char* text :
       {"", "vector", "(vector", "(vector)", "(vector,)", "(vector,(0,1))", "(vector,(0,1,1)",
        "(vector,(0,0,4))", "(vector,(0,1,-1))", "(vector,(0,1,99999999999999))",
        "(matrix,(0,1,1))", "(vector,(a,1,1))"}) {
    std::vector<int> nodes{7};
    EXPECT_TRUE(read_node_map(text, 2, &nodes)) << text;
    EXPECT_THAT(nodes, ElementsAre(7));
  }
}

}  // namespace
}  // namespace heddle::launcher
