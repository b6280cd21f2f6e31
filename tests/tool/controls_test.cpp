// Control variables: the settings (§15.3.6), and how strings are given out (§15.3.3).

#include <cstdlib>
#include <cstring>

#include "tests/support/ranks_test.h"
#include "tests/tool/open_tools.h"

using heddle::testing::garbage;
using heddle::testing::OpenTools;

namespace {

constexpr int kSettings = 15;  // of spec/settings.json, less those of the compiler wrappers

int index_of(const char* name) {
  int index = -1;
  EXPECT_EQ(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
  return index;
}

struct Control {
  explicit Control(const char* name) {
    int count = 0;
    EXPECT_EQ(MPI_T_cvar_handle_alloc(index_of(name), nullptr, &handle, &count), MPI_SUCCESS);
    EXPECT_EQ(count, 1);
  }
  ~Control() {
    EXPECT_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    EXPECT_EQ(handle, MPI_T_CVAR_HANDLE_NULL);
  }
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
};

}  // namespace

RANKS_TEST(Controls, AreTheSettingsAndConstant, ranks(1, 2)) {
  OpenTools tools;
  int count = 0;
  ASSERT_EQ(MPI_T_cvar_get_num(&count), MPI_SUCCESS);
  EXPECT_EQ(count, kSettings);
  for (int i = 0; i < count; ++i) {
    char name[64], text[512];
    int name_length = sizeof name, text_length = sizeof text;
    int verbosity = 0, bind = 0, scope = 0, index = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum names = garbage<MPI_T_enum>(1);
    ASSERT_EQ(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &names, text,
                                  &text_length, &bind, &scope),
              MPI_SUCCESS);
    EXPECT_EQ(std::strncmp(name, "HEDDLE_", 7), 0);
    EXPECT_EQ(name_length, static_cast<int>(std::strlen(name)) + 1);
    EXPECT_EQ(text_length, static_cast<int>(std::strlen(text)) + 1);
    EXPECT_GE(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    EXPECT_EQ(bind, MPI_T_BIND_NO_OBJECT);
    EXPECT_EQ(scope, MPI_T_SCOPE_CONSTANT);
    EXPECT_EQ(type == MPI_INT, names != MPI_T_ENUM_NULL);
    EXPECT_TRUE(type == MPI_INT || type == MPI_COUNT);
    EXPECT_EQ(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
    EXPECT_EQ(index, i);
  }
}

RANKS_TEST(Controls, HaveTheValuesOfTheEnvironment, ranks(1, 2)) {
  OpenTools tools;
  Control limit("HEDDLE_EAGER_LIMIT");
  MPI_Count bytes = -1;
  EXPECT_EQ(MPI_T_cvar_read(limit.handle, &bytes), MPI_SUCCESS);
  const char* text = std::getenv("HEDDLE_EAGER_LIMIT");
  EXPECT_EQ(bytes, text == nullptr ? 4096 : 65536) << "the test is run without it and with 64k";

  Control lifetime("HEDDLE_LIFETIME");
  int value = -1;
  EXPECT_EQ(MPI_T_cvar_read(lifetime.handle, &value), MPI_SUCCESS);
  MPI_T_enum names = MPI_T_ENUM_NULL;
  MPI_T_cvar_get_info(index_of("HEDDLE_LIFETIME"), nullptr, nullptr, nullptr, nullptr, &names,
                      nullptr, nullptr, nullptr, nullptr);
  char name[32] = "";
  int length = sizeof name, same = -1;
  EXPECT_EQ(MPI_T_enum_get_item(names, value, &same, name, &length), MPI_SUCCESS);
  text = std::getenv("HEDDLE_LIFETIME");
  EXPECT_STREQ(name, text == nullptr ? "collector" : text);
  EXPECT_EQ(same, value);
}

RANKS_TEST(Controls, CannotBeWritten, ranks(1)) {
  OpenTools tools;
  Control limit("HEDDLE_EAGER_LIMIT");
  const MPI_Count wanted = 1;
  MPI_Count bytes = -1;
  EXPECT_EQ(MPI_T_cvar_write(limit.handle, &wanted), MPI_T_ERR_CVAR_SET_NEVER);
  EXPECT_EQ(MPI_T_cvar_read(limit.handle, &bytes), MPI_SUCCESS);
  EXPECT_NE(bytes, wanted);
}

RANKS_TEST(Controls, WrongArgumentsGiveTheirErrors, ranks(1)) {
  OpenTools tools;
  int i = 7;
  MPI_T_cvar_handle handle = garbage<MPI_T_cvar_handle>(5);
  for (const int index : {-1, kSettings, 1 << 30}) {
    EXPECT_EQ(MPI_T_cvar_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, nullptr, nullptr),
              MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_cvar_handle_alloc(index, nullptr, &handle, &i), MPI_T_ERR_INVALID_INDEX);
  }
  EXPECT_EQ(handle, garbage<MPI_T_cvar_handle>(5)) << "outputs are set only on success";
  EXPECT_EQ(MPI_T_cvar_get_index("HEDDLE_EAGER", &i), MPI_T_ERR_INVALID_NAME);
  EXPECT_EQ(MPI_T_cvar_get_index("HEDDLE_CC", &i), MPI_T_ERR_INVALID_NAME) << "not the library's";
  EXPECT_EQ(i, 7);
  EXPECT_EQ(MPI_T_cvar_get_index(nullptr, &i), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_cvar_get_index("HEDDLE_LIFETIME", nullptr), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_cvar_handle_alloc(0, nullptr, nullptr, &i), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_cvar_handle_free(nullptr), MPI_T_ERR_INVALID);

  MPI_T_cvar_handle freed = MPI_T_CVAR_HANDLE_NULL;
  MPI_T_cvar_handle_alloc(0, nullptr, &freed, &i);
  MPI_T_cvar_handle copy = freed;
  MPI_T_cvar_handle_free(&freed);
  for (MPI_T_cvar_handle wrong :
       {copy, MPI_T_CVAR_HANDLE_NULL, garbage<MPI_T_cvar_handle>(1),
        garbage<MPI_T_cvar_handle>(0xdeadbeef), garbage<MPI_T_cvar_handle>(~std::uintptr_t{0})}) {
    MPI_Count value = 0;
    EXPECT_EQ(MPI_T_cvar_read(wrong, &value), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_cvar_write(wrong, &value), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_cvar_handle_free(&wrong), MPI_T_ERR_INVALID_HANDLE);
  }
}

RANKS_TEST(Controls, OfAnotherRankAreNoHandlesHere, ranks(2)) {
  if (!heddle::testing::share_variables(size)) return;  // a handle is an address
  OpenTools tools;
  Control own("HEDDLE_LIFETIME");
  MPI_T_cvar_handle other = MPI_T_CVAR_HANDLE_NULL;
  MPI_Sendrecv(&own.handle, sizeof other, MPI_BYTE, 1 - rank, 0, &other, sizeof other, MPI_BYTE,
               1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int value = 0;
  EXPECT_EQ(MPI_T_cvar_read(other, &value), MPI_T_ERR_INVALID_HANDLE);
  MPI_Barrier(MPI_COMM_WORLD);
}

RANKS_TEST(Enums, NameTheirValues, ranks(1)) {
  OpenTools tools;
  MPI_T_enum names = MPI_T_ENUM_NULL;
  MPI_T_cvar_get_info(index_of("HEDDLE_POSIX_THREADS"), nullptr, nullptr, nullptr, nullptr, &names,
                      nullptr, nullptr, nullptr, nullptr);
  int count = 0, value = -1;
  char name[64];
  int length = sizeof name;
  EXPECT_EQ(MPI_T_enum_get_info(names, &count, name, &length), MPI_SUCCESS);
  EXPECT_EQ(count, 2);
  EXPECT_STREQ(name, "HEDDLE_POSIX_THREADS");
  length = sizeof name;
  EXPECT_EQ(MPI_T_enum_get_item(names, 1, &value, name, &length), MPI_SUCCESS);
  EXPECT_STREQ(name, "kernel");
  EXPECT_EQ(value, 1);
  // MPI_T_ERR_INVALID_ITEM is deprecated since MPI 4.0.
  EXPECT_EQ(MPI_T_enum_get_item(names, 2, &value, name, &length), MPI_T_ERR_INVALID_INDEX);
  EXPECT_EQ(MPI_T_enum_get_item(names, -1, &value, name, &length), MPI_T_ERR_INVALID_INDEX);
  for (const std::uintptr_t wrong :
       {std::uintptr_t{0}, std::uintptr_t{0x100}, std::uintptr_t{0x100 + 255},
        std::uintptr_t{0x200}, ~std::uintptr_t{0}}) {
    EXPECT_EQ(MPI_T_enum_get_info(garbage<MPI_T_enum>(wrong), &count, name, &length),
              MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_enum_get_item(garbage<MPI_T_enum>(wrong), 0, &value, name, &length),
              MPI_T_ERR_INVALID_HANDLE);
  }
}

// §15.3.3, with a name of 15 characters.
RANKS_TEST(Strings, AreCutToTheBufferAndTheirLengthIsTold, ranks(1)) {
  OpenTools tools;
  const int index = index_of("HEDDLE_LIFETIME");
  const auto name_of = [index](char* buffer, int* length) {
    return MPI_T_cvar_get_info(index, buffer, length, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr);
  };
  char buffer[20];
  for (const int room : {20, 16, 15, 2, 1}) {
    std::memset(buffer, '#', sizeof buffer);
    int length = room;
    EXPECT_EQ(name_of(buffer, &length), MPI_SUCCESS);
    EXPECT_EQ(length, 16);
    EXPECT_EQ(std::string(buffer), std::string("HEDDLE_LIFETIME").substr(0, room - 1));
    if (room < 20) {
      EXPECT_EQ(buffer[room], '#');
    }
  }
  int length = 0;
  buffer[0] = '#';
  EXPECT_EQ(name_of(buffer, &length), MPI_SUCCESS);
  EXPECT_EQ(length, 16);
  EXPECT_EQ(buffer[0], '#');
  length = 20;
  EXPECT_EQ(name_of(nullptr, &length), MPI_SUCCESS);
  EXPECT_EQ(length, 16);
  EXPECT_EQ(name_of(buffer, nullptr), MPI_SUCCESS);
  EXPECT_EQ(buffer[0], '#');
}
