#include "exec/process/time/zone.h"

#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <map>

#include "base/fork.h"
#include "base/mutex.h"
#include "base/standing.h"

namespace heddle::process {

namespace {

constexpr char kName[] = "TZ=";
constexpr std::size_t kNameBytes = sizeof kName - 1;

// A value of TZ. A rank's `setting` points to one.
struct Setting {
  char* entry = nullptr;  // "TZ=…"; nullptr: not set, which means /etc/localtime
  bool is(const char* tz) const noexcept {
    if (entry == nullptr || tz == nullptr) return entry == nullptr && tz == nullptr;
    return std::strcmp(entry + kNameBytes, tz) == 0;
  }
};

struct Variables {
  char* names[2];
  long seconds_west;
  int has_summer_time;
};

Variables of_libc() noexcept {
  return {{::tzname[0], ::tzname[1]}, ::timezone, ::daylight};
}

void set_libc(const Variables& variables) noexcept {
  ::tzname[0] = variables.names[0];
  ::tzname[1] = variables.names[1];
  ::timezone = variables.seconds_west;
  ::daylight = variables.has_summer_time;
}

Variables of(const heddle_libc_zone& zone) noexcept {
  return {{zone.names[0], zone.names[1]}, *zone.seconds_west, *zone.has_summer_time};
}

void set(const heddle_libc_zone& zone, const Variables& variables) noexcept {
  zone.names[0] = variables.names[0];
  zone.names[1] = variables.names[1];
  *zone.seconds_west = variables.seconds_west;
  *zone.has_summer_time = variables.has_summer_time;
}

bool is_zone(const char* variable) noexcept {
  return std::strncmp(variable, kName, kNameBytes) == 0;
}

// The process's TZ.
class TzVariable {
 public:
  void put(char* entry) {
    char** at = look();
    if (environ != array_) at = make();
    // release: readers of the environment find the text.
    __atomic_store_n(at, entry, __ATOMIC_RELEASE);
    put_ = entry;
  }

  // The value as it would be without put(); nullptr: not set.
  const char* own() noexcept {
    look();
    return own_;
  }

 private:
  // The place of TZ in the environment, or the environment's end. A TZ that was not put there by us
  // is the host's own.
  char** look() noexcept {
    char** v = environ;
    while (v != nullptr && *v != nullptr && !is_zone(*v)) ++v;
    char* const found = v != nullptr ? *v : nullptr;
    if (found != put_) own_ = put_ = found;
    return v;
  }

  // Arrays stay for those that look at them. Two nulls end one, the first being the place for TZ.
  char** make() {
    std::vector<char*>& variables = arrays_.emplace_back();
    for (char** v = environ; v != nullptr && *v != nullptr; ++v) {
      if (!is_zone(*v)) variables.push_back(*v);
    }
    variables.push_back(put_);
    variables.push_back(nullptr);
    array_ = variables.data();
    __atomic_store_n(&environ, array_, __ATOMIC_RELEASE);
    return &variables[variables.size() - 2];
  }

  std::deque<std::vector<char*>> arrays_;
  char* own_ = nullptr;
  char* put_ = nullptr;     // what is there
  char** array_ = nullptr;  // the environment that make() has made last
};

struct ProcessZone {
  // Lock: guards libc's time zone and the process's TZ; held across a call of libc that depends on
  // the zone, and a fork; never a switch.
  Mutex mutex;
  TzVariable variable;
  std::map<std::string, Setting> settings;  // never shrinks
  Setting unset;
  const Setting* current = nullptr;  // nullptr: not known
  Variables fresh{};                 // as tzset has left them
  bool child_has_read = false;       // in a child of fork

  const Setting& find(const char* tz);
  void read(const Setting& wanted);
  void enter(heddle_libc_zone& zone, bool adopts, const char* tz);
};
// Never destroyed: ranks may end after static objects.
ProcessZone& process() noexcept {
  static ProcessZone& instance = *new ProcessZone;
  return instance;
}

const Setting& ProcessZone::find(const char* tz) {
  if (tz == nullptr) return unset;
  const auto [found, is_new] = settings.try_emplace(tz);
  if (is_new) found->second.entry = strdup((std::string(kName) + tz).c_str());
  return found->second;
}

void ProcessZone::read(const Setting& wanted) {
  variable.put(wanted.entry);
  ::tzset();
  fresh = of_libc();
  current = &wanted;
}

void ProcessZone::enter(heddle_libc_zone& zone, bool adopts, const char* tz) {
  if (is_child()) {
    if (adopts || !child_has_read) ::tzset();
    child_has_read = true;
    return;
  }
  const auto* const before = static_cast<const Setting*>(zone.setting);
  const bool keeps = before != nullptr && (!adopts || before->is(tz));
  const Setting& wanted = keeps ? *before : find(tz);
  if (current != &wanted) read(wanted);
  // libc's variables keep what its last date had. Here that has to be the last date of this rank.
  set_libc(keeps ? of(zone) : fresh);
  zone.setting = &wanted;
}

// These two take and release one lock.
void hold_zone() noexcept NO_THREAD_SAFETY_ANALYSIS {
  Standing::enter(Standing::kHook);
  Standing::enter(Standing::kSection);
  process().mutex.lock();
}
void release_zone() noexcept NO_THREAD_SAFETY_ANALYSIS {
  process().mutex.unlock();
  Standing::leave(Standing::kSection);
  Standing::leave(Standing::kHook);
}
[[maybe_unused]] const bool zone_at_forks =
    at_fork(ForkPart::kZone, {.hold = hold_zone, .release = release_zone});

}  // namespace

void in_zone(heddle_libc_zone* zone, int adopts, const char* tz, void (*work)(void*),
             void* argument) {
  const Within<Standing::kHook> hook;
  const int error = errno;
  const Within<Standing::kSection> section;
  const MutexGuard guard(process().mutex);
  process().enter(*zone, adopts != 0, tz);
  errno = error;
  work(argument);
  set(*zone, of_libc());
}

std::vector<std::string> process_variables() {
  const MutexGuard guard(process().mutex);
  std::vector<std::string> variables;
  for (char** v = environ; v != nullptr && *v != nullptr; ++v) {
    if (!is_zone(*v)) variables.emplace_back(*v);
  }
  if (const char* own = process().variable.own()) variables.emplace_back(own);
  return variables;
}

}  // namespace heddle::process
