// The tools interface is open between MPI_T_init_thread and MPI_T_finalize, which count (§15.3.4).

#include "heddle/mpix.h"
#include "tests/support/ranks_test.h"
#include "tests/tool/open_tools.h"

using heddle::testing::OpenTools;
using heddle::testing::Pvar;

namespace {

int cvars() {
  int count = -1;
  return MPI_T_cvar_get_num(&count);
}

}  // namespace

RANKS_TEST(Opening, IsNeededByEverythingElse, ranks(1, 2)) {
  EXPECT_EQ(cvars(), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
  int i = 7;
  EXPECT_EQ(MPI_T_pvar_get_num(&i), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(MPI_T_category_get_num(&i), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(MPI_T_event_get_num(&i), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(MPI_T_source_get_num(&i), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(MPI_T_cvar_get_info(0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                nullptr, nullptr),
            MPI_T_ERR_NOT_INITIALIZED);
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  EXPECT_EQ(MPI_T_pvar_session_create(&session), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(i, 7);
  EXPECT_EQ(session, MPI_T_PVAR_SESSION_NULL);
}

RANKS_TEST(Opening, Counts, ranks(1, 2)) {
  {
    OpenTools outer;
    { OpenTools inner; }
    EXPECT_EQ(cvars(), MPI_SUCCESS);
  }
  EXPECT_EQ(cvars(), MPI_T_ERR_NOT_INITIALIZED);
  OpenTools again;
  EXPECT_EQ(cvars(), MPI_SUCCESS);
}

RANKS_TEST(Opening, IsEachRanksOwn, ranks(2, 4)) {
  if (rank == 0) {
    OpenTools tools;
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(cvars(), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(cvars(), MPI_T_ERR_NOT_INITIALIZED);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

RANKS_TEST(Opening, GivesTheLevelOfThreadsThatIsAskedFor, ranks(1)) {
  for (const int level : {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED}) {
    int provided = -1;
    EXPECT_EQ(MPI_T_init_thread(level, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, level);
    MPI_T_finalize();
  }
  EXPECT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, nullptr), MPI_T_ERR_INVALID);
  EXPECT_EQ(cvars(), MPI_T_ERR_NOT_INITIALIZED);
}

RANKS_TEST(Opening, EndsSessionsAndHandles, ranks(1)) {
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int value = 0, count = 0;
  {
    OpenTools tools;
    MPI_T_pvar_session_create(&session);
    MPI_T_cvar_handle_alloc(0, nullptr, &handle, &count);
  }
  OpenTools tools;
  EXPECT_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
  EXPECT_EQ(MPI_T_cvar_read(handle, &value), MPI_T_ERR_INVALID_HANDLE);
}

RANKS_TEST(Opening, CallsNoErrorHandlerAndItsErrorsHaveSentences, ranks(1, 2)) {
  // MPI_ERRORS_ARE_FATAL is set for all communicators.
  OpenTools tools;
  int count = 0;
  EXPECT_EQ(MPI_T_cvar_get_num(nullptr), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_category_get_num_events(99, &count), MPI_T_ERR_INVALID_INDEX);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(MPI_T_ERR_INVALID_INDEX, text, &length);
  EXPECT_NE(std::string(text).find("MPI_T_category_get_num_events"), std::string::npos) << text;
  EXPECT_NE(std::string(text).find("cat_index is 99"), std::string::npos) << text;
}

// What a rank does that has not called MPI_Init, or has called MPI_Finalize.
TEST(OpeningWithoutMpi, IsPossibleBeforeInitAndAfterFinalize) {
  const auto use_tools = [] {
    OpenTools tools;
    Pvar queue("unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL);
    EXPECT_EQ(queue.read(), 0u);
    Pvar cycles("collector_cycles", MPI_T_PVAR_CLASS_COUNTER);
    EXPECT_EQ(MPI_T_pvar_start(cycles.session, cycles.handle), MPI_SUCCESS);
    EXPECT_EQ(cycles.read(), 0u);
  };
  static int flag;
  const auto rank = [](void* argument) {
    (*static_cast<decltype(use_tools)*>(argument))();
    MPI_Initialized(&flag);
    EXPECT_FALSE(flag);
    OpenTools across;
    Pvar comms("live_communicators", MPI_T_PVAR_CLASS_LEVEL);
    MPI_Init(nullptr, nullptr);
    MPI_Comm dup = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    EXPECT_EQ(comms.read(), 1u);
    MPI_Comm_free(&dup);
    MPI_Finalize();
    EXPECT_EQ(comms.read(), 0u);
    (*static_cast<decltype(use_tools)*>(argument))();
  };
  auto context = use_tools;
  ASSERT_EQ(MPIX_Run(1, rank, &context, nullptr), MPI_SUCCESS);
}
