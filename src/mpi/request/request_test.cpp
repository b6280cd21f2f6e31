#include "mpi/request/request.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exec/rank/rank.h"
#include "mpi/request/finished.h"
#include "mpi/request/following.h"
#include "mpi/request/start.h"
#include "mpi/request/testing.h"
#include "mpi/request/wait.h"

namespace heddle::request {
namespace {

std::atomic<int> alive{0};

// Completed by hand, with its tag as told.
class Fake final : public Request {
 public:
  explicit Fake(int tag, Life life = Life::kOnce) : Request(life), tag_(tag) { ++alive; }
  ~Fake() override { --alive; }

  void finish(int error_class = MPI_SUCCESS) {
    outcome_for_writing() = {0, tag_, error_class, false, 8};
    complete();
  }
  Error verdict() const override {
    if (outcome().error_class == MPI_SUCCESS) return {};
    return Error::make(outcome().error_class, "request %d failed", tag_);
  }

 private:
  const int tag_;
};

// Kernel threads are strands too, so no scheduler is needed.
class RequestTest : public ::testing::Test {
 protected:
  RequestTest() { Rank::enter(&rank_); }
  ~RequestTest() override {
    end_detached();  // as MPI_Finalize does
    Rank::enter(nullptr);
  }

  MPI_Request add(Fake* fake) {
    fakes.push_back(fake);
    handles.push_back(reinterpret_cast<MPI_Request>(publish(fake)));
    return handles.back();
  }
  void add_many(int count) {
    for (int i = 0; i < count; ++i) add(make<Fake>(i).leak());
  }
  MPI_Count count() const { return static_cast<MPI_Count>(handles.size()); }

  Rank rank_{0};
  Blamed blamed;
  std::vector<Fake*> fakes;
  std::vector<MPI_Request> handles;
};

TEST_F(RequestTest, WaitReturnsWhenAnotherThreadCompletes) {
  for (int i = 0; i < 200; ++i) {
    MPI_Request handle = add(make<Fake>(i).leak());
    std::thread other([fake = fakes.back()] { fake->finish(); });
    MPI_Status status;
    EXPECT_FALSE(wait(&handle, &status, &blamed));
    EXPECT_EQ(status.MPI_TAG, i);
    EXPECT_EQ(handle, MPI_REQUEST_NULL);
    other.join();
  }
  EXPECT_EQ(alive, 0);
}

TEST_F(RequestTest, WaitAnyReturnsEachOnceWhileThreadsCompleteThemInAnyOrder) {
  constexpr int kRequests = 40;
  for (unsigned round = 0; round < 50; ++round) {
    handles.clear();
    fakes.clear();
    add_many(kRequests);
    std::vector<Fake*> order = fakes;
    std::shuffle(order.begin(), order.end(), std::mt19937(round));
    std::vector<std::thread> others;
    for (int t = 0; t < 2; ++t) {
      others.emplace_back([&order, t] {
        for (std::size_t i = static_cast<std::size_t>(t); i < order.size(); i += 2) {
          order[i]->finish();
        }
      });
    }
    std::vector<int> seen(kRequests, 0);
    for (int i = 0; i < kRequests; ++i) {
      int index = -1;
      MPI_Status status;
      ASSERT_FALSE(wait_any(count(), handles.data(), &index, &status, &blamed));
      ASSERT_EQ(status.MPI_TAG, index);
      ++seen[static_cast<std::size_t>(index)];
    }
    EXPECT_EQ(seen, std::vector<int>(kRequests, 1));
    for (std::thread& other : others) other.join();
  }
  EXPECT_EQ(alive, 0);
}

TEST_F(RequestTest, WaitAllPutsErrorsIntoStatuses) {
  add_many(4);
  for (int i = 0; i < 4; ++i) {
    fakes[static_cast<std::size_t>(i)]->finish(i == 1   ? MPI_ERR_TRUNCATE
                                               : i == 3 ? MPI_ERR_OTHER
                                                        : MPI_SUCCESS);
  }
  MPI_Status statuses[4];
  const Error error = wait_all(4, handles.data(), statuses, &blamed);
  ASSERT_TRUE(error);
  EXPECT_EQ(error.error_class(), MPI_ERR_IN_STATUS);
  EXPECT_NE(error.text().find("index 1"), std::string::npos) << error.text();
  EXPECT_NE(error.text().find("request 1 failed"), std::string::npos) << error.text();
  EXPECT_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
  EXPECT_EQ(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
  EXPECT_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
  EXPECT_EQ(statuses[3].MPI_ERROR, MPI_ERR_OTHER);
  EXPECT_EQ(alive, 0);
}

TEST_F(RequestTest, AFreedActiveRequestLivesUntilItIsDoneAndLookedAtAgain) {
  MPI_Request first = add(make<Fake>(0).leak()), second = add(make<Fake>(1).leak());
  EXPECT_FALSE(free(&first, &blamed));
  EXPECT_EQ(first, MPI_REQUEST_NULL);
  EXPECT_EQ(alive, 2);
  fakes[0]->finish();
  fakes[1]->finish();
  EXPECT_FALSE(free(&second, &blamed));  // done already
  EXPECT_EQ(alive, 1);
  MPI_Request third = add(make<Fake>(2).leak());
  EXPECT_FALSE(free(&third, &blamed));
  EXPECT_EQ(alive, 1);  // the first is gone, the third is under way
  fakes[2]->finish();
}

// What a free looks at shows in what it ends: as many requests as before, not all.
TEST_F(RequestTest, ToFreeAnActiveRequestCostsTheSameHoweverManyAreActive) {
  constexpr int kRequests = 1000;
  add_many(kRequests);
  for (MPI_Request& handle : handles) EXPECT_FALSE(free(&handle, &blamed));
  EXPECT_EQ(alive, kRequests);
  fakes.back()->finish();
  const auto free_another = [&] {
    MPI_Request handle = add(make<Fake>(kRequests).leak());
    EXPECT_FALSE(free(&handle, &blamed));
  };
  int frees = 0;
  for (; alive == kRequests + frees; ++frees) {
    ASSERT_LT(frees, kRequests) << "the one that is done is not found";
    free_another();
  }
  EXPECT_GT(frees, 10) << "so all have been looked at each time";

  for (Fake* fake : fakes) {
    if (fake != fakes[kRequests - 1]) fake->finish();
  }
  for (int i = 0; i < kRequests; ++i) {
    const int before = alive;
    free_another();
    EXPECT_GE(alive, before - 10);
    fakes.back()->finish();
  }
  EXPECT_LE(alive, 2) << "requests that are done stay";
}

TEST_F(RequestTest, APersistentRequestGoesRound) {
  MPI_Request handle = add(make<Fake>(7, Request::Life::kPersistent).leak());
  const MPI_Request before = handle;
  for (int round = 0; round < 3; ++round) {
    int flag = 0;
    EXPECT_FALSE(test(&handle, &flag, MPI_STATUS_IGNORE, &blamed));
    EXPECT_EQ(flag, 1);  // inactive
    EXPECT_FALSE(start(&handle, &blamed));
    EXPECT_TRUE(start(&handle, &blamed));  // active already
    EXPECT_FALSE(test(&handle, &flag, MPI_STATUS_IGNORE, &blamed));
    EXPECT_EQ(flag, 0);
    fakes[0]->finish();
    MPI_Status status;
    EXPECT_FALSE(test(&handle, &flag, &status, &blamed));
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(status.MPI_TAG, 7);
    EXPECT_EQ(handle, before);
  }
  EXPECT_FALSE(free(&handle, &blamed));
  EXPECT_EQ(alive, 0);
}

TEST_F(RequestTest, TheFinishedRequestIsDoneForEveryCallAndStays) {
  const auto finished_handle = reinterpret_cast<MPI_Request>(publish(&finished()));
  EXPECT_EQ(reinterpret_cast<MPI_Request>(publish(&finished())), finished_handle);
  EXPECT_EQ(object::live_count(object::Kind::kRequest), 0u);
  for (int round = 0; round < 3; ++round) {
    MPI_Request one = finished_handle;
    MPI_Status status;
    int flag = 0, index = -1, indices[2] = {-1, -1};
    EXPECT_FALSE(cancel(&one, &blamed));
    EXPECT_TRUE(start(&one, &blamed));  // not persistent
    EXPECT_FALSE(get_status(one, &flag, &status));
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(one, finished_handle);
    EXPECT_FALSE(wait(&one, &status, &blamed));
    EXPECT_EQ(one, MPI_REQUEST_NULL);
    EXPECT_EQ(bytes_of(status), 0);
    EXPECT_FALSE(test_cancelled(&status, &flag));
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(retire(finished_handle).get(), &finished());
    EXPECT_EQ(retire(finished_handle).get(), &finished());
    one = finished_handle;
    EXPECT_FALSE(free(&one, &blamed));
    EXPECT_EQ(one, MPI_REQUEST_NULL);
    MPI_Request two[2] = {finished_handle, finished_handle};
    EXPECT_FALSE(wait_any(2, two, &index, &status, &blamed));
    EXPECT_EQ(index, 0);
    EXPECT_EQ(two[0], MPI_REQUEST_NULL);
    EXPECT_FALSE(wait_some(2, two, &index, indices, MPI_STATUSES_IGNORE, &blamed));
    EXPECT_EQ(index, 1);
    EXPECT_EQ(indices[0], 1);
    two[0] = two[1] = finished_handle;
    EXPECT_FALSE(wait_all(2, two, MPI_STATUSES_IGNORE, &blamed));
    EXPECT_TRUE(two[0] == MPI_REQUEST_NULL && two[1] == MPI_REQUEST_NULL);
  }
}

TEST_F(RequestTest, AllRanksHaveTheOneFinishedRequestAndItsNumber) {
  const object::HandleBits handle = publish(&finished());
  const int number = object::to_int(handle);
  EXPECT_GT(number, 0);
  EXPECT_EQ(object::from_int(number), handle);
  add_many(1000);  // none gets its handle
  for (const MPI_Request other : handles) {
    EXPECT_NE(reinterpret_cast<object::HandleBits>(other), handle);
    EXPECT_NE(object::to_int(reinterpret_cast<object::HandleBits>(other)), number);
  }
  for (Fake* fake : fakes) fake->finish();
  EXPECT_FALSE(wait_all(count(), handles.data(), MPI_STATUSES_IGNORE, &blamed));
  Rank another(1);
  Rank::enter(&another);
  EXPECT_EQ(publish(&finished()), handle);
  EXPECT_EQ(object::from_int(number), handle);
  auto request = reinterpret_cast<MPI_Request>(handle);
  EXPECT_FALSE(wait(&request, MPI_STATUS_IGNORE, &blamed));
  Rank::enter(&rank_);
}

// Nothing completes the requests before it, wherever it stands.
TEST_F(RequestTest, WaitAllTellsABadHandleBeforeItWaits) {
  add_many(100);
  const MPI_Request gone = add(make<Fake>(100).leak());
  fakes.back()->finish();
  MPI_Request copy = gone;
  EXPECT_FALSE(wait(&copy, MPI_STATUS_IGNORE, &blamed));
  handles.pop_back();
  for (const std::size_t place : {0U, 1U, 31U, 32U, 33U, 64U, 99U}) {
    std::vector<MPI_Request> array = handles;
    array[place] = gone;
    const Error error = wait_all(count(), array.data(), MPI_STATUSES_IGNORE, &blamed);
    ASSERT_TRUE(error);
    EXPECT_EQ(error.error_class(), MPI_ERR_REQUEST);
    EXPECT_NE(error.text().find("at index " + std::to_string(place)), std::string::npos);
    array[place] = handles[place];
    EXPECT_EQ(array, handles);
  }
  for (int i = 0; i < 100; ++i) fakes[static_cast<std::size_t>(i)]->finish();
  EXPECT_FALSE(wait_all(count(), handles.data(), MPI_STATUSES_IGNORE, &blamed));
  EXPECT_EQ(alive, 0);
}

TEST_F(RequestTest, WaitAllPutsErrorsOfLongArraysInTheirPlaces) {
  add_many(100);
  const auto fails = [](int i) { return i % 13 == 12; };
  for (int i = 0; i < 100; ++i) {
    fakes[static_cast<std::size_t>(i)]->finish(fails(i) ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  }
  std::vector<MPI_Status> statuses(handles.size());
  const Error error = wait_all(count(), handles.data(), statuses.data(), &blamed);
  ASSERT_TRUE(error);
  EXPECT_NE(error.text().find("index 12"), std::string::npos) << error.text();
  for (int i = 0; i < 100; ++i) {
    const MPI_Status& status = statuses[static_cast<std::size_t>(i)];
    EXPECT_EQ(status.MPI_ERROR, fails(i) ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    EXPECT_EQ(status.MPI_TAG, i);
    EXPECT_EQ(handles[static_cast<std::size_t>(i)], MPI_REQUEST_NULL);
  }
  EXPECT_EQ(alive, 0);
}

// More than a call notes at once.
TEST_F(RequestTest, WaitAllWaitsForHundredsInAnyOrderOfCompletion) {
  for (unsigned round = 0; round < 20; ++round) {
    handles.clear();
    fakes.clear();
    add_many(200);
    const MPI_Request last = handles.back();
    std::vector<MPI_Request> others;
    for (std::size_t i = 0; i < handles.size(); i += 7) {
      others.push_back(std::exchange(handles[i], MPI_REQUEST_NULL));
    }
    std::vector<Fake*> order = fakes;
    std::shuffle(order.begin(), order.end(), std::mt19937(round));
    std::thread other([&order] {
      for (Fake* fake : order) fake->finish();
    });
    std::vector<MPI_Status> statuses(handles.size());
    EXPECT_FALSE(wait_all(count(), handles.data(), statuses.data(), &blamed));
    for (std::size_t i = 0; i < handles.size(); ++i) {
      EXPECT_EQ(handles[i], MPI_REQUEST_NULL);
      EXPECT_EQ(statuses[i].MPI_TAG, i % 7 == 0 ? MPI_ANY_TAG : static_cast<int>(i));
    }
    other.join();
    EXPECT_FALSE(wait_all(static_cast<MPI_Count>(others.size()), others.data(), MPI_STATUSES_IGNORE,
                          &blamed));
    MPI_Request stale = last;
    EXPECT_TRUE(wait_all(1, &stale, MPI_STATUSES_IGNORE, &blamed));
  }
  EXPECT_EQ(alive, 0);
}

// Two parts complete a whole.
class Whole final : public Request {
 public:
  Whole() : Request(Life::kOnce) {
    adopt(first);
    adopt(second);
  }
  Fake first{1}, second{2};

 private:
  void parts_completed() noexcept override { outcome_for_writing() = second.outcome(); }
};

TEST_F(RequestTest, AWholeIsDoneWithItsLastPart) {
  for (int i = 0; i < 200; ++i) {
    Whole whole;
    std::thread a([&] { whole.first.finish(); }), b([&] { whole.second.finish(); });
    whole.wait();
    EXPECT_TRUE(whole.first.done() && whole.second.done());
    EXPECT_EQ(whole.outcome().tag, 2);
    a.join();
    b.join();
  }
}

// What a follower is told: 'b'efore, 'a'fter, 'e'nd.
std::string told;
constexpr heddle_follower kTold = {[](void*, int, int) { told += 'b'; },
                                   [](void*, int, int) { told += 'a'; }, [](void*) { told += 'e'; },
                                   nullptr};

TEST_F(RequestTest, AFollowingRequestKeepsTheHandleAndActsOnceTheOtherOneIsDone) {
  told.clear();
  const MPI_Request handle = add(make<Fake>(7).leak());
  ASSERT_FALSE(follow(*from_handle(handle), kTold));
  ASSERT_NE(from_handle(handle), fakes[0]);
  EXPECT_EQ(from_handle(handle)->handle(), reinterpret_cast<object::HandleBits>(handle));
  MPI_Request again = handle;
  MPI_Status status;
  Blamed blamed;
  int flag = 1;
  EXPECT_FALSE(test(&again, &flag, &status, &blamed));
  EXPECT_FALSE(flag);
  EXPECT_EQ(told, "");
  std::thread completer([this] { fakes[0]->finish(MPI_ERR_TRUNCATE); });
  int index = -1;
  const Error e = wait_any(1, &again, &index, &status, &blamed);
  completer.join();
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), MPI_ERR_TRUNCATE);
  EXPECT_EQ(status.MPI_TAG, 7);
  EXPECT_EQ(told, "ae");
  EXPECT_EQ(again, MPI_REQUEST_NULL);
  EXPECT_EQ(from_handle(handle), nullptr);
  EXPECT_EQ(alive, 0);
}

TEST_F(RequestTest, AFollowerOfWhatIsDoneActsAtOnce) {
  told.clear();
  MPI_Request handle = add(make<Fake>(7).leak());
  fakes[0]->finish();
  ASSERT_FALSE(follow(*from_handle(handle), kTold));
  EXPECT_EQ(told, "ae");
  EXPECT_EQ(from_handle(handle), fakes[0]);
  Blamed blamed;
  EXPECT_FALSE(free(&handle, &blamed));
}

TEST_F(RequestTest, AFollowerOfAPersistentRequestActsAtEachStart) {
  told.clear();
  MPI_Request handle = add(make<Fake>(7, Request::Life::kPersistent).leak());
  ASSERT_FALSE(follow(*from_handle(handle), kTold));
  MPI_Status status;
  Blamed blamed;
  for (int times = 0; times < 2; ++times) {
    EXPECT_FALSE(start(&handle, &blamed));
    EXPECT_TRUE(start(&handle, &blamed));
    fakes[0]->finish();
    EXPECT_FALSE(wait(&handle, &status, &blamed));
    EXPECT_EQ(status.MPI_TAG, 7);
  }
  EXPECT_EQ(told, "baba");
  EXPECT_FALSE(free(&handle, &blamed));
  EXPECT_EQ(told, "babae");
  EXPECT_EQ(alive, 0);
}

TEST_F(RequestTest, AFollowingRequestThatIsFreedActsWhenAnotherOneIsFreed) {
  told.clear();
  MPI_Request handle = add(make<Fake>(1).leak());
  ASSERT_FALSE(follow(*from_handle(handle), kTold));
  Blamed blamed;
  EXPECT_FALSE(free(&handle, &blamed));
  EXPECT_EQ(told, "");
  fakes[0]->finish();
  MPI_Request other = add(make<Fake>(2).leak());
  EXPECT_FALSE(free(&other, &blamed));
  EXPECT_EQ(told, "ae");
}

}  // namespace
}  // namespace heddle::request
