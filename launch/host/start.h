// start.h — what heddle-host does with its command line: makes a job of the words, and preloads the
// allocator that a program brings along.
//
// Thread safety: main, once.

#pragma once

#include <heddle/host.h>

namespace heddle::launch {

// Returns what `run` returns for the job that main's arguments describe (job_words.h), or 2 if they
// describe none.
int start(int argc, char** argv, int (*run)(const heddle_job* job));

}  // namespace heddle::launch
