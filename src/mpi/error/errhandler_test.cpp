#include "mpi/error/errhandler.h"

#include <gtest/gtest.h>

#include <string>

#include "exec/rank/rank.h"
#include "mpi/error/error_codes.h"
#include "mpi/object/handle_table.h"

namespace heddle::error {
namespace {

struct Seen {
  MPI_Comm comm;
  int code;
} seen;

void replace_code(MPI_Comm* comm, int* code, ...) {
  seen = {*comm, *code};
  *code = 77;
}
void on_window(MPI_Win*, int*, ...) {}

class ErrhandlerTest : public ::testing::Test {
 protected:
  ErrhandlerTest() { Rank::enter(&rank_); }
  ~ErrhandlerTest() override { Rank::enter(nullptr); }

  static Errhandler* create(MPI_Comm_errhandler_function* function) {
    Errhandler* made = nullptr;
    EXPECT_FALSE(create_errhandler(function, &made));
    return made;
  }

  Rank rank_{0};
};

TEST_F(ErrhandlerTest, ConstantsLeadToThePredefinedOnesAndBack) {
  for (MPI_Errhandler constant : {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN}) {
    Errhandler* handler = from_handle(constant);
    ASSERT_NE(handler, nullptr);
    EXPECT_EQ(publish(handler), reinterpret_cast<object::HandleBits>(constant));
  }
  EXPECT_EQ(from_handle(MPI_ERRHANDLER_NULL), nullptr);
  EXPECT_EQ(from_handle(reinterpret_cast<MPI_Errhandler>(MPI_COMM_WORLD)), nullptr);
}

TEST_F(ErrhandlerTest, TheUsersFunctionGetsTheHandleAndMayChangeTheCode) {
  const auto handler = object::Ref<Errhandler>::adopt(create(replace_code));
  const auto bits = reinterpret_cast<object::HandleBits>(MPI_COMM_SELF);
  EXPECT_EQ(raise_error(*handler, bits, MPI_ERR_TAG, "sentence"), 77);
  EXPECT_EQ(seen.comm, MPI_COMM_SELF);
  EXPECT_EQ(seen.code, MPI_ERR_TAG);
  EXPECT_EQ(raise_error(errors_return(), bits, MPI_ERR_TAG, "sentence"), MPI_ERR_TAG);
}

TEST_F(ErrhandlerTest, FatalTellsTheFatalHandler) {
  EXPECT_EXIT(
      {
        set_fatal_handler([](int code, std::string_view sentence) {
          std::fprintf(stderr, "%.*s", static_cast<int>(sentence.size()), sentence.data());
          std::_Exit(code);
        });
        raise_error(errors_are_fatal(), 0x101, 6, "it went wrong");
      },
      ::testing::ExitedWithCode(6), "it went wrong");
}

TEST_F(ErrhandlerTest, FitsOnlyTheClassItWasMadeFor) {
  const auto handler = object::Ref<Errhandler>::adopt(create(replace_code));
  Errhandler* made = nullptr;
  EXPECT_FALSE(create_errhandler(on_window, &made));
  const auto other = object::Ref<Errhandler>::adopt(made);
  EXPECT_FALSE(check_fits(*handler, object::Kind::kComm));
  EXPECT_FALSE(check_fits(errors_return(), object::Kind::kComm));
  const Error e = check_fits(*other, object::Kind::kComm);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), MPI_ERR_ERRHANDLER);
}

TEST_F(ErrhandlerTest, FreeTakesPredefinedOnesButNothingTwice) {
  auto handle = reinterpret_cast<MPI_Errhandler>(publish(create(replace_code)));
  MPI_Errhandler again = handle;
  EXPECT_FALSE(free_errhandler(&handle));
  EXPECT_EQ(handle, MPI_ERRHANDLER_NULL);
  for (MPI_Errhandler* wrong : {&again, &handle}) {
    const Error e = free_errhandler(wrong);
    ASSERT_TRUE(e);
    EXPECT_EQ(e.error_class(), MPI_ERR_ERRHANDLER);
  }
  MPI_Errhandler predefined = MPI_ERRORS_RETURN;
  EXPECT_FALSE(free_errhandler(&predefined));
  EXPECT_NE(from_handle(MPI_ERRORS_RETURN), nullptr);
}

TEST_F(ErrhandlerTest, NullFunctionsAreRefused) {
  Errhandler* made = nullptr;
  const Error e = create_errhandler(static_cast<MPI_Comm_errhandler_function*>(nullptr), &made);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), MPI_ERR_ARG);
}

}  // namespace
}  // namespace heddle::error
