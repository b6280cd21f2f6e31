// Functions that keep their place or their result in a static variable, each over libc's reentrant
// twin. (strerror, strsignal and inet_ntoa are per thread in glibc, so they are private already.)

#include <errno.h>
#include <grp.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/libc/of_rank/hosted.h"

namespace {

constinit char* strtok_place = nullptr;

// Buffers that only few programs need; made on first use, freed with the process.
template <class Record>
struct Lookup {
  Record record;
  char* buffer;
  size_t size;
};

// Calls `find(record, buffer, size, &result)` with a buffer that grows until the answer fits.
template <class Record, class Find>
Record* look_up(Lookup<Record>& kept, Find find) noexcept {
  for (;;) {
    Record* result = nullptr;
    if (kept.buffer != nullptr) {
      const int error = find(&kept.record, kept.buffer, kept.size, &result);
      if (error != ERANGE) {
        if (error != 0) errno = error;
        return result;
      }
    }
    const size_t size = kept.size == 0 ? 1024 : 2 * kept.size;
    char* grown = static_cast<char*>(realloc(kept.buffer, size));
    if (grown == nullptr) return nullptr;
    kept.buffer = grown;
    kept.size = size;
  }
}

constinit Lookup<passwd> user = {};
constinit Lookup<group> user_group = {};
constinit Lookup<hostent> host = {};
constinit Lookup<servent> service = {};
constinit Lookup<protoent> protocol = {};
constinit hsearch_data table = {};

}  // namespace

void heddle::libc_of_rank::forget_lookups() noexcept {
  free(user.buffer);
  free(user_group.buffer);
  free(host.buffer);
  free(service.buffer);
  free(protocol.buffer);
  hdestroy_r(&table);
}

HEDDLE_EXPORT char* strtok(char* string, const char* delimiters) noexcept {
  return strtok_r(string, delimiters, &strtok_place);
}

HEDDLE_EXPORT passwd* getpwnam(const char* name) {
  return look_up(user, [=](passwd* record, char* buffer, size_t size, passwd** result) {
    return getpwnam_r(name, record, buffer, size, result);
  });
}

HEDDLE_EXPORT passwd* getpwuid(uid_t id) {
  return look_up(user, [=](passwd* record, char* buffer, size_t size, passwd** result) {
    return getpwuid_r(id, record, buffer, size, result);
  });
}

HEDDLE_EXPORT group* getgrnam(const char* name) {
  return look_up(user_group, [=](group* record, char* buffer, size_t size, group** result) {
    return getgrnam_r(name, record, buffer, size, result);
  });
}

HEDDLE_EXPORT group* getgrgid(gid_t id) {
  return look_up(user_group, [=](group* record, char* buffer, size_t size, group** result) {
    return getgrgid_r(id, record, buffer, size, result);
  });
}

HEDDLE_EXPORT hostent* gethostbyname(const char* name) {
  return look_up(host, [=](hostent* record, char* buffer, size_t size, hostent** result) {
    return gethostbyname_r(name, record, buffer, size, result, &h_errno);
  });
}

HEDDLE_EXPORT servent* getservbyname(const char* name, const char* of) {
  return look_up(service, [=](servent* record, char* buffer, size_t size, servent** result) {
    return getservbyname_r(name, of, record, buffer, size, result);
  });
}

HEDDLE_EXPORT servent* getservbyport(int port, const char* of) {
  return look_up(service, [=](servent* record, char* buffer, size_t size, servent** result) {
    return getservbyport_r(port, of, record, buffer, size, result);
  });
}

HEDDLE_EXPORT protoent* getprotobyname(const char* name) {
  return look_up(protocol, [=](protoent* record, char* buffer, size_t size, protoent** result) {
    return getprotobyname_r(name, record, buffer, size, result);
  });
}

HEDDLE_EXPORT protoent* getprotobynumber(int number) {
  return look_up(protocol, [=](protoent* record, char* buffer, size_t size, protoent** result) {
    return getprotobynumber_r(number, record, buffer, size, result);
  });
}

HEDDLE_EXPORT char* ether_ntoa(const ether_addr* address) noexcept {
  static char text[18];  // xx:xx:xx:xx:xx:xx
  return ether_ntoa_r(address, text);
}

HEDDLE_EXPORT ether_addr* ether_aton(const char* text) noexcept {
  static ether_addr address;
  return ether_aton_r(text, &address);
}

HEDDLE_EXPORT mntent* getmntent(FILE* file) noexcept {
  static mntent record;
  static char text[4096];  // as much as libc has
  return getmntent_r(file, &record, text, sizeof text);
}

HEDDLE_EXPORT char* ttyname(int descriptor) noexcept {
  static char name[64];
  const int error = ttyname_r(descriptor, name, sizeof name);
  if (error != 0) errno = error;
  return error == 0 ? name : nullptr;
}

HEDDLE_EXPORT char* getlogin() {
  static char name[64];
  const int error = getlogin_r(name, sizeof name);
  if (error != 0) errno = error;
  return error == 0 ? name : nullptr;
}

HEDDLE_EXPORT char* tmpnam(char* name) noexcept {
  static char own[L_tmpnam];
  static auto* const libc = heddle::libc_of_rank::next<char*(char*)>("tmpnam");
  char made[L_tmpnam];
  if (libc(made) == nullptr) return nullptr;
  return strcpy(name != nullptr ? name : own, made);
}

HEDDLE_EXPORT char* ecvt(double value, int digits, int* point, int* sign) noexcept {
  static char text[32];
  return ecvt_r(value, digits, point, sign, text, sizeof text) == 0 ? text : nullptr;
}

HEDDLE_EXPORT char* fcvt(double value, int digits, int* point, int* sign) noexcept {
  static char text[400];  // the longest double has 309 digits before its point
  return fcvt_r(value, digits, point, sign, text, sizeof text) == 0 ? text : nullptr;
}

HEDDLE_EXPORT char* qecvt(long double value, int digits, int* point, int* sign) noexcept {
  static char text[32];
  return qecvt_r(value, digits, point, sign, text, sizeof text) == 0 ? text : nullptr;
}

HEDDLE_EXPORT char* qfcvt(long double value, int digits, int* point, int* sign) noexcept {
  static char text[5000];  // the longest long double has 4933 digits before its point
  return qfcvt_r(value, digits, point, sign, text, sizeof text) == 0 ? text : nullptr;
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

HEDDLE_EXPORT int hcreate(size_t size) noexcept {
  return hcreate_r(size, &table);
}
HEDDLE_EXPORT void hdestroy() noexcept {
  hdestroy_r(&table);
}
HEDDLE_EXPORT ENTRY* hsearch(ENTRY entry, ACTION action) noexcept {
  ENTRY* result = nullptr;
  hsearch_r(entry, action, &result, &table);
  return result;
}
