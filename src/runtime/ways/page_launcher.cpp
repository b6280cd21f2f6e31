#include "runtime/ways/page_launcher.h"

#include <time.h>

#include <cstring>

#include "runtime/job_board/abort.h"

namespace heddle::runtime {

PageLauncher::PageLauncher(JobPage& page, int process) : page_(page) {
  process_ = process;
  nodes_.assign(static_cast<std::size_t>(page.processes), 0);
}

Error PageLauncher::fence() {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 100'000};
  const std::uint32_t own =
      page_.post(process_).fences.fetch_add(1, std::memory_order_release) + 1;  // [R1]
  for (int other = 0; other < processes();) {
    // seq_cst: read before the fences, since a rank may end when all have come to this one.
    const int ended = page_.ended_outside.load(std::memory_order_seq_cst);
    if (page_.post(other).fences.load(std::memory_order_acquire) >= own) {  // [A1] with [R1]
      ++other;
      continue;
    }
    if (ended != JobPage::kNone) abort_without("another rank", ended, kUninitialized);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &kPause, nullptr);
  }
  return {};
}

Error PageLauncher::put_text(const std::string& key, const std::string& text) {
  Post& post = page_.post(process_);
  const std::string line = key + "=" + text + "\n";
  const std::uint32_t used = post.bytes.load(std::memory_order_relaxed);
  if (line.size() > sizeof post.text - used) {
    return Error::make(kErrorOther, "the addresses of a process are too long");
  }
  std::memcpy(post.text + used, line.data(), line.size());
  // relaxed: others read it after a fence [R1].
  post.bytes.store(used + static_cast<std::uint32_t>(line.size()), std::memory_order_relaxed);
  return {};
}

Error PageLauncher::get_text(int process, const std::string& key, std::string* text) {
  const Post& post = page_.post(process);
  const std::string_view all(post.text, post.bytes.load(std::memory_order_relaxed));
  const std::string begin = key + "=";
  for (std::size_t at = 0; at < all.size(); at = all.find('\n', at) + 1) {
    const std::string_view line = all.substr(at, all.find('\n', at) - at);
    if (line.substr(0, begin.size()) != begin) continue;
    text->assign(line.substr(begin.size()));
    return {};
  }
  return Error::make(kErrorOther, "process %d has put no card '%s'", process, key.c_str());
}

}  // namespace heddle::runtime
