#include "exec/process/threads/thread_entry.h"

namespace heddle::process {

void* enter_thread(void* argument) {
  const ThreadEntry entry = *static_cast<const ThreadEntry*>(argument);
  Rank::enter(entry.rank);
  Rank::current_thread = entry.number;
  pthread_setspecific(entry.end_key, entry.record);
  uselocale(entry.locale);
  if (entry.prepare != nullptr) entry.prepare();
  return entry.function(entry.argument);
}

}  // namespace heddle::process
