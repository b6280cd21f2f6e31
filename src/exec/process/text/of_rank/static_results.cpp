// Functions that keep their place or their result in a static variable, each over libc's reentrant
// twin; most are written from spec/libc.calls. (strerror, strsignal and inet_ntoa are per thread in
// glibc, so they are private already.)

#include <aliases.h>
#include <errno.h>
#include <grp.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <rpc/netdb.h>
#include <search.h>
#include <shadow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"

namespace {

constinit char* strtok_place = nullptr;

// One record and its buffer, which is made on first use.
template <class Record>
class Lookup {
 public:
  // Looks up by libc's function, with the record as an argument. Its buffer grows until the answer
  // fits.
  template <class Twin, class... Given>
  Record* find(Twin* twin, Given... given) noexcept {
    return find_by([=](Record* record, char* buffer, size_t size, Record** result) {
      return twin(given..., record, buffer, size, result);
    });
  }
  // find() for functions of libc that return an error number of their own.
  template <class Twin, class... Given>
  Record* find_in_net(Twin* twin, Given... given) noexcept {
    return find_by([=](Record* record, char* buffer, size_t size, Record** result) {
      return twin(given..., record, buffer, size, result, &h_errno);
    });
  }
  void forget() noexcept { free(buffer_); }

 private:
  template <class Find>
  Record* find_by(Find find) noexcept {
    for (;;) {
      Record* result = nullptr;
      if (buffer_ != nullptr) {
        const int error = find(&record_, buffer_, size_, &result);
        if (error != ERANGE) {
          if (error != 0) errno = error;
          return result;
        }
      }
      const size_t size = size_ == 0 ? 1024 : 2 * size_;
      char* grown = static_cast<char*>(realloc(buffer_, size));
      if (grown == nullptr) return nullptr;
      buffer_ = grown;
      size_ = size;
    }
  }

  Record record_{};
  char* buffer_ = nullptr;
  size_t size_ = 0;
};

constinit Lookup<passwd> user = {};
constinit Lookup<group> user_group = {};
constinit Lookup<hostent> host_entry = {};
constinit Lookup<netent> net = {};
constinit Lookup<rpcent> rpc = {};
constinit Lookup<aliasent> mail = {};
constinit Lookup<spwd> shadow = {};
constinit Lookup<passwd> user_of_file = {};
constinit Lookup<group> group_of_file = {};
constinit Lookup<spwd> shadow_of_file = {};
constinit Lookup<servent> service = {};
constinit Lookup<protoent> protocol = {};
constinit hsearch_data table = {};
constinit char ether_text[18] = {};  // xx:xx:xx:xx:xx:xx
constinit ether_addr ether_address = {};

template <auto twin, class... Given>
char* named(Given... given) noexcept {
  static char name[64];
  const int error = twin(given..., name, sizeof name);
  if (error != 0) errno = error;
  return error == 0 ? name : nullptr;
}

// The longest double has 309 digits before its point, the longest long double 4933.
template <auto twin, size_t size, class Value>
char* converted(Value value, int digits, int* point, int* sign) noexcept {
  static char text[size];
  return twin(value, digits, point, sign, text, size) == 0 ? text : nullptr;
}

}  // namespace

void heddle::process::of_rank::forget_lookups() noexcept {
  user.forget();
  user_group.forget();
  host_entry.forget();
  net.forget();
  rpc.forget();
  mail.forget();
  shadow.forget();
  user_of_file.forget();
  group_of_file.forget();
  shadow_of_file.forget();
  service.forget();
  protocol.forget();
  hdestroy_r(&table);
}

HEDDLE_EXPORT mntent* getmntent(FILE* file) noexcept {
  static mntent record;
  static char text[4096];  // as much as libc has
  return getmntent_r(file, &record, text, sizeof text);
}

HEDDLE_EXPORT char* tmpnam(char* name) noexcept {
  static char own[L_tmpnam];
  char made[L_tmpnam];
  if (heddle::process::of_rank::libc().tmpnam(made) == nullptr) return nullptr;
  return strcpy(name != nullptr ? name : own, made);
}

HEDDLE_EXPORT char* l64a(long value) noexcept {
  static const char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  static char text[7];
  unsigned long rest = static_cast<unsigned long>(value) & 0xffffffff;
  int length = 0;
  for (; rest != 0; rest >>= 6) text[length++] = digits[rest & 63];
  text[length] = '\0';
  return text;
}

HEDDLE_EXPORT ENTRY* hsearch(ENTRY entry, ACTION action) noexcept {
  ENTRY* result = nullptr;
  hsearch_r(entry, action, &result, &table);
  return result;
}

#include "static_results.inc"
