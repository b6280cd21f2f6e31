// Attributes of communicators: the predefined ones, and a program's own through dup and free
// (MPI 5.0 §7.7, §9.1.2, §11.2.4).

#include <algorithm>
#include <atomic>
#include <climits>
#include <string>
#include <thread>
#include <vector>

#include "heddle/mpix.h"
#include "tests/support/ranks_test.h"

namespace {

// What the callbacks of a rank's keyvals were called for, in order: "copy 3", "delete 7".
struct Log {
  std::vector<std::string> lines;
  MPI_Comm comm = MPI_COMM_NULL;  // the callbacks must be called with it
};

struct Attribute {
  Log* log;
  int number;
};

int copy_plus_hundred(MPI_Comm comm, int, void* extra, void* value, void* out, int* flag) {
  Log& log = *static_cast<Log*>(extra);
  const auto* attribute = static_cast<Attribute*>(value);
  log.lines.push_back("copy " + std::to_string(attribute->number));
  EXPECT_EQ(comm, log.comm);
  int size = 0;
  EXPECT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS) << "the handle is good in the callback";
  *static_cast<Attribute**>(out) = new Attribute{&log, attribute->number + 100};
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_value(MPI_Comm comm, int, void* value, void* extra) {
  Log& log = *static_cast<Log*>(extra);
  const auto* attribute = static_cast<Attribute*>(value);
  log.lines.push_back("delete " + std::to_string(attribute->number));
  EXPECT_EQ(comm, log.comm);
  int size = 0;
  EXPECT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS) << "the handle is good in the callback";
  delete attribute;
  return MPI_SUCCESS;
}

int fail_to_delete(MPI_Comm, int, void*, void* extra) {
  return *static_cast<bool*>(extra) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int predefined(MPI_Comm comm, int keyval) {
  int* value = nullptr;
  int flag = 0;
  EXPECT_EQ(MPI_Comm_get_attr(comm, keyval, &value, &flag), MPI_SUCCESS);
  EXPECT_TRUE(flag);
  return flag ? *value : INT_MIN;
}

}  // namespace

RANKS_TEST(Attributes, TellAboutTheEnvironment, ranks(1, 4)) {
  bool one_clock = true;  // a node has one
  for (int i = 0; i < size; ++i) {
    one_clock = one_clock && heddle::testing::node_of(i, size) == heddle::testing::node_of(0, size);
  }
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    EXPECT_GE(predefined(comm, MPI_TAG_UB), 32767);
    EXPECT_EQ(predefined(comm, MPI_HOST), MPI_PROC_NULL);
    EXPECT_EQ(predefined(comm, MPI_IO), MPI_ANY_SOURCE);
    EXPECT_EQ(predefined(comm, MPI_WTIME_IS_GLOBAL), one_clock);
    EXPECT_EQ(predefined(comm, MPI_UNIVERSE_SIZE), size);
    EXPECT_EQ(predefined(comm, MPI_LASTUSEDCODE), MPI_ERR_LASTCODE);
  }
  int added = 0;
  MPI_Add_error_class(&added);
  EXPECT_EQ(predefined(MPI_COMM_WORLD, MPI_LASTUSEDCODE), added);
}

RANKS_TEST(Attributes, AreCopiedOldestFirstAndDeletedYoungestFirst, ranks(1, 2, 4)) {
  Log log;
  int keyvals[3];
  MPI_Comm first = MPI_COMM_NULL, second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  log.comm = first;
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_create_keyval(copy_plus_hundred, delete_value, &keyvals[i], &log);
    MPI_Comm_set_attr(first, keyvals[i], new Attribute{&log, i});
  }
  MPI_Comm_dup(first, &second);
  EXPECT_EQ(log.lines, (std::vector<std::string>{"copy 0", "copy 1", "copy 2"}));
  for (int i = 0; i < 3; ++i) {
    Attribute* found = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(second, keyvals[i], &found, &flag);
    ASSERT_TRUE(flag);
    EXPECT_EQ(found->number, 100 + i);
    MPI_Comm_free_keyval(&keyvals[i]);
  }
  log.lines.clear();
  MPI_Comm_free(&first);
  EXPECT_EQ(log.lines, (std::vector<std::string>{"delete 2", "delete 1", "delete 0"}));
  log.lines.clear();
  log.comm = second;
  MPI_Comm_free(&second);
  EXPECT_EQ(log.lines, (std::vector<std::string>{"delete 102", "delete 101", "delete 100"}));
}

RANKS_TEST(Attributes, DoNotFollowSplitAndCreate, ranks(2)) {
  int keyval = MPI_KEYVAL_INVALID, flag = 1;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &keyval);
  MPI_Comm copy = MPI_COMM_NULL, part = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &part);
  int* value = nullptr;
  MPI_Comm_get_attr(copy, keyval, &value, &flag);
  EXPECT_TRUE(flag);
  EXPECT_EQ(value, &keyval);
  MPI_Comm_get_attr(part, keyval, &value, &flag);
  EXPECT_FALSE(flag);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag);
  EXPECT_FALSE(flag);
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&keyval);
  EXPECT_EQ(keyval, MPI_KEYVAL_INVALID);
}

RANKS_TEST(Attributes, ThatCannotBeDeletedKeepTheirCommunicator, ranks(1, 2)) {
  bool stubborn = true;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, fail_to_delete, &keyval, &stubborn);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_attr(comm, keyval, nullptr);
  const MPI_Comm before = comm;
  EXPECT_EQ(MPI_Comm_free(&comm), MPI_ERR_OTHER);
  EXPECT_EQ(comm, before);
  stubborn = false;
  EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  EXPECT_EQ(comm, MPI_COMM_NULL);
  MPI_Comm_free_keyval(&keyval);
}

namespace {

constexpr int kRounds = 50;

// A value of which the callbacks count the end; two ends, or a copy of what has ended, are wrong.
struct Counted {
  std::atomic<int> ends{0};
};

int copy_counted(MPI_Comm, int, void*, void* value, void*, int* flag) {
  EXPECT_EQ(static_cast<Counted*>(value)->ends, 0);
  std::this_thread::yield();
  EXPECT_EQ(static_cast<Counted*>(value)->ends, 0);
  *flag = 0;
  return MPI_SUCCESS;
}

int delete_counted(MPI_Comm, int, void* value, void*) {
  std::this_thread::yield();
  ++static_cast<Counted*>(value)->ends;
  std::this_thread::yield();
  return MPI_SUCCESS;
}

void set_again_and_again(MPI_Comm comm, int keyval, std::vector<Counted>* values) {
  for (Counted& value : *values) EXPECT_EQ(MPI_Comm_set_attr(comm, keyval, &value), MPI_SUCCESS);
}

}  // namespace

RANKS_TEST(Attributes, OfOneKeyMayBeUsedByThreadsAtOnceAndEndOnceEach, ranks(1, 2)) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy_counted, delete_counted, &keyval, nullptr);
  std::vector<Counted> values[2] = {std::vector<Counted>(kRounds), std::vector<Counted>(kRounds)};
  std::thread first(set_again_and_again, comm, keyval, &values[0]);
  std::thread second(set_again_and_again, comm, keyval, &values[1]);
  std::thread third([=] {
    for (int i = 0; i < kRounds; ++i) EXPECT_EQ(MPI_Comm_delete_attr(comm, keyval), MPI_SUCCESS);
  });
  for (int i = 0; i < kRounds; ++i) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&copy);
  }
  for (std::thread* thread : {&first, &second, &third}) thread->join();
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&keyval);
  for (const std::vector<Counted>& each : values) {
    EXPECT_EQ(std::count_if(each.begin(), each.end(),
                            [](const Counted& value) { return value.ends != 1; }),
              0);
  }
}

namespace {

std::vector<int> ended;  // of one rank, see below

int note_end(MPI_Comm, int keyval, void*, void*) {
  ended.push_back(keyval);
  return MPI_SUCCESS;
}

void leave_attributes_on_self(void*) {
  MPI_Init(nullptr, nullptr);
  ended.clear();
  int keyvals[3];
  for (int& keyval : keyvals) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_end, &keyval, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  }
  MPI_Comm_set_attr(MPI_COMM_SELF, keyvals[1], nullptr);  // replaced: now the youngest
  ended.clear();
  MPI_Finalize();
  EXPECT_EQ(ended, (std::vector<int>{keyvals[1], keyvals[2], keyvals[0]}));
}

}  // namespace

TEST(AttributesOfSelf, AreDeletedByFinalizeInReverseOrder) {
  EXPECT_EQ(MPIX_Run(1, leave_attributes_on_self, nullptr, nullptr), MPI_SUCCESS);
}
