// job_words.h — how mpiexec hands a job to heddle-host: as the words of its command line.
//
//   heddle-host [hosts=2 [places=0x3,1x1]]: one of two that another launcher starts; the programs'
//               ranks are those of both, and three are on host 0, one on host 1
//   heddle-host [allocator=/usr/lib/libjemalloc.so.2] workers=0 bind=core labels=1 share=libopenblas
//               program ranks=4 dir=/tmp path=/usr/bin/app env=A=1 argc=2 ./app input
//               program ranks=1 dir=/tmp path=/usr/bin/other argc=1 other
//
// Words, because they leave nothing behind, need no quoting (argc says how many words follow,
// whatever they contain), and tell in `ps` what runs. A file, a pipe and an environment variable
// were rejected: the first may stay behind, the second takes a descriptor of the ranks, the third
// is seen by them. Settings, which the library reads when it is loaded, are variables all the same.
//
// Not an interface: mpiexec and heddle-host are of one release. heddle-host trusts what it gets.
//
// Thread safety: one thread, before the job starts; the job that it gives is constant.

#pragma once

#include <heddle/host.h>

#include <vector>

namespace heddle::launch {

// The job of a command line, with the storage that its pointers lead to.
class WordsJob {
 public:
  // `words` (null-terminated, without the program's name) must outlive the job.
  // Returns false if they are not as above; then a user has typed them.
  bool read(char** words);

  const heddle_job& job();

  // The allocator with which the host has started itself again (preload.h), or null. mpiexec never
  // gives it.
  const char* allocator() const noexcept { return allocator_; }

 private:
  struct Program {
    heddle_program face{};
    std::vector<char*> arguments;
    std::vector<char*> environment;
  };

  // Reads one word before the first `program`, or one of a program.
  bool read_setting(char* word);
  bool read_places(const char* text);
  bool read_program_word(char* word, char*** next);

  const char* allocator_ = nullptr;
  int workers_ = 0;
  int hosts_ = 0;
  std::vector<int> host_of_rank_;
  heddle_binding binding_ = HEDDLE_BIND_CORE;
  bool labels_ = false;
  std::vector<const char*> shared_libraries_;
  std::vector<Program> programs_;

  // Made by job(): what its pointers lead to.
  std::vector<heddle_program> faces_;
  heddle_job job_{};
};

}  // namespace heddle::launch
