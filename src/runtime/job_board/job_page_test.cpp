#include "runtime/job_board/job_page.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::runtime {
namespace {

using Then = MeaningOfEnd::Then;

// A board of two processes.
struct Page {
  JobPage page{.kind = JobPage::kKind, .processes = 2};
  Card cards[2];
  Post posts[2]{};
};

// What decision 75 and the table of job_page.h say: a rank that ended in `phase` with `status`,
// while another process is in `other`.
Then expected(ProcessPhase phase, int status, ProcessPhase other) {
  const bool waits_for_all = other == ProcessPhase::kFinalizing;
  switch (phase) {
    case ProcessPhase::kAborted:
      return Then::kWasSaid;
    case ProcessPhase::kFinal:
      return Then::kNothing;
    case ProcessPhase::kOutside:
      return other == ProcessPhase::kRunning || waits_for_all ? Then::kEndJob : Then::kNothing;
    case ProcessPhase::kFinalizing:
      return Then::kEndJob;
    case ProcessPhase::kInLateSession:
      return status == 0 ? Then::kWatchOthers : Then::kEndJob;
    default:
      return status == 0 && !waits_for_all ? Then::kWatchOthers : Then::kEndJob;
  }
}

TEST(JobPage, SaysWhatAnEndMeansInEachPhase) {
  for (auto phase = ProcessPhase::kOutside; phase <= ProcessPhase::kAborted;
       phase = static_cast<ProcessPhase>(static_cast<int>(phase) + 1)) {
    for (auto other = ProcessPhase::kOutside; other <= ProcessPhase::kAborted;
         other = static_cast<ProcessPhase>(static_cast<int>(other) + 1)) {
      for (const int status : {0, 3}) {
        Page all;
        // The one that has ended is not in MPI_Finalize or MPI_Init any more: only `other` waits.
        all.page.card(1).phase = other;
        EXPECT_EQ(all.page.note_end(phase, status).then, expected(phase, status, other))
            << static_cast<int>(phase) << ' ' << status << ' ' << static_cast<int>(other);
      }
    }
  }
}

TEST(JobPage, NotesAnEndForThoseThatComeLater) {
  Page all;
  EXPECT_EQ(all.page.note_end(ProcessPhase::kOutside, 5).then, Then::kNothing);
  EXPECT_EQ(all.page.ended_outside, 5);
  EXPECT_EQ(all.page.note_end(ProcessPhase::kRunning, 0).then, Then::kWatchOthers);
  EXPECT_EQ(all.page.left_early, 1);
}

TEST(JobPage, SaysWhatARankHasLeftOut) {
  Page all;
  EXPECT_EQ(std::string(all.page.note_end(ProcessPhase::kRunning, 1).where), kUnfinalized);
  EXPECT_EQ(std::string(all.page.note_end(ProcessPhase::kInSession, 1).where), kSessionOpen);
  EXPECT_EQ(std::string(all.page.note_end(ProcessPhase::kInLateSession, 0).where), kSessionOpen);
}

TEST(JobPage, KnowsWhetherARankThatHasNotEndedUsesMpi) {
  Page all;
  EXPECT_FALSE(all.page.any_stays());
  all.page.card(0).inside = 2;
  all.page.card(0).left = 1;
  EXPECT_TRUE(all.page.any_stays());
  all.page.card(0).left = 2;
  EXPECT_FALSE(all.page.any_stays());
  all.page.card(1).inside = 1;
  EXPECT_TRUE(all.page.any_stays());
}

TEST(JobPage, HoldsAsMuchOfWhatAProcessSaysAsThereIsRoomFor) {
  Page all;
  EXPECT_EQ(all.page.lines_of(1), "");
  all.page.put_lines(1, "rank 1 runs");
  EXPECT_EQ(all.page.lines_of(1), "rank 1 runs");
  all.page.put_lines(0, std::string(10'000, 'x'));
  EXPECT_EQ(all.page.lines_of(0), std::string(sizeof Post::text, 'x'));
}

}  // namespace
}  // namespace heddle::runtime
