#include "mpi/error/error_codes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "exec/rank/rank.h"

namespace heddle::error {
namespace {

class ErrorCodesTest : public ::testing::Test {
 protected:
  ErrorCodesTest() { Rank::enter(&rank_); }
  ~ErrorCodesTest() override { Rank::enter(nullptr); }

  static int class_of(int code) {
    int error_class = -1;
    const Error e = get_error_class(code, &error_class);
    return e ? -e.error_class() : error_class;
  }
  static std::string string_of(int code, std::string_view sentence = "") {
    char text[MPI_MAX_ERROR_STRING];
    int length = -1;
    if (get_error_string(code, sentence, text, &length)) return "(error)";
    EXPECT_EQ(std::string(text).size(), static_cast<std::size_t>(length));
    return text;
  }
  static int add_class() {
    int made = 0;
    EXPECT_FALSE(add_error_class(&made));
    return made;
  }
  static int add_code(int error_class) {
    int made = 0;
    EXPECT_FALSE(add_error_code(error_class, &made));
    return made;
  }
  static void expect_refused(const Error& e) {
    ASSERT_TRUE(e);
    EXPECT_EQ(e.error_class(), MPI_ERR_ARG);
  }

  Rank rank_{0};
};

TEST_F(ErrorCodesTest, EveryClassOfTheStandardIsItsOwnClassAndHasAText) {
  std::set<std::string> texts;
  for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; ++code) {
    EXPECT_EQ(class_of(code), code);
    EXPECT_TRUE(texts.insert(string_of(code)).second) << string_of(code);
  }
  EXPECT_EQ(string_of(MPI_ERR_RANK).find("MPI_ERR_RANK: "), 0u);
  EXPECT_EQ(class_of(MPI_T_ERR_PVAR_NO_ATOMIC), MPI_T_ERR_PVAR_NO_ATOMIC);
  EXPECT_EQ(class_of(-1), -MPI_ERR_ARG);
  EXPECT_EQ(class_of(500), -MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPI_ERR_LASTCODE + 1), -MPI_ERR_ARG);
}

TEST_F(ErrorCodesTest, TheSentenceOfTheLastErrorIsAddedAndCut) {
  EXPECT_NE(string_of(MPI_ERR_RANK, "dest is 12").find("(dest is 12)"), std::string::npos);
  const std::string text = string_of(MPI_ERR_RANK, std::string(2000, 'x'));
  EXPECT_EQ(text.size(), static_cast<std::size_t>(MPI_MAX_ERROR_STRING - 1));
}

TEST_F(ErrorCodesTest, NothingIsAddedToWhatTheProgramSaysOfItsOwnCodes) {
  const int own_code = add_code(MPI_ERR_IO);
  EXPECT_EQ(string_of(own_code, "the copy callback returned it"), "");
  EXPECT_FALSE(add_error_string(own_code, "out of coffee"));
  EXPECT_EQ(string_of(own_code, "the copy callback returned it"), "out of coffee");
}

TEST_F(ErrorCodesTest, AddedClassesAndCodesCountUpFromTheLastOne) {
  const int& last = last_used_code();
  EXPECT_EQ(last, MPI_ERR_LASTCODE);
  const int own_class = add_class();
  const int own_code = add_code(own_class);
  const int other_code = add_code(MPI_ERR_IO);
  EXPECT_EQ(own_class, MPI_ERR_LASTCODE + 1);
  EXPECT_EQ(own_code, own_class + 1);
  EXPECT_EQ(last, other_code);
  EXPECT_EQ(class_of(own_class), own_class);
  EXPECT_EQ(class_of(own_code), own_class);
  EXPECT_EQ(class_of(other_code), MPI_ERR_IO);
  EXPECT_EQ(string_of(own_code), "");
  EXPECT_FALSE(add_error_string(own_code, "out of coffee"));
  EXPECT_EQ(string_of(own_code), "out of coffee");
}

TEST_F(ErrorCodesTest, PredefinedOnesAreNeitherChangedNorRemoved) {
  expect_refused(add_error_string(MPI_ERR_RANK, "mine"));
  expect_refused(remove_error_class(MPI_ERR_RANK));
  expect_refused(remove_error_code(MPI_ERR_RANK));
  expect_refused(remove_error_string(MPI_ERR_RANK));
  int code = 0;
  expect_refused(add_error_code(MPI_ERR_LASTCODE + 50, &code));
}

TEST_F(ErrorCodesTest, WhatIsStillInUseIsNotRemoved) {
  const int own_class = add_class();
  const int own_code = add_code(own_class);
  EXPECT_FALSE(add_error_string(own_code, "text"));
  expect_refused(remove_error_class(own_class));
  expect_refused(remove_error_code(own_code));
  expect_refused(remove_error_code(own_class));
  expect_refused(remove_error_class(own_code));
  EXPECT_FALSE(remove_error_string(own_code));
  expect_refused(remove_error_string(own_code));
  EXPECT_FALSE(remove_error_code(own_code));
  EXPECT_FALSE(remove_error_class(own_class));
  EXPECT_EQ(last_used_code(), MPI_ERR_LASTCODE);
  EXPECT_EQ(class_of(own_class), -MPI_ERR_ARG);
}

TEST_F(ErrorCodesTest, EachRankHasItsOwn) {
  const int mine = add_class();
  Rank other(1);
  Rank::enter(&other);
  EXPECT_EQ(class_of(mine), -MPI_ERR_ARG);
  Rank::enter(&rank_);
}

}  // namespace
}  // namespace heddle::error
