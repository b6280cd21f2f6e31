// Sessions beside MPI_COMM_WORLD (MPI 5.0 §11.3): what they name, and communicators from their groups. Programs without
// MPI_Init are in tests/launch/programs/sessions.c.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

MPI_Session open(MPI_Info hints = MPI_INFO_NULL) {
  MPI_Session session = MPI_SESSION_NULL;
  EXPECT_EQ(MPI_Session_init(hints, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
  return session;
}

MPI_Group group_of(MPI_Session session, const char* pset) {
  MPI_Group group = MPI_GROUP_NULL;
  EXPECT_EQ(MPI_Group_from_session_pset(session, pset, &group), MPI_SUCCESS);
  return group;
}

MPI_Comm comm_of(MPI_Group group, const char* tag) {
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
            MPI_SUCCESS);
  return comm;
}

void close(MPI_Session session) {
  EXPECT_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
  EXPECT_EQ(session, MPI_SESSION_NULL);
}

int sum_of_ranks(MPI_Comm comm, int own) {
  int sum = -1;
  EXPECT_EQ(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  return sum;
}

std::string value_of(MPI_Info info, const char* key) {
  char value[100] = "";
  int flag = 0;
  EXPECT_EQ(MPI_Info_get(info, key, 99, value, &flag), MPI_SUCCESS);
  return flag ? value : "(none)";
}

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

std::string sentence_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

}  // namespace

RANKS_TEST(Session, NamesTheWorldAndItself, ranks(1, 3)) {
  MPI_Session session = open();
  int sets = 0;
  EXPECT_EQ(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets), MPI_SUCCESS);
  ASSERT_EQ(sets, 2);
  const std::string names[] = {"mpi://WORLD", "mpi://SELF"};
  for (int n = 0; n < sets; ++n) {
    int length = 0;
    EXPECT_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, nullptr), MPI_SUCCESS);
    EXPECT_EQ(length, static_cast<int>(names[n].size()) + 1);
    char name[20];
    std::memset(name, '#', sizeof name);
    int room = 7;
    EXPECT_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &room, name), MPI_SUCCESS);
    EXPECT_STREQ(name, "mpi://");
    EXPECT_EQ(name[7], '#');
    EXPECT_EQ(room, length);
    EXPECT_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &room, name), MPI_SUCCESS);
    EXPECT_EQ(name, names[n]);
    MPI_Info info = MPI_INFO_NULL;
    EXPECT_EQ(MPI_Session_get_pset_info(session, name, &info), MPI_SUCCESS);
    EXPECT_EQ(value_of(info, "mpi_size"), std::to_string(n == 0 ? size : 1));
    MPI_Info_free(&info);
  }
  MPI_Group group = group_of(session, "mpi://world"), self = group_of(session, "MPI://self"), world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int result = MPI_UNEQUAL, number = -1;
  MPI_Group_compare(group, world, &result);
  EXPECT_EQ(result, MPI_IDENT);
  const int zero = 0;
  MPI_Group_translate_ranks(self, 1, &zero, world, &number);
  EXPECT_EQ(number, rank);
  MPI_Group none;
  EXPECT_EQ(class_of(MPI_Group_from_session_pset(session, "mpi://other", &none)), MPI_ERR_ARG);
  for (MPI_Group* made : {&group, &self, &world}) MPI_Group_free(made);
  close(session);
}

RANKS_TEST(Session, TellsItsThreadLevel, ranks(1)) {
  const std::pair<const char*, const char*> cases[] = {
      {nullptr, "MPI_THREAD_MULTIPLE"},
      {"MPI_THREAD_SINGLE", "MPI_THREAD_SINGLE"},
      {"MPI_THREAD_FUNNELED", "MPI_THREAD_FUNNELED"},
      {"MPI_THREAD_MULTIPLE", "MPI_THREAD_MULTIPLE"}};
  MPI_Info hints;
  MPI_Info_create(&hints);
  for (const auto& [wanted, given] : cases) {
    if (wanted != nullptr) MPI_Info_set(hints, "thread_level", wanted);
    MPI_Session session = open(hints);
    MPI_Info used = MPI_INFO_NULL;
    EXPECT_EQ(MPI_Session_get_info(session, &used), MPI_SUCCESS);
    EXPECT_EQ(value_of(used, "thread_level"), given);
    EXPECT_EQ(value_of(used, "mpi_memory_alloc_kinds"), "mpi,system");
    MPI_Info_free(&used);
    close(session);
  }
  MPI_Info_free(&hints);
}

RANKS_TEST(Session, MakesCommunicatorsOfGroups, ranks(1, 2, 4, 7)) {
  MPI_Session session = open();
  MPI_Group all = group_of(session, "mpi://WORLD");
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (int round = 0; round < 6; ++round) {
    std::shuffle(order.begin(), order.end(),
                 std::mt19937(static_cast<unsigned>(seed()) + static_cast<unsigned>(round)));
    const int members = 1 + (round * 3) % size;
    const auto own = std::find(order.begin(), order.end(), rank) - order.begin();
    if (own >= members) continue;
    MPI_Group group;
    MPI_Group_incl(all, members, order.data(), &group);
    MPI_Comm comm = comm_of(group, "the same for all rounds");
    int number = -1;
    MPI_Comm_rank(comm, &number);
    EXPECT_EQ(number, own);
    EXPECT_EQ(sum_of_ranks(comm, rank), std::accumulate(order.begin(), order.begin() + members, 0));
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
  }
  MPI_Group_free(&all);
  close(session);
}

RANKS_TEST(Session, ThreadsMakeTheirsAtTheSameTime, ranks(1, 2, 5)) {
  RankThreads threads;
  const auto use = [&](int thread) {
    for (int round = 0; round < 5; ++round) {
      MPI_Session session = open();
      MPI_Group group = group_of(session, "mpi://WORLD");
      MPI_Comm comm = comm_of(group, ("thread " + std::to_string(thread)).c_str());
      EXPECT_EQ(sum_of_ranks(comm, rank + 100 * thread),
                size * (size - 1) / 2 + 100 * thread * size);
      MPI_Group_free(&group);
      MPI_Comm_free(&comm);
      close(session);
    }
  };
  for (int thread = 0; thread < 4; ++thread) threads.start([&use, thread] { use(thread); });
  threads.join();
}

RANKS_TEST(Session, JoinsTwoGroups, ranks(2, 3, 7)) {
  MPI_Session session = open();
  MPI_Group all = group_of(session, "mpi://WORLD");
  const int half = size / 2;
  int low[1][3] = {{0, half - 1, 1}}, high[1][3] = {{half, size - 1, 1}};
  const bool is_low = rank < half;
  MPI_Group mine, theirs;
  MPI_Group_range_incl(all, 1, is_low ? low : high, &mine);
  MPI_Group_range_incl(all, 1, is_low ? high : low, &theirs);
  const int leader = is_low ? half - 1 : 0, their_leader = is_low ? 0 : half - 1;
  const bool leads = rank == (is_low ? half - 1 : half);
  for (int round = 0; round < 3; ++round) {
    MPI_Comm inter = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Intercomm_create_from_groups(mine, leader, leads ? theirs : MPI_GROUP_NULL,
                                               leads ? their_leader : -7, "pair", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &inter),
              MPI_SUCCESS);
    int others = 0;
    MPI_Comm_remote_size(inter, &others);
    EXPECT_EQ(others, is_low ? size - half : half);
    const int all_ranks = size * (size - 1) / 2, low_ranks = half * (half - 1) / 2;
    EXPECT_EQ(sum_of_ranks(inter, rank), is_low ? all_ranks - low_ranks : low_ranks);
    MPI_Comm_free(&inter);
  }
  for (MPI_Group* made : {&mine, &theirs, &all}) MPI_Group_free(made);
  close(session);
}

RANKS_TEST(Session, MakesNothingOfTheEmptyGroup, ranks(1, 3)) {
  if (rank != 0) return;  // the calls are local
  MPI_Session session = open();
  MPI_Group all = group_of(session, "mpi://WORLD");
  MPI_Comm comm = MPI_COMM_WORLD;
  EXPECT_EQ(
      MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
      MPI_SUCCESS);
  EXPECT_EQ(comm, MPI_COMM_NULL);
  const std::pair<MPI_Group, MPI_Group> sides[] = {
      {MPI_GROUP_EMPTY, all}, {all, MPI_GROUP_EMPTY}, {MPI_GROUP_EMPTY, MPI_GROUP_EMPTY}};
  for (const auto& [local, remote] : sides) {
    comm = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Intercomm_create_from_groups(local, 0, remote, 0, "tag", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &comm),
              MPI_SUCCESS);
    EXPECT_EQ(comm, MPI_COMM_NULL);
  }
  MPI_Group_free(&all);
  close(session);
}

namespace {
int heard_code = MPI_SUCCESS, heard_calls = 0;
MPI_Session heard_session = MPI_SESSION_NULL;
void hear(MPI_Session* session, int* code, ...) {
  heard_session = *session;
  heard_code = *code;
  ++heard_calls;
}
}  // namespace

RANKS_TEST(Session, HasAnErrorHandler, ranks(1)) {
  heard_calls = 0;
  MPI_Errhandler handler, got;
  ASSERT_EQ(MPI_Session_create_errhandler(hear, &handler), MPI_SUCCESS);
  MPI_Session session = open();
  EXPECT_EQ(MPI_Session_get_errhandler(session, &got), MPI_SUCCESS);
  EXPECT_EQ(got, MPI_ERRORS_RETURN);
  MPI_Info hints;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "thread_level", "most");
  MPI_Session other = MPI_SESSION_NULL;
  EXPECT_EQ(class_of(MPI_Session_init(hints, handler, &other)), MPI_ERR_INFO_VALUE);
  EXPECT_EQ(heard_calls, 1);
  EXPECT_EQ(heard_session, MPI_SESSION_NULL);
  MPI_Info_free(&hints);
  EXPECT_EQ(MPI_Session_set_errhandler(session, handler), MPI_SUCCESS);
  MPI_Errhandler_free(&handler);
  EXPECT_EQ(MPI_Session_call_errhandler(session, MPI_ERR_TAG), MPI_SUCCESS);
  EXPECT_EQ(heard_session, session);
  EXPECT_EQ(heard_code, MPI_ERR_TAG);
  int length = 0;
  const int code = MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 2, &length, nullptr);
  EXPECT_EQ(class_of(code), MPI_ERR_ARG);
  EXPECT_EQ(heard_calls, 3);
  EXPECT_NE(sentence_of(code).find("argument n is 2, but the process sets go from 0 to 1"),
            std::string::npos)
      << sentence_of(code);
  close(session);
}

RANKS_TEST(Session, HearsOfErrorsOfItsGroups, ranks(1)) {
  heard_calls = 0;
  MPI_Errhandler handler;
  ASSERT_EQ(MPI_Session_create_errhandler(hear, &handler), MPI_SUCCESS);
  MPI_Session session = MPI_SESSION_NULL;
  ASSERT_EQ(MPI_Session_init(MPI_INFO_NULL, handler, &session), MPI_SUCCESS);
  MPI_Errhandler_free(&handler);
  MPI_Group own = group_of(session, "mpi://SELF"), world, made, kin, both, none;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int zero = 0, wrong = 1;
  MPI_Group_incl(own, 1, &zero, &made);
  MPI_Comm comm = comm_of(made, "tag");
  MPI_Comm_group(comm, &kin);
  MPI_Comm_free(&comm);
  MPI_Group_union(world, own, &both);
  for (MPI_Group group : {own, made, kin, both}) {
    heard_session = MPI_SESSION_NULL;
    EXPECT_EQ(class_of(MPI_Group_incl(group, 1, &wrong, &none)), MPI_ERR_RANK);
    EXPECT_EQ(heard_session, session);
    EXPECT_EQ(heard_code, MPI_ERR_RANK);
  }
  EXPECT_EQ(heard_calls, 4);
  int number = 0;
  EXPECT_EQ(class_of(MPI_Group_translate_ranks(world, 1, &wrong, own, &number)), MPI_ERR_RANK);
  EXPECT_EQ(heard_calls, 5);
  close(session);
  EXPECT_EQ(class_of(MPI_Group_incl(own, 1, &wrong, &none)), MPI_ERR_RANK);
  EXPECT_EQ(heard_calls, 6);
  EXPECT_EQ(heard_session, MPI_SESSION_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  EXPECT_EQ(class_of(MPI_Group_incl(world, 1, &wrong, &none)), MPI_ERR_RANK);
  EXPECT_EQ(heard_calls, 6);
  for (MPI_Group* group : {&own, &world, &made, &kin, &both}) MPI_Group_free(group);
}

thread_local int made_calls;
thread_local MPI_Comm told;

void hear_of_making(MPI_Comm* comm, int*, ...) {
  ++made_calls;
  told = *comm;
}

// §7.4.2: the error handler of the communicator is told, also of arguments that are checked before the others.
RANKS_TEST(Session, ErrorsInMakingGoToTheNewCommunicatorsHandler, ranks(1)) {
  made_calls = 0;
  MPI_Errhandler handler;
  ASSERT_EQ(MPI_Comm_create_errhandler(hear_of_making, &handler), MPI_SUCCESS);
  MPI_Session session = open();
  MPI_Group own = group_of(session, "mpi://SELF");
  MPI_Comm comm;
  const std::string tag(MPI_MAX_STRINGTAG_LEN, 'x');
  EXPECT_EQ(class_of(MPI_Comm_create_from_group(own, tag.c_str(), MPI_INFO_NULL, handler, &comm)),
            MPI_ERR_ARG);
  EXPECT_EQ(made_calls, 1);
  EXPECT_EQ(told, MPI_COMM_NULL);
  EXPECT_EQ(class_of(MPI_Comm_create_from_group(own, "tag", MPI_INFO_NULL, handler, nullptr)),
            MPI_ERR_ARG);
  EXPECT_EQ(
      class_of(MPI_Comm_create_from_group(MPI_GROUP_NULL, "tag", MPI_INFO_NULL, handler, &comm)),
      MPI_ERR_GROUP);
  EXPECT_EQ(class_of(MPI_Intercomm_create_from_groups(own, 1, MPI_GROUP_NULL, 0, "tag",
                                                      MPI_INFO_NULL, handler, &comm)),
            MPI_ERR_RANK);
  EXPECT_EQ(made_calls, 4);
  MPI_Errhandler_free(&handler);
  MPI_Group_free(&own);
  close(session);
}

RANKS_TEST(Session, SaysWhatIsWrong, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Session session = open();
  int number = 0;
  EXPECT_EQ(class_of(MPI_Session_get_num_psets(MPI_SESSION_NULL, MPI_INFO_NULL, &number)),
            MPI_ERR_SESSION);
  MPI_Info info;
  EXPECT_EQ(class_of(MPI_Session_get_pset_info(session, "mpi://other", &info)), MPI_ERR_ARG);
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "most");
  MPI_Session other;
  EXPECT_EQ(class_of(MPI_Session_init(info, MPI_ERRORS_RETURN, &other)), MPI_ERR_INFO_VALUE);
  MPI_Info_free(&info);
  MPI_Comm comm;
  MPI_Group self = group_of(session, "mpi://SELF");
  const std::string tag(MPI_MAX_STRINGTAG_LEN, 'x');
  EXPECT_EQ(class_of(MPI_Comm_create_from_group(self, tag.c_str(), MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                                &comm)),
            MPI_ERR_ARG);
  MPI_Group_free(&self);
  MPI_Session copy = session;
  close(session);
  EXPECT_EQ(class_of(MPI_Session_finalize(&copy)), MPI_ERR_SESSION);
}

RANKS_TEST(Session, SaysWhatIsWrongWithTwoGroups, ranks(3)) {
  MPI_Session session = open();
  MPI_Group all = group_of(session, "mpi://WORLD"), low, high;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int ranks[] = {0, 1, 2};
  MPI_Group_incl(all, 2, ranks, &low);
  MPI_Group_incl(all, 1, ranks + 2, &high);
  const auto join = [](MPI_Group local, MPI_Group remote, int remote_leader) {
    MPI_Comm comm;
    return MPI_Intercomm_create_from_groups(local, 0, remote, remote_leader, "tag", MPI_INFO_NULL,
                                            MPI_ERRORS_RETURN, &comm);
  };
  if (rank == 2) {
    const int code = join(low, high, 0);
    EXPECT_EQ(class_of(code), MPI_ERR_GROUP);
    EXPECT_NE(sentence_of(code).find("argument local_group"), std::string::npos)
        << sentence_of(code);
  } else {
    // All of a group learn what its leader sees alone.
    int code = join(low, high, 1);
    EXPECT_EQ(class_of(code), MPI_ERR_RANK);
    code = join(low, rank == 0 ? MPI_GROUP_NULL : high, 0);
    EXPECT_EQ(class_of(code), MPI_ERR_GROUP);
    code = join(low, all, 2);
    EXPECT_EQ(class_of(code), MPI_ERR_GROUP);
    const char* const said = "local_group and remote_group both have process 0";
    EXPECT_TRUE(rank != 0 || sentence_of(code).find(said) != std::string::npos)
        << sentence_of(code);
  }
  for (MPI_Group* made : {&low, &high, &all}) MPI_Group_free(made);
  close(session);
}

RANKS_TEST(Session, HandlesAreNumbers, ranks(1)) {
  MPI_Session session = open();
  EXPECT_EQ(MPI_Session_fromint(MPI_Session_toint(session)), session);
  EXPECT_EQ(MPI_Session_f2c(MPI_Session_c2f(session)), session);
  EXPECT_EQ(MPI_Session_fromint(MPI_Session_toint(MPI_SESSION_NULL)), MPI_SESSION_NULL);
  close(session);
}
