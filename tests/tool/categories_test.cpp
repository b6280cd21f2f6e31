// Categories of variables (§15.3.9).

#include <set>
#include <string>
#include <vector>

#include "tests/support/ranks_test.h"
#include "tests/tool/open_tools.h"

using heddle::testing::OpenTools;

namespace {

int category(const char* name) {
  int index = -1;
  EXPECT_EQ(MPI_T_category_get_index(name, &index), MPI_SUCCESS) << name;
  return index;
}

}  // namespace

RANKS_TEST(Categories, HoldEveryVariableOnce, ranks(1, 2)) {
  OpenTools tools;
  int count = 0, cvars = 0, pvars = 0;
  ASSERT_EQ(MPI_T_category_get_num(&count), MPI_SUCCESS);
  MPI_T_cvar_get_num(&cvars);
  MPI_T_pvar_get_num(&pvars);
  std::multiset<int> found_cvars, found_pvars;
  for (int i = 0; i < count; ++i) {
    char name[64], text[256];
    int name_length = sizeof name, text_length = sizeof text, own_cvars = -1, own_pvars = -1,
        parts = -1;
    ASSERT_EQ(MPI_T_category_get_info(i, name, &name_length, text, &text_length, &own_cvars,
                                      &own_pvars, &parts),
              MPI_SUCCESS);
    EXPECT_EQ(category(name), i);
    EXPECT_GT(own_cvars + own_pvars + parts, 0) << name;
    std::vector<int> indices(100, -7);
    EXPECT_EQ(MPI_T_category_get_cvars(i, 100, indices.data()), MPI_SUCCESS);
    found_cvars.insert(indices.begin(), indices.begin() + own_cvars);
    EXPECT_EQ(indices[static_cast<std::size_t>(own_cvars)], -7);
    EXPECT_EQ(MPI_T_category_get_pvars(i, 100, indices.data()), MPI_SUCCESS);
    found_pvars.insert(indices.begin(), indices.begin() + own_pvars);
    int events = -1;
    EXPECT_EQ(MPI_T_category_get_num_events(i, &events), MPI_SUCCESS);
    EXPECT_EQ(events, 0);
    EXPECT_EQ(MPI_T_category_get_events(i, 0, nullptr), MPI_SUCCESS);
  }
  std::multiset<int> all_cvars, all_pvars;
  for (int i = 0; i < cvars; ++i) all_cvars.insert(i);
  for (int i = 0; i < pvars; ++i) all_pvars.insert(i);
  EXPECT_EQ(found_cvars, all_cvars);
  EXPECT_EQ(found_pvars, all_pvars);
}

RANKS_TEST(Categories, HaveParts, ranks(1)) {
  OpenTools tools;
  int parts = 0, indices[2] = {-1, -1};
  MPI_T_category_get_info(category("objects"), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                          &parts);
  EXPECT_EQ(parts, 1);
  EXPECT_EQ(MPI_T_category_get_categories(category("objects"), 2, indices), MPI_SUCCESS);
  EXPECT_EQ(indices[0], category("collector"));
  EXPECT_EQ(indices[1], -1);
}

RANKS_TEST(Categories, GiveNoMoreThanThereIsRoomFor, ranks(1)) {
  OpenTools tools;
  int indices[3] = {-1, -1, -1};
  EXPECT_EQ(MPI_T_category_get_pvars(category("objects"), 2, indices), MPI_SUCCESS);
  EXPECT_GE(indices[1], 0);
  EXPECT_EQ(indices[2], -1);
  EXPECT_EQ(MPI_T_category_get_pvars(category("objects"), 0, nullptr), MPI_SUCCESS);
}

RANKS_TEST(Categories, NeverChange, ranks(1)) {
  OpenTools tools;
  int first = -1, second = -2;
  EXPECT_EQ(MPI_T_category_changed(&first), MPI_SUCCESS);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_free(&comm);
  EXPECT_EQ(MPI_T_category_changed(&second), MPI_SUCCESS);
  EXPECT_EQ(first, second);
}

RANKS_TEST(Categories, WrongArgumentsGiveTheirErrors, ranks(1)) {
  OpenTools tools;
  int i = 7;
  for (const int index : {-1, 8, 1 << 30}) {
    EXPECT_EQ(MPI_T_category_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                      nullptr),
              MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_category_get_num_events(index, &i), MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_category_get_cvars(index, 1, &i), MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_category_get_pvars(index, 1, &i), MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_category_get_events(index, 1, &i), MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_category_get_categories(index, 1, &i), MPI_T_ERR_INVALID_INDEX);
  }
  EXPECT_EQ(i, 7);
  EXPECT_EQ(MPI_T_category_get_index("messag", &i), MPI_T_ERR_INVALID_NAME);
  EXPECT_EQ(MPI_T_category_get_index(nullptr, &i), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_category_get_cvars(0, -1, &i), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_category_get_cvars(0, 1, nullptr), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_category_changed(nullptr), MPI_T_ERR_INVALID);
}
