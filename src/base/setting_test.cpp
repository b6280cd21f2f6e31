#include "base/setting.h"

#include <gmock/gmock.h>

#include "base/settings.h"

namespace heddle::settings {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;

constexpr Setting kBetween = {"SIZE", "",  "",      "", Type::kSize, Audience::kUser,
                              true,   "4", "bytes", 2,  4096,        {}};
constexpr Setting kColor = {"COLOR", "", "", "", Type::kChoice,           Audience::kUser, true,
                            "red",   "", 0,  0,  {"red", "green", "blue"}};

// The value, or -1.
std::int64_t parsed(const Setting& setting, std::string_view text) {
  std::int64_t value = -1;
  Error e = parse(setting, setting.name, text, &value);
  EXPECT_EQ(static_cast<bool>(e), value == -1) << "outputs are set only on success";
  return value;
}

std::string complaint(const Setting& setting, std::string_view text) {
  std::int64_t value = -1;
  const Error e = parse(setting, setting.name, text, &value);
  EXPECT_TRUE(e);
  if (!e) return "";
  EXPECT_EQ(e.error_class(), kErrorArgument);
  return std::string(e.text());
}

TEST(Parse, ReadsSizesWithAndWithoutSuffix) {
  const Setting& limit = setting_of(Id::kEagerLimit);
  EXPECT_EQ(parsed(limit, "0"), 0);
  EXPECT_EQ(parsed(limit, "8192"), 8192);
  EXPECT_EQ(parsed(limit, "8k"), 8192);
  EXPECT_EQ(parsed(limit, "8K"), 8192);
  EXPECT_EQ(parsed(limit, "1M"), 1 << 20);
  EXPECT_EQ(parsed(limit, "3g"), std::int64_t{3} << 30);
  EXPECT_EQ(parsed(limit, "9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parsed(limit, "8589934591G"), std::int64_t{8589934591} << 30);
}

TEST(Parse, RefusesWhatIsNoSize) {
  const Setting& limit = setting_of(Id::kEagerLimit);
  for (const char* text :
       {"", "k", "-1", "+1", " 1", "1 ", "1kk", "1T", "0x10", "1e3", "many", "1.5",
        "9223372036854775808", "8589934592G", "99999999999999999999999"}) {
    EXPECT_EQ(parsed(limit, text), -1) << text;
  }
}

TEST(Parse, KeepsSizesBetweenTheirLimits) {
  EXPECT_EQ(parsed(kBetween, "1"), -1);
  EXPECT_EQ(parsed(kBetween, "2"), 2);
  EXPECT_EQ(parsed(kBetween, "4k"), 4096);
  EXPECT_EQ(parsed(kBetween, "4097"), -1);
  EXPECT_EQ(parsed(kBetween, "5k"), -1);
  EXPECT_THAT(complaint(kBetween, "5k"),
              StrEq("SIZE is '5k', but must be a whole number of bytes from 2 to 4096; k, M or "
                    "G may follow it"));
}

TEST(Parse, FindsChoicesExactly) {
  EXPECT_EQ(parsed(kColor, "red"), 0);
  EXPECT_EQ(parsed(kColor, "blue"), 2);
  for (const char* text : {"", "Red", "re", "redd", "red ", "0"})
    EXPECT_EQ(parsed(kColor, text), -1);
  EXPECT_THAT(complaint(kColor, "pink"), StrEq("COLOR is 'pink', but must be red, green or blue"));
}

TEST(Parse, CallsTheSettingAsItIsTold) {
  std::int64_t value = 0;
  const Error e = parse(kColor, "argument --color", "pink", &value);
  ASSERT_TRUE(e);
  EXPECT_THAT(std::string(e.text()), HasSubstr("argument --color is 'pink'"));
}

TEST(Settings, HaveAFallbackThatIsRight) {
  for (const Setting& setting : kTable) {
    EXPECT_NE(parsed(setting, setting.fallback), -1) << setting.name;
  }
}

TEST(Settings, ChoicesAreInTheOrderOfTheirEnum) {
  EXPECT_EQ(parsed(setting_of(Id::kLifetime), "none"), static_cast<int>(Lifetime::kNone));
  EXPECT_EQ(parsed(setting_of(Id::kPosixThreads), "kernel"),
            static_cast<int>(PosixThreads::kKernel));
}

}  // namespace
}  // namespace heddle::settings
