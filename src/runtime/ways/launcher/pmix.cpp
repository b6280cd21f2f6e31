#include "runtime/ways/launcher/pmix.h"

#include <dlfcn.h>
#include <pmix.h>
#include <signal.h>

#include <cstdlib>
#include <cstring>

#include "base/standing.h"

namespace heddle::launcher {

struct Pmix::Library {
  decltype(&PMIx_Init) init = nullptr;
  decltype(&PMIx_Finalize) finalize = nullptr;
  decltype(&PMIx_Abort) abort = nullptr;
  decltype(&PMIx_Put) put = nullptr;
  decltype(&PMIx_Commit) commit = nullptr;
  decltype(&PMIx_Fence) fence = nullptr;
  decltype(&PMIx_Get) get = nullptr;
  decltype(&PMIx_Error_string) text_of = nullptr;
  const char* missing = nullptr;

  Library() noexcept {
    void* const handle = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      missing = "it";
      return;
    }
    look_up(handle, "PMIx_Init", init);
    look_up(handle, "PMIx_Finalize", finalize);
    look_up(handle, "PMIx_Abort", abort);
    look_up(handle, "PMIx_Put", put);
    look_up(handle, "PMIx_Commit", commit);
    look_up(handle, "PMIx_Fence", fence);
    look_up(handle, "PMIx_Get", get);
    look_up(handle, "PMIx_Error_string", text_of);
  }

  template <class Function>
  void look_up(void* handle, const char* name, Function& function) noexcept {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function == nullptr) missing = name;
  }
};

namespace {

// A thread that libpmix starts meanwhile gets no signals of the program.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(AllSignalsBlocked&&) = delete;

 private:
  sigset_t before_;
};

std::string card_key(const std::string& key) {
  return "heddle-" + key;
}

}  // namespace

Error Pmix::failed(const char* what, pmix_status_t why) const {
  return Error::make(kErrorOther, "the launcher, by PMIx, %s: %s", what, library_.text_of(why));
}

Error Pmix::from_environment(std::unique_ptr<Launcher>* opened) {
  const Within<Standing::kSection> section;
  static const Library library;
  if (library.missing != nullptr) {
    return Error::make(
        kErrorOther,
        "the launcher speaks PMIx; for that libpmix.so.2 is needed, and %s is missing "
        "(Debian: apt-get install libpmix2)",
        library.missing);
  }
  std::unique_ptr<Pmix> made(new Pmix(library));
  pmix_status_t status = PMIX_SUCCESS;
  {
    const AllSignalsBlocked blocked;
    status = library.init(&made->self_, nullptr, 0);
  }
  if (status == PMIX_ERR_UNREACH) return {};
  if (status != PMIX_SUCCESS) return made->failed("does not take this process in", status);
  for (const char* name : {"PMIX_NAMESPACE", "PMIX_RANK"}) unsetenv(name);
  made->process_ = static_cast<int>(made->self_.rank);
  if (Error e = made->tell_node()) return e;
  *opened = std::move(made);
  return {};
}

Error Pmix::get_value(pmix_rank_t rank, const char* key, pmix_data_type_t type,
                      pmix_value_t* value) const {
  pmix_proc_t whose = self_;
  whose.rank = rank;
  pmix_value_t* got = nullptr;
  const pmix_status_t status = library_.get(&whose, key, nullptr, 0, &got);
  if (status != PMIX_SUCCESS) return failed(key, status);
  *value = *got;
  std::free(got);
  return value->type == type ? Error{} : failed(key, PMIX_ERR_TYPE_MISMATCH);
}

Error Pmix::get_string(pmix_rank_t rank, const char* key, std::string* text) const {
  pmix_value_t value = {};
  if (Error e = get_value(rank, key, PMIX_STRING, &value)) return e;
  *text = value.data.string != nullptr ? value.data.string : "";
  std::free(value.data.string);
  return {};
}

Error Pmix::tell_node() {
  pmix_value_t processes = {};
  if (Error e = get_value(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32, &processes)) return e;
  std::string peers;
  if (Error e = get_string(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS, &peers)) return e;
  return find_nodes(static_cast<int>(processes.data.uint32), peers.substr(0, peers.find(',')));
}

Error Pmix::put_text(const std::string& key, const std::string& text) {
  const Within<Standing::kSection> section;
  pmix_value_t value = {};
  value.type = PMIX_STRING;
  value.data.string = const_cast<char*>(text.c_str());
  const pmix_status_t status = library_.put(PMIX_GLOBAL, card_key(key).c_str(), &value);
  return status == PMIX_SUCCESS ? Error{} : failed("takes no card", status);
}

Error Pmix::fence() {
  const Within<Standing::kSection> section;
  pmix_status_t status = library_.commit();
  if (status != PMIX_SUCCESS) return failed("takes no cards", status);
  pmix_info_t collect = {};
  std::strncpy(collect.key, PMIX_COLLECT_DATA, sizeof collect.key - 1);
  collect.value.type = PMIX_BOOL;
  collect.value.data.flag = true;
  status = library_.fence(nullptr, 0, &collect, 1);
  return status == PMIX_SUCCESS ? Error{} : failed("has lost another process", status);
}

Error Pmix::get_text(int process, const std::string& key, std::string* text) {
  const Within<Standing::kSection> section;
  return get_string(static_cast<pmix_rank_t>(process), card_key(key).c_str(), text);
}

void Pmix::leave() noexcept {
  if (left_.exchange(true)) return;
  const Within<Standing::kSection> section;
  // Without the fence jobs over several nodes hung now and then in PMIx_Finalize.
  library_.fence(nullptr, 0, nullptr, 0);
  library_.finalize(nullptr, 0);
}

void Pmix::abort(int status) noexcept {
  if (left_) return;
  const Within<Standing::kSection> section;
  library_.abort(status, "", nullptr, 0);
}

}  // namespace heddle::launcher
