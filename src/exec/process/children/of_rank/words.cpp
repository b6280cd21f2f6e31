// wordexp of a rank. It runs libc's wordexp in a child of fork, which sees the rank's variables, and whose commands
// have the rank's standard error. The result comes back through a pipe. A variable that ${NAME:=word} sets is lost
// with the child.
//
//   result (int) │ word \0 word \0 …        an empty pipe: the child had no memory

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "exec/process/children/of_rank/spawn.h"
#include "exec/process/sleep/of_rank/pauses.h"
#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::libc_of_rank;

namespace {

bool write_all(int pipe, const char* bytes, size_t size) noexcept {
  while (size > 0) {
    const ssize_t written = write(pipe, bytes, size);
    if (written < 0 && errno != EINTR) return false;
    if (written < 0) continue;
    bytes += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

// In the child.
[[noreturn]] void expand_into(int pipe, const char* text, int flags) noexcept {
  static auto* const libc = next<int(const char*, wordexp_t*, int)>("wordexp");
  wordexp_t found = {};
  const int result = libc(text, &found, flags & (WRDE_NOCMD | WRDE_SHOWERR | WRDE_UNDEF));
  write_all(pipe, reinterpret_cast<const char*>(&result), sizeof result);
  for (size_t i = 0; result == 0 && i < found.we_wordc; ++i) {
    write_all(pipe, found.we_wordv[i], strlen(found.we_wordv[i]) + 1);
  }
  _exit(0);
}

struct Answer {
  char* bytes = nullptr;
  size_t size = 0;
};

// All that comes through the pipe, which is nonblocking.
Answer read_all(int pipe) {
  Answer answer;
  Pauses pauses;
  for (;;) {
    constexpr size_t kPiece = 4096;
    auto* const grown = static_cast<char*>(realloc(answer.bytes, answer.size + kPiece));
    if (grown == nullptr) break;
    answer.bytes = grown;
    const ssize_t got = read(pipe, grown + answer.size, kPiece);
    if (got > 0) answer.size += static_cast<size_t>(got);
    if (got > 0 || (got < 0 && errno == EINTR)) continue;
    if (got == 0) return answer;
    if (errno != EAGAIN) break;
    if (pauses.pause() == Paused::kNot) fcntl(pipe, F_SETFL, 0);  // a kernel thread may block
  }
  free(answer.bytes);
  return {};
}

// Adds the words to *out as the flags want it.
int adopt(const Answer& answer, wordexp_t* out, int flags) noexcept {
  const char* const end = answer.bytes + answer.size;
  const char* const begin = answer.bytes + sizeof(int);
  size_t count = 0;
  for (const char* word = begin; word < end; word += strlen(word) + 1) ++count;
  const bool appends = (flags & WRDE_APPEND) != 0;
  const size_t offset = (flags & WRDE_DOOFFS) != 0 ? out->we_offs : 0;
  const size_t before = appends ? out->we_wordc : 0;
  auto** const all = static_cast<char**>(
      realloc(appends ? out->we_wordv : nullptr, (offset + before + count + 1) * sizeof(char*)));
  if (all == nullptr) return WRDE_NOSPACE;
  if (!appends) memset(all, 0, offset * sizeof *all);
  out->we_wordv = all;
  out->we_offs = offset;
  out->we_wordc = before;
  all[offset + before] = nullptr;
  for (const char* word = begin; word < end; word += strlen(word) + 1) {
    char* const copy = strdup(word);
    if (copy == nullptr) return WRDE_NOSPACE;
    all[offset + out->we_wordc++] = copy;
    all[offset + out->we_wordc] = nullptr;
  }
  return 0;
}

}  // namespace

HEDDLE_EXPORT int wordexp(const char* text, wordexp_t* out, int flags) {
  static auto* const libc = next<int(const char*, wordexp_t*, int)>("wordexp");
  if (rank_hooks() == nullptr) return libc(text, out, flags);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return WRDE_NOSPACE;
  const pid_t child = fork();
  if (child == 0) expand_into(ends[1], text, flags);
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const Answer answer = child > 0 ? read_all(ends[0]) : Answer{};
  close(ends[0]);
  if (child > 0) await_child(child);
  int result = WRDE_NOSPACE;
  if (answer.size >= sizeof result) memcpy(&result, answer.bytes, sizeof result);
  if (result == 0) {
    if ((flags & WRDE_REUSE) != 0) wordfree(out);
    result = adopt(answer, out, flags);
  }
  free(answer.bytes);
  return result;
}
