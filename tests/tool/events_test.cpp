// There are no event types and no sources of events (§15.3.8), so everything that names one is wrong.

#include "tests/support/ranks_test.h"
#include "tests/tool/open_tools.h"

using heddle::testing::garbage;
using heddle::testing::OpenTools;

RANKS_TEST(Events, AreNone, ranks(1, 2)) {
  OpenTools tools;
  int count = -1, index = 7;
  EXPECT_EQ(MPI_T_event_get_num(&count), MPI_SUCCESS);
  EXPECT_EQ(count, 0);
  count = -1;
  EXPECT_EQ(MPI_T_source_get_num(&count), MPI_SUCCESS);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(MPI_T_event_get_index("something", &index), MPI_T_ERR_INVALID_NAME);
  EXPECT_EQ(index, 7);
  EXPECT_EQ(MPI_T_event_get_num(nullptr), MPI_T_ERR_INVALID);
}

RANKS_TEST(Events, HaveNoRightIndex, ranks(1)) {
  OpenTools tools;
  for (const int index : {-1, 0, 1}) {
    MPI_Count time = 7;
    MPI_T_event_registration made = nullptr;
    int elements = 0;
    for (int* const place : {&elements, static_cast<int*>(nullptr)}) {
      EXPECT_EQ(MPI_T_event_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, place,
                                     nullptr, nullptr, nullptr, nullptr, nullptr),
                MPI_T_ERR_INVALID_INDEX);
    }
    EXPECT_EQ(MPI_T_event_handle_alloc(index, nullptr, MPI_INFO_NULL, &made),
              MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_source_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                    nullptr, nullptr),
              MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_source_get_timestamp(index, &time), MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(time, 7);
    EXPECT_EQ(made, nullptr);
  }
}

RANKS_TEST(Events, HaveNoRightHandle, ranks(1)) {
  OpenTools tools;
  for (const std::uintptr_t bits :
       {std::uintptr_t{0}, std::uintptr_t{0xdeadbeef}, ~std::uintptr_t{0}}) {
    const auto registration = garbage<MPI_T_event_registration>(bits);
    const auto instance = garbage<MPI_T_event_instance>(bits);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Count time = 0;
    int value = 0;
    EXPECT_EQ(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL,
                                            nullptr, nullptr),
              MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info),
              MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, info),
              MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_handle_get_info(registration, &info), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_handle_set_info(registration, info), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_set_dropped_handler(registration, nullptr), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_handle_free(registration, nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_read(instance, 0, &value), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_copy(instance, &value), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_get_timestamp(instance, &time), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_get_source(instance, &value), MPI_T_ERR_INVALID_HANDLE);
  }
}
