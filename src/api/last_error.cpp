#include "api/last_error.h"

#include <algorithm>
#include <cstring>

namespace heddle::api {

namespace {
// It is in every strand's TLS block, so it is kept small; longer sentences are cut.
struct LastError {
  int code = 0;
  unsigned length = 0;
  char sentence[248] = {};
};
thread_local constinit LastError last;
}  // namespace

void remember_error(int code, std::string_view sentence) noexcept {
  last.code = code;
  last.length = static_cast<unsigned>(std::min(sentence.size(), sizeof last.sentence));
  std::memcpy(last.sentence, sentence.data(), last.length);
}

std::string_view last_sentence(int code) noexcept {
  if (code != last.code) return {};
  return {last.sentence, last.length};
}

}  // namespace heddle::api
