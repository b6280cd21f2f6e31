// Requests that the program completes (MPI 5.0 §13.2).

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/ranks_test.h"

namespace {

// An operation of the program, and what its callbacks were asked.
struct Operation {
  MPI_Request request = MPI_REQUEST_NULL;
  int count = 3;
  int query_code = MPI_SUCCESS, free_code = MPI_SUCCESS, cancel_code = MPI_SUCCESS;
  std::string calls = {};

  Operation() { MPI_Grequest_start(query, free, cancel, this, &request); }
  Operation(const Operation&) = delete;

  void complete() { EXPECT_EQ(MPI_Grequest_complete(request), MPI_SUCCESS); }

  static int query(void* state, MPI_Status* status) {
    auto* self = static_cast<Operation*>(state);
    self->calls += "query ";
    MPI_Status_set_elements(status, MPI_INT, self->count);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 7;
    status->MPI_TAG = 8;
    return self->query_code;
  }
  static int free(void* state) {
    auto* self = static_cast<Operation*>(state);
    self->calls += "free ";
    return self->free_code;
  }
  static int cancel(void* state, int complete) {
    auto* self = static_cast<Operation*>(state);
    self->calls += complete ? "cancel(complete) " : "cancel ";
    return self->cancel_code;
  }
};

void expect_status(const MPI_Status& status) {
  int count = 0;
  EXPECT_EQ(MPI_Get_count(&status, MPI_INT, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(status.MPI_SOURCE, 7);
  EXPECT_EQ(status.MPI_TAG, 8);
}

void errors_return() {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

}  // namespace

RANKS_TEST(Generalized, EveryWaitAndTestEndsOne, ranks(1, 2)) {
  int index = -1, flag = 0, found = 0;
  const std::vector<std::function<int(MPI_Request*, MPI_Status*)>> endings = {
      [&](auto* r, auto* s) { return MPI_Wait(r, s); },
      [&](auto* r, auto* s) { return MPI_Waitall(1, r, s); },
      [&](auto* r, auto* s) { return MPI_Waitany(1, r, &index, s); },
      [&](auto* r, auto* s) { return MPI_Waitsome(1, r, &found, &index, s); },
      [&](auto* r, auto* s) { return MPI_Test(r, &flag, s); },
      [&](auto* r, auto* s) { return MPI_Testall(1, r, &flag, s); },
      [&](auto* r, auto* s) { return MPI_Testany(1, r, &index, &flag, s); },
      [&](auto* r, auto* s) { return MPI_Testsome(1, r, &found, &index, s); },
  };
  for (const auto& end : endings) {
    for (const bool ignored : {false, true}) {
      Operation operation;
      operation.complete();
      MPI_Status status{};
      status.MPI_ERROR = 4711;
      EXPECT_EQ(end(&operation.request, ignored ? MPI_STATUS_IGNORE : &status), MPI_SUCCESS);
      EXPECT_EQ(operation.request, MPI_REQUEST_NULL);
      EXPECT_EQ(operation.calls, "query free ");
      EXPECT_EQ(status.MPI_ERROR, 4711);
      if (!ignored) expect_status(status);
    }
  }
}

RANKS_TEST(Generalized, IsNotDoneBeforeTheProgramSaysSo, ranks(1)) {
  Operation operation;
  int flag = 1, index = 0, found = 0;
  EXPECT_EQ(MPI_Test(&operation.request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_FALSE(flag);
  EXPECT_EQ(MPI_Request_get_status(operation.request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_FALSE(flag);
  EXPECT_EQ(MPI_Testsome(1, &operation.request, &found, &index, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(found, 0);
  EXPECT_EQ(operation.calls, "");

  std::thread other([&] { operation.complete(); });
  MPI_Status status;
  EXPECT_EQ(MPI_Wait(&operation.request, &status), MPI_SUCCESS);
  other.join();
  expect_status(status);
  EXPECT_EQ(operation.calls, "query free ");
}

RANKS_TEST(Generalized, GetStatusAsksAsOftenAsItIsCalled, ranks(1)) {
  Operation operation;
  operation.complete();
  int flag = 0, index = -1, found = 0;
  MPI_Status status;
  const std::vector<std::function<int(MPI_Status*)>> questions = {
      [&](auto* s) { return MPI_Request_get_status(operation.request, &flag, s); },
      [&](auto* s) { return MPI_Request_get_status_all(1, &operation.request, &flag, s); },
      [&](auto* s) { return MPI_Request_get_status_any(1, &operation.request, &index, &flag, s); },
      [&](auto* s) {
        return MPI_Request_get_status_some(1, &operation.request, &found, &index, s);
      },
  };
  for (const auto& ask : questions) {
    operation.calls = "";
    status = {};
    EXPECT_EQ(ask(&status), MPI_SUCCESS);
    expect_status(status);
    EXPECT_EQ(ask(MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(operation.calls, "query query ");
  }
  MPI_Request_free(&operation.request);
  EXPECT_EQ(operation.calls, "query query free ");
}

RANKS_TEST(Generalized, IsFreedByTheLaterOfFreeAndComplete, ranks(1)) {
  Operation first;
  const MPI_Request copy = first.request;
  EXPECT_EQ(MPI_Request_free(&first.request), MPI_SUCCESS);
  EXPECT_EQ(first.request, MPI_REQUEST_NULL);
  EXPECT_EQ(first.calls, "");
  EXPECT_EQ(MPI_Grequest_complete(copy), MPI_SUCCESS);
  EXPECT_EQ(first.calls, "free ");

  Operation second;
  second.complete();
  EXPECT_EQ(second.calls, "");
  EXPECT_EQ(MPI_Request_free(&second.request), MPI_SUCCESS);
  EXPECT_EQ(second.calls, "free ");
}

RANKS_TEST(Generalized, ThreadsMayFreeAndCompleteAtOnce, ranks(1, 2)) {
  for (int i = 0; i < 100; ++i) {
    Operation operation;
    const MPI_Request copy = operation.request;
    std::atomic<int> ready{0};
    const auto meet = [&] {
      ++ready;
      while (ready < 2) std::this_thread::yield();
    };
    std::thread completing([&] {
      meet();
      EXPECT_EQ(MPI_Grequest_complete(copy), MPI_SUCCESS);
    });
    meet();
    if (i % 2 == 0) {
      EXPECT_EQ(MPI_Request_free(&operation.request), MPI_SUCCESS);
    } else {
      EXPECT_EQ(MPI_Wait(&operation.request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    completing.join();
    EXPECT_EQ(operation.calls, i % 2 == 0 ? "free " : "query free ");
  }
}

RANKS_TEST(Generalized, CancelSaysWhetherItIsComplete, ranks(1)) {
  Operation operation;
  EXPECT_EQ(MPI_Cancel(&operation.request), MPI_SUCCESS);
  operation.complete();
  EXPECT_EQ(MPI_Cancel(&operation.request), MPI_SUCCESS);
  EXPECT_EQ(operation.calls, "cancel cancel(complete) ");
  MPI_Wait(&operation.request, MPI_STATUS_IGNORE);
}

RANKS_TEST(Generalized, ACallbacksErrorIsThatOfItsCaller, ranks(1)) {
  errors_return();
  int code = 0, flag = 0;
  MPI_Add_error_class(&code);
  Operation cancelled, asked, freed, released;
  cancelled.cancel_code = asked.query_code = freed.free_code = released.free_code = code;
  EXPECT_EQ(MPI_Cancel(&cancelled.request), code);
  for (Operation* each : {&cancelled, &asked, &freed, &released}) each->complete();
  EXPECT_EQ(MPI_Request_get_status(asked.request, &flag, MPI_STATUS_IGNORE), code);
  EXPECT_EQ(MPI_Wait(&asked.request, MPI_STATUS_IGNORE), code);
  EXPECT_EQ(MPI_Test(&freed.request, &flag, MPI_STATUS_IGNORE), code);
  EXPECT_EQ(MPI_Request_free(&released.request), code);
  EXPECT_EQ(MPI_Wait(&cancelled.request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (Operation* each : {&cancelled, &asked, &freed, &released}) {
    EXPECT_EQ(each->request, MPI_REQUEST_NULL);
    EXPECT_EQ(each->calls.substr(each->calls.size() - 5), "free ");
  }
}

RANKS_TEST(Generalized, ErrorsOfSeveralAreInTheirStatuses, ranks(2)) {
  errors_return();
  int code = 0, sent = rank, got = -1;
  MPI_Add_error_code(MPI_ERR_IO, &code);
  for (const bool ignored : {false, true}) {
    Operation good, bad;
    bad.free_code = code;
    MPI_Request requests[4] = {good.request, MPI_REQUEST_NULL, bad.request, MPI_REQUEST_NULL};
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Send(&sent, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    good.complete();
    bad.complete();
    MPI_Status statuses[4];
    EXPECT_EQ(class_of(MPI_Waitall(4, requests, ignored ? MPI_STATUSES_IGNORE : statuses)),
              MPI_ERR_IN_STATUS);
    EXPECT_EQ(got, 1 - rank);
    EXPECT_EQ(good.calls + bad.calls, "query free query free ");
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
    if (ignored) continue;
    expect_status(statuses[0]);
    expect_status(statuses[2]);
    EXPECT_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
    EXPECT_EQ(statuses[2].MPI_ERROR, code);
    EXPECT_EQ(statuses[3].MPI_ERROR, MPI_SUCCESS);
    EXPECT_EQ(statuses[3].MPI_SOURCE, 1 - rank);
  }
}

// The callbacks of one send and receive for it.
RANKS_TEST(Generalized, CallbacksMayCallMpi, ranks(2)) {
  struct Exchange {
    int got = -1;
    MPI_Request receive = MPI_REQUEST_NULL, request = MPI_REQUEST_NULL;
  } exchange;
  const auto query = [](void* state, MPI_Status* status) {
    return MPI_Wait(&static_cast<Exchange*>(state)->receive, status);
  };
  const auto free = [](void*) { return MPI_Barrier(MPI_COMM_WORLD); };
  const auto cancel = [](void*, int) { return MPI_SUCCESS; };
  MPI_Irecv(&exchange.got, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &exchange.receive);
  MPI_Grequest_start(query, free, cancel, &exchange, &exchange.request);
  MPI_Send(&rank, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
  MPI_Grequest_complete(exchange.request);
  MPI_Status status;
  EXPECT_EQ(MPI_Wait(&exchange.request, &status), MPI_SUCCESS);
  EXPECT_EQ(status.MPI_SOURCE, 1 - rank);
  EXPECT_EQ(status.MPI_TAG, 5);
  EXPECT_EQ(exchange.got, 1 - rank);
}

RANKS_TEST(Generalized, MisuseIsAnError, ranks(1)) {
  errors_return();
  MPI_Request receive, other = MPI_REQUEST_NULL;
  int value = 0;
  MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &receive);
  EXPECT_EQ(class_of(MPI_Grequest_complete(receive)), MPI_ERR_REQUEST);
  EXPECT_EQ(class_of(MPI_Grequest_complete(MPI_REQUEST_NULL)), MPI_ERR_REQUEST);
  MPI_Cancel(&receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);

  EXPECT_EQ(
      class_of(MPI_Grequest_start(nullptr, Operation::free, Operation::cancel, nullptr, &other)),
      MPI_ERR_ARG);
  EXPECT_EQ(other, MPI_REQUEST_NULL);

  Operation operation;
  EXPECT_EQ(class_of(MPI_Start(&operation.request)), MPI_ERR_REQUEST);
  operation.complete();
  EXPECT_EQ(class_of(MPI_Grequest_complete(operation.request)), MPI_ERR_REQUEST);
  MPI_Request copy = operation.request;
  MPI_Wait(&operation.request, MPI_STATUS_IGNORE);
  EXPECT_EQ(operation.calls, "query free ");
  EXPECT_EQ(class_of(MPI_Grequest_complete(copy)), MPI_ERR_REQUEST);

  Operation freed;
  copy = freed.request;
  MPI_Request_free(&freed.request);
  MPI_Request again = copy;
  EXPECT_EQ(class_of(MPI_Request_free(&again)), MPI_ERR_REQUEST);
  MPI_Grequest_complete(copy);
  EXPECT_EQ(freed.calls, "free ");
}
