#include "exec/observe/trace_file.h"

#include <algorithm>
#include <cinttypes>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "exec/observe/call_note.h"
#include "exec/observe/trace.h"

namespace heddle::observe {

namespace {

constexpr int kRanks = 1;            // the process of all ranks in the file
constexpr int kFirstWorkers = 1000;  // that of the workers of process 0
constexpr std::int64_t kThreads = kLastThread + 1;

std::int64_t track_of(const TraceEvent& event) noexcept {
  return event.rank * kThreads + event.thread;
}

bool is_collective(std::string_view name) noexcept {
  constexpr std::string_view kWords[] = {"llgather", "llreduce", "lltoall", "arrier",
                                         "bcast",    "Bcast",    "ather",   "educe",
                                         "catter",   "scan",     "Scan",    "eighbor_"};
  if (name.ends_with("_init") || name.find("_local") != name.npos) return false;
  return std::ranges::any_of(kWords,
                             [&](std::string_view word) { return name.find(word) != name.npos; });
}

class Writer {
 public:
  Writer(std::FILE* file, const Trace& trace, int process, std::int64_t offset_ns)
      : file_(file), trace_(trace), process_(process), offset_ns_(offset_ns) {}

  void write() {
    for (const auto& log : trace_.logs()) {
      for (const TraceEvent& event : log->events()) sort_in(event, worker_);
      ++worker_;
    }
    write_names();
    write_calls();
    write_moves();
    write_messages();
    std::fprintf(file_,
                 R"({"ph":"M","pid":%d,"name":"heddle_dropped","args":{"events":%)" PRIu64 "}},\n",
                 workers(), trace_.dropped());
  }

 private:
  struct Run {
    const TraceEvent* event;
    int worker;
  };

  int workers() const noexcept { return kFirstWorkers + process_; }

  void sort_in(const TraceEvent& event, int worker) {
    switch (event.kind) {
      case EventKind::kRun:
        runs_.push_back({&event, worker});
        return span(event, workers(), worker, name_of(event), "run");
      case EventKind::kCall:
        calls_[track_of(event)].push_back(&event);
        return;
      case EventKind::kWait:
        return span(event, kRanks, track_of(event), "waits", "wait");
      case EventKind::kSent:
      case EventKind::kReceived:
        messages_.push_back(&event);
    }
  }

  static std::string name_of(const TraceEvent& event) {
    std::string rank = "rank " + std::to_string(event.rank);
    if (event.thread == 0) return rank;
    const char* const more = event.thread == kLastThread ? " and later ones" : "";
    return rank + " thread " + std::to_string(event.thread) + more;
  }

  // The beginning of an event, up to its time; an object that the caller closes.
  void head(const char* phase, int pid, std::int64_t tid, const std::string& name,
            const char* category, std::int64_t at_ns) {
    const std::int64_t ns = at_ns + offset_ns_;
    std::fprintf(file_,
                 R"({"ph":"%s","pid":%d,"tid":%)" PRId64 R"(,"name":"%s","cat":"%s","ts":%)" PRId64
                 ".%03d",
                 phase, pid, tid, name.c_str(), category, ns / 1000, static_cast<int>(ns % 1000));
  }

  void span(const TraceEvent& event, int pid, std::int64_t tid, const std::string& name,
            const char* category) {
    head("X", pid, tid, name, category, event.begin_ns);
    const std::int64_t ns = event.end_ns - event.begin_ns;
    std::fprintf(file_, R"(,"dur":%)" PRId64 ".%03d", ns / 1000, static_cast<int>(ns % 1000));
    if (event.parts != 0) arguments(event);
    std::fputs("},\n", file_);
  }

  void arguments(const TraceEvent& event) {
    const struct {
      CallNote::Part part;
      const char* name;
      std::int64_t value;
    } all[] = {{CallNote::kDest, "dest", event.receiver},
               {CallNote::kTarget, "target", event.receiver},
               {CallNote::kSource, "source", event.source},
               {CallNote::kRoot, "root", event.source},
               {CallNote::kTag, "tag", event.tag},
               {CallNote::kBytes, "bytes", event.bytes},
               {CallNote::kComm, "communicator", static_cast<std::int64_t>(event.communicator)},
               {CallNote::kWindow, "window", static_cast<std::int64_t>(event.communicator)}};
    const char* before = R"(,"args":{)";
    for (const auto& each : all) {
      if ((event.parts & each.part) == 0) continue;
      std::fprintf(file_, R"(%s"%s":%)" PRId64, before, each.name, each.value);
      before = ",";
    }
    std::fputs("}", file_);
  }

  void name(const char* kind, int pid, std::int64_t tid, const std::string& what) {
    std::fprintf(file_,
                 R"({"ph":"M","pid":%d,"tid":%)" PRId64 R"(,"name":"%s","args":{"name":"%s"}},)"
                 "\n",
                 pid, tid, kind, what.c_str());
  }

  void write_names() {
    name("process_name", kRanks, 0, "ranks");
    for (const auto& [track, calls] : calls_) {
      name("thread_name", kRanks, track, name_of(*calls.front()));
    }
    if (worker_ <= 1) return;  // a rank that is a process
    name("process_name", workers(), 0, "workers of process " + std::to_string(process_));
    for (int i = 0; i + 1 < worker_; ++i) {
      name("thread_name", workers(), i, "worker " + std::to_string(i));
    }
  }

  void write_calls() {
    for (auto& [track, calls] : calls_) {
      // A rank that moves has calls in several logs.
      std::ranges::stable_sort(calls, {}, &TraceEvent::begin_ns);
      for (const TraceEvent* call : calls) {
        span(*call, kRanks, track, call->name, is_collective(call->name) ? "collective" : "MPI");
      }
    }
  }

  void write_moves() {
    std::ranges::stable_sort(runs_, {}, [](const Run& run) { return run.event->begin_ns; });
    std::map<std::int64_t, int> last;  // by track: the worker
    for (const Run& run : runs_) {
      const auto [before, is_first] = last.try_emplace(track_of(*run.event), run.worker);
      if (is_first || before->second == run.worker) continue;
      head("i", kRanks, track_of(*run.event),
           "moves from worker " + std::to_string(before->second) + " to " +
               std::to_string(run.worker),
           "move", run.event->begin_ns);
      std::fputs(R"(,"s":"t"},)"
                 "\n",
                 file_);
      before->second = run.worker;
    }
  }

  // The call of the rank at this time, or its next one; null: there is none.
  const TraceEvent* call_at(int rank, std::int64_t at_ns) const {
    const TraceEvent* best = nullptr;
    for (auto of = calls_.lower_bound(rank * kThreads);
         of != calls_.end() && of->first < (rank + 1) * kThreads; ++of) {
      const auto found = std::ranges::lower_bound(of->second, at_ns, {}, &TraceEvent::end_ns);
      if (found == of->second.end()) continue;
      if (best == nullptr || (*found)->begin_ns < best->begin_ns) best = *found;
    }
    return best;
  }

  void write_messages() {
    std::ranges::stable_sort(messages_, {}, &TraceEvent::begin_ns);
    // How many with this envelope were sent and received.
    std::map<std::tuple<std::int32_t, std::uint64_t, std::int32_t, std::int32_t, bool>,
             std::uint64_t>
        counts;
    for (const TraceEvent* message : messages_) {
      const bool sent = message->kind == EventKind::kSent;
      const std::uint64_t number =
          ++counts[{message->receiver, message->context, message->source, message->tag, sent}];
      const TraceEvent* const call = sent ? nullptr : call_at(message->rank, message->begin_ns);
      if (!sent && call == nullptr) continue;  // received by no call: the rank has ended
      const std::int64_t at =
          sent ? message->begin_ns : std::max(message->begin_ns, call->begin_ns);
      head(sent ? "s" : "f", kRanks, track_of(sent ? *message : *call), "message", "message", at);
      std::fprintf(file_,
                   R"(,"id":%)" PRIu64 R"(%s,"args":{"bytes":%)" PRId64
                   R"(,"source":%d,"receiver":%d,"tag":%d,"communicator":%)" PRIu64 "}},\n",
                   id_of(*message, number), sent ? "" : R"(,"bp":"e")", message->bytes,
                   message->source, message->receiver, message->tag, message->context >> 2);
    }
  }

  // The id by which the file joins the two ends of a message. Both ends compute the same one, and
  // most likely no other message has it. A viewer keeps 53 bits.
  static std::uint64_t id_of(const TraceEvent& message, std::uint64_t number) noexcept {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : {static_cast<std::uint64_t>(message.receiver), message.context,
                                     static_cast<std::uint64_t>(message.source),
                                     static_cast<std::uint64_t>(message.tag), number}) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash >> 11;
  }

  std::FILE* const file_;
  const Trace& trace_;
  const int process_;
  const std::int64_t offset_ns_;
  int worker_ = 0;  // whose log is read
  std::vector<Run> runs_;
  std::map<std::int64_t, std::vector<const TraceEvent*>> calls_;  // by track
  std::vector<const TraceEvent*> messages_;
};

}  // namespace

void write_events(std::FILE* file, const Trace& trace, int process, std::int64_t offset_ns) {
  Writer(file, trace, process, offset_ns).write();
}

}  // namespace heddle::observe
