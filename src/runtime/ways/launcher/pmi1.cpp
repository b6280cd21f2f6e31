#include "runtime/ways/launcher/pmi1.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "runtime/ways/launcher/node_map.h"

namespace heddle::launcher {

namespace {

// Longer than any line of a launcher that works.
constexpr std::size_t kLongestLine = 64 << 10;

bool read_number(const char* text, int* number) noexcept {
  if (text == nullptr) return false;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, *number);
  return error == std::errc() && rest == end && rest != text;
}

std::string card_key(int process, const std::string& key) {
  return "heddle-" + std::to_string(process) + "-" + key;
}

// The name that hydra or Slurm gives it, else the one that it gives itself.
std::string name_of_own_node() {
  for (const char* const variable : {"PMI_HOSTNAME", "SLURMD_NODENAME"}) {
    const char* const told = std::getenv(variable);
    if (told != nullptr) return told;
  }
  utsname machine = {};
  return uname(&machine) == 0 ? machine.nodename : "";
}

// Slurm 22.05 gives each process a node of its own in its map of such a job.
bool is_map_wrong() noexcept {
  const char* const distribution = std::getenv("SLURM_DISTRIBUTION");
  return distribution != nullptr && std::strcmp(distribution, "arbitrary") == 0;
}

Error failed(const char* what, std::string_view reply) {
  return Error::make(kErrorOther, "the launcher, by PMI-1, %s: '%.*s'", what,
                     static_cast<int>(reply.size()), reply.data());
}

}  // namespace

std::string_view word_of(std::string_view line, std::string_view key) noexcept {
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size() < line.size() ? word.size() + 1 : word.size());
    if (word.size() > key.size() && word[key.size()] == '=' && word.starts_with(key)) {
      return word.substr(key.size() + 1);
    }
  }
  return {};
}

Error Pmi1::from_environment(std::unique_ptr<Launcher>* opened) {
  int descriptor = -1, process = 0, processes = 0;
  const bool sane = read_number(std::getenv("PMI_FD"), &descriptor) &&
                    read_number(std::getenv("PMI_RANK"), &process) &&
                    read_number(std::getenv("PMI_SIZE"), &processes) && descriptor >= 0 &&
                    process >= 0 && process < processes;
  if (!sane || fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
    return Error::make(kErrorOther,
                       "PMI_FD, PMI_RANK and PMI_SIZE are nothing that a launcher sets; unset them "
                       "for a job of one rank");
  }
  for (const char* name : {"PMI_FD", "PMI_RANK", "PMI_SIZE"}) unsetenv(name);
  return open(descriptor, process, processes, name_of_own_node(), opened);
}

Error Pmi1::open(int descriptor, int process, int processes, std::string_view own_node,
                 std::unique_ptr<Launcher>* opened) {
  std::unique_ptr<Pmi1> made(new Pmi1(descriptor));
  made->process_ = process;
  if (Error e = made->begin(processes, own_node)) return e;
  *opened = std::move(made);
  return {};
}

Pmi1::~Pmi1() {
  close(descriptor_);
}

Error Pmi1::begin(int processes, std::string_view own_node) {
  std::string reply;
  if (Error e = ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", &reply))
    return e;
  if (word_of(reply, "rc") != "0") return failed("refuses this version", reply);
  if (Error e = ask("cmd=get_my_kvsname", "my_kvsname", &reply)) return e;
  store_ = word_of(reply, "kvsname");
  if (processes == 1) {  // hydra's map then is none
    nodes_ = {0};
    return {};
  }
  std::string map;
  if (Error e = look_up("PMI_process_mapping", &map)) map.clear();
  if (is_map_wrong()) map.clear();
  if (Error e = read_node_map(map, processes, &nodes_)) return e;
  return nodes_.empty() ? find_nodes(processes, own_node) : Error{};
}

Error Pmi1::put_text(const std::string& key, const std::string& text) {
  std::string reply;
  const std::string line =
      "cmd=put kvsname=" + store_ + " key=" + card_key(process_, key) + " value=" + text;
  if (Error e = ask(line, "put_result", &reply)) return e;
  return word_of(reply, "rc") == "0" ? Error{} : failed("takes no card", reply);
}

Error Pmi1::fence() {
  std::string reply;
  return ask("cmd=barrier_in", "barrier_out", &reply);
}

Error Pmi1::get_text(int process, const std::string& key, std::string* text) {
  return look_up(card_key(process, key), text);
}

Error Pmi1::look_up(const std::string& key, std::string* value) {
  std::string reply;
  if (Error e = ask("cmd=get kvsname=" + store_ + " key=" + key, "get_result", &reply)) return e;
  if (word_of(reply, "rc") != "0") return failed("has no such card", reply);
  *value = word_of(reply, "value");
  return {};
}

void Pmi1::leave() noexcept {
  std::string reply;
  ask("cmd=finalize", "finalize_ack", &reply).ignore();
}

void Pmi1::abort(int status) noexcept {
  send("cmd=abort exitcode=" + std::to_string(status)).ignore();
}

Error Pmi1::ask(const std::string& line, std::string_view answer, std::string* reply) {
  if (Error e = send(line)) return e;
  if (Error e = read_line(reply)) return e;
  if (word_of(*reply, "cmd") != answer) return failed("gives an answer of another kind", *reply);
  return {};
}

Error Pmi1::send(const std::string& line) const noexcept {
  const std::string whole = line + "\n";
  std::string_view rest = whole;
  while (!rest.empty()) {
    // No signal if the launcher has gone. It may have given a pipe.
    ssize_t sent = ::send(descriptor_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == ENOTSOCK) sent = write(descriptor_, rest.data(), rest.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) {
      return Error::make(kErrorOther, "the launcher cannot be told anything: %s",
                         std::strerror(errno));
    }
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Error Pmi1::read_line(std::string* line) {
  for (;;) {
    const std::size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      *line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return {};
    }
    if (unread_.size() > kLongestLine)
      return failed("says more than a line", unread_.substr(0, 80));
    char some[4096];
    const ssize_t came = read(descriptor_, some, sizeof some);
    if (came < 0 && errno == EINTR) continue;
    if (came <= 0) {
      return Error::make(kErrorOther, "the launcher does not answer any more (%s)",
                         came == 0 ? "it has closed the connection" : std::strerror(errno));
    }
    unread_.append(some, static_cast<std::size_t>(came));
  }
}

}  // namespace heddle::launcher
