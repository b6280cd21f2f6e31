#include "launch/host/job_words.h"

#include <cstdlib>
#include <cstring>

namespace heddle::launch {

namespace {

// The text after `name=` in the word; null if the word is another one.
char* value_of(char* word, const char* name) {
  const std::size_t length = std::strlen(name);
  const bool same = std::strncmp(word, name, length) == 0 && word[length] == '=';
  return same ? word + length + 1 : nullptr;
}

}  // namespace

bool WordsJob::read(char** words) {
  while (*words != nullptr) {
    char* word = *words++;
    if (std::strcmp(word, "program") == 0) {
      programs_.emplace_back();
    } else if (programs_.empty() ? !read_setting(word) : !read_program_word(word, &words)) {
      return false;
    }
  }
  return !programs_.empty();
}

bool WordsJob::read_setting(char* word) {
  if (const char* workers = value_of(word, "workers")) {
    workers_ = std::atoi(workers);
  } else if (const char* hosts = value_of(word, "hosts")) {
    hosts_ = std::atoi(hosts);
  } else if (const char* places = value_of(word, "places")) {
    return read_places(places);
  } else if (const char* bind = value_of(word, "bind")) {
    binding_ = std::strcmp(bind, "none") == 0 ? HEDDLE_BIND_NONE : HEDDLE_BIND_CORE;
  } else if (const char* map = value_of(word, "map")) {
    job_.map_by = map;
  } else if (const char* fill = value_of(word, "fill")) {
    job_.rank_by_fill = std::atoi(fill);
  } else if (const char* report = value_of(word, "report")) {
    job_.report_bindings = std::atoi(report);
  } else if (const char* deadlock = value_of(word, "deadlock")) {
    job_.no_deadlock_check = std::strcmp(deadlock, "0") == 0;
  } else if (const char* timeout = value_of(word, "timeout")) {
    job_.timeout = std::atoi(timeout);
  } else if (const char* balance = value_of(word, "balance")) {
    job_.balance = std::atoi(balance);
  } else if (const char* labels = value_of(word, "labels")) {
    labels_ = std::atoi(labels) != 0;
  } else if (const char* library = value_of(word, "share")) {
    shared_libraries_.push_back(library);
  } else if (const char* allocator = value_of(word, "allocator")) {
    allocator_ = allocator;
  } else {
    return false;
  }
  return true;
}

bool WordsJob::read_places(const char* text) {
  while (*text != '\0') {
    char* rest = nullptr;
    const long host = std::strtol(text, &rest, 10);
    const long times = *rest == 'x' ? std::strtol(rest + 1, &rest, 10) : 0;
    if (times < 1) return false;
    host_of_rank_.insert(host_of_rank_.end(), static_cast<std::size_t>(times),
                         static_cast<int>(host));
    text = *rest == ',' ? rest + 1 : rest;
  }
  return true;
}

bool WordsJob::read_program_word(char* word, char*** next) {
  Program& program = programs_.back();
  if (const char* ranks = value_of(word, "ranks")) {
    program.face.ranks = std::atoi(ranks);
  } else if (const char* path = value_of(word, "path")) {
    program.face.path = path;
  } else if (const char* directory = value_of(word, "dir")) {
    program.face.working_directory = directory;
  } else if (char* setting = value_of(word, "env")) {
    program.environment.push_back(setting);
  } else if (const char* count = value_of(word, "argc")) {
    program.face.argc = std::atoi(count);
    for (int i = 0; i < program.face.argc; ++i, ++*next) {
      if (**next == nullptr) return false;
      program.arguments.push_back(**next);
    }
  } else {
    return false;
  }
  return true;
}

const heddle_job& WordsJob::job() {
  shared_libraries_.push_back(nullptr);
  for (Program& program : programs_) {
    program.arguments.push_back(nullptr);
    program.environment.push_back(nullptr);
    program.face.argv = program.arguments.data();
    program.face.environment = program.environment.data();
    faces_.push_back(program.face);
  }
  job_.program_count = static_cast<int>(faces_.size());
  job_.programs = faces_.data();
  job_.workers = workers_;
  job_.hosts = hosts_;
  job_.host_of_rank = host_of_rank_.empty() ? nullptr : host_of_rank_.data();
  job_.binding = binding_;
  job_.label_lines = labels_ ? 1 : 0;
  job_.shared_libraries = shared_libraries_.data();
  return job_;
}

}  // namespace heddle::launch
