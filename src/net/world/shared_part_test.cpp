#include "net/world/shared_part.h"

#include <gtest/gtest.h>

namespace heddle::world {
namespace {

int alive = 0;

class Part final : public SharedPart {
 public:
  explicit Part(int members) : SharedPart(members) { ++alive; }
  ~Part() override { --alive; }
};

std::unique_ptr<SharedPart> make_part(const void* members) {
  return std::make_unique<Part>(*static_cast<const int*>(members));
}

TEST(SharedParts, MembersOfAContextGetTheSamePartAndOthersAnother) {
  const int members = 2;
  SharedParts parts;
  SharedPart& first = parts.join(16, make_part, &members);
  SharedPart& other = parts.join(17, make_part, &members);
  EXPECT_NE(&first, &other);
  EXPECT_EQ(&parts.join(16, make_part, &members), &first);
  EXPECT_EQ(alive, 2);
}

TEST(SharedParts, APartLivesUntilEveryMemberHasLeftAlsoThoseWhoJoinLate) {
  const int members = 2;
  SharedParts parts;
  SharedPart& part = parts.join(16, make_part, &members);
  part.leave();  // before the other one has come
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(&parts.join(16, make_part, &members), &part);
  part.leave();
  EXPECT_EQ(alive, 0);
}

TEST(SharedParts, APartIsLookedAtWhileThereIsOne) {
  const int members = 1;
  SharedParts parts;
  SharedPart* seen = nullptr;
  const auto look = [&](SharedPart& part) { seen = &part; };
  parts.look_at(16, look);
  EXPECT_EQ(seen, nullptr);
  SharedPart& part = parts.join(16, make_part, &members);
  parts.look_at(17, look);
  EXPECT_EQ(seen, nullptr);
  parts.look_at(16, look);
  EXPECT_EQ(seen, &part);
  part.leave();
  seen = nullptr;
  parts.look_at(16, look);
  EXPECT_EQ(seen, nullptr);
}

TEST(SharedParts, PartsThatNobodyLeftGoWithTheTable) {
  const int members = 3;
  {
    SharedParts parts;
    parts.join(16, make_part, &members).leave();
    parts.join(17, make_part, &members);
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace heddle::world
