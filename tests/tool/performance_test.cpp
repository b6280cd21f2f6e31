// Performance variables: sessions, what starting and resetting mean, wrong arguments (§15.3.7); and the
// counters of the collector.

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/ranks_test.h"
#include "tests/tool/open_tools.h"

using heddle::testing::garbage;
using heddle::testing::OpenTools;
using heddle::testing::Pvar;

namespace {

bool objects_are_collected() {
  const char* policy = std::getenv("HEDDLE_LIFETIME");
  return policy == nullptr || std::strcmp(policy, "collector") == 0;
}

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Makes and frees so many datatypes.
void waste(int count) {
  for (int i = 0; i < count; ++i) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_free(&type);
  }
}

const Pvar& started(const Pvar& pvar) {
  EXPECT_EQ(MPI_T_pvar_start(pvar.session, pvar.handle), MPI_SUCCESS);
  return pvar;
}

}  // namespace

RANKS_TEST(Variables, TellWhatTheyAre, ranks(1, 2)) {
  OpenTools tools;
  int count = 0;
  ASSERT_EQ(MPI_T_pvar_get_num(&count), MPI_SUCCESS);
  EXPECT_GE(count, 15);
  for (int i = 0; i < count; ++i) {
    char name[64], text[256];
    int name_length = sizeof name, text_length = sizeof text, verbosity = 0, variable_class = 0;
    int bind = 0, readonly = -1, continuous = -1, atomic = -1, index = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum names = garbage<MPI_T_enum>(1);
    ASSERT_EQ(MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &variable_class, &type, &names,
                                  text, &text_length, &bind, &readonly, &continuous, &atomic),
              MPI_SUCCESS);
    EXPECT_EQ(bind, MPI_T_BIND_NO_OBJECT);
    EXPECT_EQ(names, MPI_T_ENUM_NULL);
    EXPECT_GE(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    EXPECT_GT(text_length, 10);
    const bool level = variable_class == MPI_T_PVAR_CLASS_LEVEL;
    EXPECT_EQ(readonly, level) << name;
    EXPECT_EQ(continuous, level) << name;
    EXPECT_EQ(atomic, !level) << name;
    EXPECT_EQ(type, variable_class == MPI_T_PVAR_CLASS_TIMER ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG);
    EXPECT_EQ(MPI_T_pvar_get_index(name, variable_class, &index), MPI_SUCCESS);
    EXPECT_EQ(index, i);
    EXPECT_EQ(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_STATE, &index), MPI_T_ERR_INVALID_NAME);
    EXPECT_EQ(MPI_T_pvar_get_info(i, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, nullptr, nullptr, nullptr, nullptr),
              MPI_SUCCESS);
  }
}

RANKS_TEST(Variables, StandInTheDocuments, ranks(1)) {
  OpenTools tools;
  const std::string page = text_of(HEDDLE_MEASURING_PAGE);
  int count = 0;
  MPI_T_pvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    char name[64];
    int length = sizeof name;
    MPI_T_pvar_get_info(i, name, &length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                        nullptr, nullptr, nullptr, nullptr);
    EXPECT_NE(page.find("`" + std::string(name) + "`"), std::string::npos) << name;
  }
}

RANKS_TEST(Collector, CountsWhatIsReclaimedWhileStarted, ranks(1, 2, 4)) {
  if (!objects_are_collected()) return;
  OpenTools tools;
  waste(500);
  Pvar reclaimed("collector_reclaimed_objects", MPI_T_PVAR_CLASS_COUNTER);
  Pvar cycles("collector_cycles", MPI_T_PVAR_CLASS_COUNTER);
  Pvar time("collector_time", MPI_T_PVAR_CLASS_TIMER);
  EXPECT_EQ(reclaimed.read(), 0u) << "what was before does not count";
  waste(500);
  EXPECT_EQ(reclaimed.read(), 0u) << "nor what is while it is not started";
  started(reclaimed), started(cycles), started(time);
  waste(500);
  EXPECT_GT(reclaimed.read(), 400u);
  EXPECT_LE(reclaimed.read(), 600u) << "what was left over before may be among them";
  EXPECT_GT(cycles.read(), 0u);
  EXPECT_LE(cycles.read(), reclaimed.read());
  EXPECT_GT(time.seconds(), 0.0);
  EXPECT_LT(time.seconds(), 60.0);
  EXPECT_EQ(MPI_T_pvar_stop(reclaimed.session, reclaimed.handle), MPI_SUCCESS);
  const unsigned long long before = reclaimed.read();
  waste(500);
  EXPECT_EQ(reclaimed.read(), before);
  started(reclaimed);
  waste(500);
  EXPECT_GT(reclaimed.read(), before + 400);
}

RANKS_TEST(Collector, TellsWhatIsEligibleAndMarked, ranks(1, 2)) {
  if (!objects_are_collected()) return;
  constexpr int kReceives = 40;
  OpenTools tools;
  Pvar eligible("collector_eligible_objects", MPI_T_PVAR_CLASS_LEVEL);
  Pvar marked("collector_marked_transients", MPI_T_PVAR_CLASS_LEVEL);
  waste(100);
  const unsigned long long usual = eligible.read();
  EXPECT_LT(usual, 64u);
  // Types that pending receives use stay eligible through all cycles.
  std::vector<int> in(kReceives);
  std::vector<MPI_Request> requests(kReceives);
  for (int i = 0; i < kReceives; ++i) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(&in[i], 1, type, rank, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Type_free(&type);
  }
  waste(500);
  EXPECT_GE(eligible.read(), static_cast<unsigned long long>(kReceives));
  EXPECT_GE(marked.read(), static_cast<unsigned long long>(kReceives));
  for (int i = 0; i < kReceives; ++i) MPI_Send(&i, 1, MPI_INT, rank, i, MPI_COMM_WORLD);
  MPI_Waitall(kReceives, requests.data(), MPI_STATUSES_IGNORE);
  waste(500);
  EXPECT_LT(eligible.read(), static_cast<unsigned long long>(kReceives));
  EXPECT_LT(marked.read(), static_cast<unsigned long long>(kReceives));
}

void add_up(void*, void*, int*, MPI_Datatype*) {}

RANKS_TEST(Collector, IsRunByTheMakersOfEachKindOfObject, ranks(1, 2)) {
  if (!objects_are_collected()) return;
  OpenTools tools;
  Pvar eligible("collector_eligible_objects", MPI_T_PVAR_CLASS_LEVEL);
  for (int i = 0; i < 300; ++i) {
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    MPI_Type_dup(MPI_INT, &copy);
    MPI_Type_free(&copy);
  }
  EXPECT_LT(eligible.read(), 64u);
  for (int i = 0; i < 300; ++i) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(add_up, 1, &op);
    MPI_Op_free(&op);
  }
  EXPECT_LT(eligible.read(), 64u);
  for (int i = 0; i < 300; ++i) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_free(&copy);
  }
  EXPECT_LT(eligible.read(), 64u);
}

RANKS_TEST(Sessions, HaveEachItsOwnCount, ranks(1, 2)) {
  if (!objects_are_collected()) return;
  OpenTools tools;
  Pvar first("collector_reclaimed_objects", MPI_T_PVAR_CLASS_COUNTER);
  Pvar second("collector_reclaimed_objects", MPI_T_PVAR_CLASS_COUNTER);
  started(first), started(second);
  waste(500);
  const unsigned long long counted = second.read();
  EXPECT_GT(counted, 0u);
  EXPECT_EQ(first.read(), counted);
  EXPECT_EQ(MPI_T_pvar_reset(first.session, first.handle), MPI_SUCCESS);
  EXPECT_EQ(first.read(), 0u);
  EXPECT_EQ(second.read(), counted);

  const unsigned long long wanted = 1'000'000;
  EXPECT_EQ(MPI_T_pvar_write(first.session, first.handle, &wanted), MPI_SUCCESS);
  EXPECT_EQ(first.read(), wanted);
  waste(500);
  EXPECT_EQ(first.read() - wanted, second.read() - counted);

  unsigned long long taken = 0;
  EXPECT_EQ(MPI_T_pvar_readreset(first.session, first.handle, &taken), MPI_SUCCESS);
  EXPECT_GT(taken, wanted);
  EXPECT_EQ(first.read(), 0u);
  EXPECT_EQ(MPI_T_pvar_stop(first.session, first.handle), MPI_SUCCESS);
  EXPECT_EQ(MPI_T_pvar_write(first.session, first.handle, &wanted), MPI_SUCCESS);
  EXPECT_EQ(MPI_T_pvar_readreset(first.session, first.handle, &taken), MPI_SUCCESS);
  EXPECT_EQ(taken, wanted);
  EXPECT_EQ(first.read(), 0u);
}

RANKS_TEST(Sessions, StartStopAndResetAllHandlesThatCanBe, ranks(1)) {
  if (!objects_are_collected()) return;
  OpenTools tools;
  Pvar cycles("collector_cycles", MPI_T_PVAR_CLASS_COUNTER);
  int level = -1, timer = -1, count = 0;
  MPI_T_pvar_get_index("live_datatypes", MPI_T_PVAR_CLASS_LEVEL, &level);
  MPI_T_pvar_get_index("collector_time", MPI_T_PVAR_CLASS_TIMER, &timer);
  MPI_T_pvar_handle types = MPI_T_PVAR_HANDLE_NULL, time = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_pvar_handle_alloc(cycles.session, level, nullptr, &types, &count);
  MPI_T_pvar_handle_alloc(cycles.session, timer, nullptr, &time, &count);
  EXPECT_EQ(MPI_T_pvar_start(cycles.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  EXPECT_EQ(MPI_T_pvar_start(cycles.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS) << "again";
  waste(500);
  double seconds = 0;
  EXPECT_EQ(MPI_T_pvar_read(cycles.session, time, &seconds), MPI_SUCCESS);
  EXPECT_GT(seconds, 0.0);
  EXPECT_GT(cycles.read(), 0u);
  EXPECT_EQ(MPI_T_pvar_stop(cycles.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  const unsigned long long before = cycles.read();
  waste(500);
  EXPECT_EQ(cycles.read(), before);
  EXPECT_EQ(MPI_T_pvar_reset(cycles.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  EXPECT_EQ(cycles.read(), 0u);
  // Only these three take it.
  unsigned long long value = 0;
  EXPECT_EQ(MPI_T_pvar_read(cycles.session, MPI_T_PVAR_ALL_HANDLES, &value),
            MPI_T_ERR_INVALID_HANDLE);
  EXPECT_EQ(MPI_T_pvar_write(cycles.session, MPI_T_PVAR_ALL_HANDLES, &value),
            MPI_T_ERR_INVALID_HANDLE);
  EXPECT_EQ(MPI_T_pvar_readreset(cycles.session, MPI_T_PVAR_ALL_HANDLES, &value),
            MPI_T_ERR_INVALID_HANDLE);
  MPI_T_pvar_handle all = MPI_T_PVAR_ALL_HANDLES;
  EXPECT_EQ(MPI_T_pvar_handle_free(cycles.session, &all), MPI_T_ERR_INVALID_HANDLE);
}

RANKS_TEST(Levels, AreAlwaysOnAndCannotBeSet, ranks(1, 2)) {
  OpenTools tools;
  Pvar types("live_datatypes", MPI_T_PVAR_CLASS_LEVEL);
  Pvar comms("live_communicators", MPI_T_PVAR_CLASS_LEVEL);
  Pvar requests("live_requests", MPI_T_PVAR_CLASS_LEVEL);
  EXPECT_EQ(types.read(), 0u);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  int in = 0;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, comm, &request);
  EXPECT_EQ(types.read(), 1u);
  EXPECT_EQ(comms.read(), 1u);
  EXPECT_EQ(requests.read(), 1u);
  MPI_Send(&rank, 1, MPI_INT, 0, 0, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  MPI_Type_free(&type);
  EXPECT_EQ(types.read() + comms.read() + requests.read(), 0u);

  unsigned long long value = 1;
  EXPECT_EQ(MPI_T_pvar_start(types.session, types.handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT_EQ(MPI_T_pvar_stop(types.session, types.handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT_EQ(MPI_T_pvar_write(types.session, types.handle, &value), MPI_T_ERR_PVAR_NO_WRITE);
  EXPECT_EQ(MPI_T_pvar_reset(types.session, types.handle), MPI_T_ERR_PVAR_NO_WRITE);
  EXPECT_EQ(MPI_T_pvar_readreset(types.session, types.handle, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
}

RANKS_TEST(Sessions, WrongArgumentsGiveTheirErrors, ranks(1, 2)) {
  OpenTools tools;
  Pvar right("collector_cycles", MPI_T_PVAR_CLASS_COUNTER);
  Pvar other("collector_cycles", MPI_T_PVAR_CLASS_COUNTER);
  unsigned long long value = 0;
  int count = 7;
  MPI_T_pvar_session freed_session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_session_create(&freed_session);
  MPI_T_pvar_session old_session = freed_session;
  MPI_T_pvar_session_free(&freed_session);
  EXPECT_EQ(freed_session, MPI_T_PVAR_SESSION_NULL);
  for (MPI_T_pvar_session wrong :
       {MPI_T_PVAR_SESSION_NULL, old_session, garbage<MPI_T_pvar_session>(0xdeadbeef),
        garbage<MPI_T_pvar_session>(~std::uintptr_t{0})}) {
    MPI_T_pvar_handle handle = right.handle;
    EXPECT_EQ(MPI_T_pvar_read(wrong, handle, &value), MPI_T_ERR_INVALID_SESSION);
    EXPECT_EQ(MPI_T_pvar_write(wrong, handle, &value), MPI_T_ERR_INVALID_SESSION);
    EXPECT_EQ(MPI_T_pvar_start(wrong, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
    EXPECT_EQ(MPI_T_pvar_handle_alloc(wrong, 0, nullptr, &handle, &count),
              MPI_T_ERR_INVALID_SESSION);
    EXPECT_EQ(MPI_T_pvar_handle_free(wrong, &handle), MPI_T_ERR_INVALID_SESSION);
    EXPECT_EQ(MPI_T_pvar_session_free(&wrong), MPI_T_ERR_INVALID_SESSION);
    EXPECT_EQ(handle, right.handle);
  }
  MPI_T_pvar_handle freed = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_pvar_handle_alloc(right.session, 0, nullptr, &freed, &count);
  MPI_T_pvar_handle old = freed;
  EXPECT_EQ(MPI_T_pvar_handle_free(right.session, &freed), MPI_SUCCESS);
  EXPECT_EQ(freed, MPI_T_PVAR_HANDLE_NULL);
  for (MPI_T_pvar_handle wrong :
       {MPI_T_PVAR_HANDLE_NULL, old, other.handle, garbage<MPI_T_pvar_handle>(0xdeadbeef),
        garbage<MPI_T_pvar_handle>(~std::uintptr_t{0})}) {
    EXPECT_EQ(MPI_T_pvar_read(right.session, wrong, &value), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_pvar_write(right.session, wrong, &value), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_pvar_start(right.session, wrong), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_pvar_stop(right.session, wrong), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_pvar_reset(right.session, wrong), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_pvar_readreset(right.session, wrong, &value), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_pvar_handle_free(right.session, &wrong), MPI_T_ERR_INVALID_HANDLE);
  }
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_pvar_get_num(&count);
  for (const int index : {-1, count, 1 << 30}) {
    EXPECT_EQ(MPI_T_pvar_handle_alloc(right.session, index, nullptr, &handle, &count),
              MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_pvar_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
              MPI_T_ERR_INVALID_INDEX);
  }
  EXPECT_EQ(MPI_T_pvar_get_index("no_such", MPI_T_PVAR_CLASS_LEVEL, &count),
            MPI_T_ERR_INVALID_NAME);
  EXPECT_EQ(MPI_T_pvar_get_index(nullptr, MPI_T_PVAR_CLASS_LEVEL, &count), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_pvar_read(right.session, right.handle, nullptr), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_pvar_session_create(nullptr), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_pvar_session_free(nullptr), MPI_T_ERR_INVALID);
  EXPECT_EQ(MPI_T_pvar_handle_free(right.session, nullptr), MPI_T_ERR_INVALID);
}
