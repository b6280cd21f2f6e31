#include "tests/libc/hosted_ranks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "exec/crash/crash.h"
#include "exec/image/image.h"
#include "exec/process/files/directory.h"
#include "exec/process/sleep/sleep.h"
#include "exec/process/state/output.h"
#include "exec/rank/rank.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/ult.h"

// Called by the images (programs/yield.c).
extern "C" int heddle_test_yield() {
  heddle::process::let_others_run();
  return 0;
}

namespace heddle::testing {

namespace {

std::string contents_of(int file) {
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(file, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  close(file);
  return text;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Run {
  image::Program program;
  std::vector<Ended> ends;
};

struct Start {
  Run* run;
  int number;
  Arguments arguments;
};

void run_rank(void* argument) {
  auto& start = *static_cast<Start*>(argument);
  Run& run = *start.run;
  {
    Rank rank(start.number);
    Rank::enter(&rank);
    start.arguments.insert(start.arguments.begin(), "program");
    std::vector<char*> argv = pointers_to(start.arguments);
    process::RankSetup setup;
    setup.program = run.program.path().c_str();
    setup.ranks = static_cast<int>(run.ends.size());
    setup.argc = static_cast<int>(start.arguments.size());
    setup.argv = argv.data();
    Error failed = process::begin_rank(setup);
    ASSERT_FALSE(failed) << failed.text();
    std::unique_ptr<image::Image> image;
    failed = image::Image::open(run.program, &image);
    ASSERT_FALSE(failed) << failed.text();
    const process::Result result =
        process::run_main({image->main(), static_cast<int>(start.arguments.size()), argv.data()});
    const bool goes_on = !process::runs_destructors(result.ending);
    if (goes_on) {
      [[maybe_unused]] const image::Image* kept = image.release();
    } else {
      image::Image::retire(std::move(image));
    }
    process::end_rank(goes_on);
    Ended& end = run.ends[static_cast<std::size_t>(start.number)];
    end.status = result.status;
    end.ending = result.ending;
  }
  Rank::enter(nullptr);
}

std::vector<Ended> run_all(const std::string& program, const std::vector<Arguments>& arguments,
                           int workers) {
  setenv("PROGRAM_FILE", program.c_str(), 1);
  Run run;
  Error failed = image::Program::inspect(program.c_str(), &run.program);
  EXPECT_FALSE(failed) << failed.text();
  run.ends.resize(arguments.size());
  image::Options options;
  options.wait = ult::yield;
  image::configure(options);
  ult::add_worker_hooks({process::separate_worker_directory, nullptr});
  crash::install();
  ult::SchedulerOptions scheduler;
  scheduler.workers = workers;
  scheduler.binding = ult::Binding::kNone;
  failed = ult::start(scheduler);
  EXPECT_FALSE(failed) << failed.text();
  std::vector<Start> starts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    starts.push_back({&run, static_cast<int>(i), arguments[i]});
  }
  std::vector<ult::Ult*> ults;
  for (Start& start : starts) {
    ult::Attributes attributes;
    attributes.worker = start.number % workers;
    ult::Ult* made = nullptr;
    failed = ult::spawn(run_rank, &start, attributes, &made);
    EXPECT_FALSE(failed) << failed.text();
    ults.push_back(made);
  }
  for (ult::Ult* ult : ults) ult::join(ult);
  ult::stop();
  return std::move(run.ends);
}

// Rank → its text, from lines that begin with "[rank] ".
std::map<int, std::string> by_label(const std::string& text) {
  std::map<int, std::string> texts;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t newline = text.find('\n', begin);
    const std::size_t end = newline == std::string::npos ? text.size() : newline + 1;
    int rank = -1, length = 0;
    EXPECT_EQ(std::sscanf(text.c_str() + begin, "[%d]%n", &rank, &length), 1)
        << text.substr(begin, end - begin);
    texts[rank] += text.substr(begin + static_cast<std::size_t>(length) + 1,
                               end - begin - static_cast<std::size_t>(length) - 1);
    begin = end;
  }
  return texts;
}

}  // namespace

std::vector<Ended> run_as_ranks(const std::string& program, const std::vector<Arguments>& arguments,
                                int workers) {
  const int output = memfd_create("output", 0), errors = memfd_create("errors", 0);
  process::configure_output({.label_lines = true});
  process::Sink::of(1).redirect(output);
  process::Sink::of(2).redirect(errors);
  std::vector<Ended> ends = run_all(program, arguments, workers);
  process::Sink::of(1).redirect(1);
  process::Sink::of(2).redirect(2);
  std::map<int, std::string> outputs = by_label(contents_of(output));
  std::map<int, std::string> error_outputs = by_label(contents_of(errors));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i].output = outputs[static_cast<int>(i)];
    ends[i].errors = error_outputs[static_cast<int>(i)];
  }
  return ends;
}

void run_as_ranks_here(const std::string& program, const std::vector<Arguments>& arguments,
                       int workers) {
  process::configure_output({.label_lines = false});
  run_all(program, arguments, workers);
}

Ended run_as_process(const std::string& program, const Arguments& arguments,
                     const std::string& input) {
  const int output = memfd_create("output", 0), errors = memfd_create("errors", 0);
  const int in = memfd_create("input", 0);
  EXPECT_EQ(write(in, input.data(), input.size()), static_cast<ssize_t>(input.size()));
  lseek(in, 0, SEEK_SET);
  Arguments words = arguments;
  words.insert(words.begin(), "program");
  std::vector<char*> argv = pointers_to(words);
  const pid_t child = fork();
  if (child == 0) {
    setenv("PROGRAM_FILE", program.c_str(), 1);
    dup2(in, 0);
    // Appending, as two writers of one file need it.
    dup2(output, 1);
    dup2(errors, 2);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(in);
  Ended end;
  end.output = contents_of(output);
  end.errors = contents_of(errors);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace heddle::testing
