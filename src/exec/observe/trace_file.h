// trace_file.h — the events of a trace as the viewers of Perfetto and Chrome read them: the JSON of
// "Trace Event Format".
//
//   {"traceEvents":[            kTraceOpening, trace_frame.h
//   {…},                        of process 0: write_events
//   {…},                        of process 1 …
//   {…}]}                       kTraceClosing
//
//   what                         in the file
//   ---------------------------  ------------------------------------------------------------------
//   which rank runs on a worker  "X" (a span) in the process "workers of process P", thread W
//   a call, a wait within it     "X" in the process "ranks", a thread for each thread of each rank;
//                                one for those after 4094
//   what a call was asked for    its "args": dest, source, root, tag, bytes, communicator, as far
//                                as it has them
//   a message                    "s" in the sender's call, "f" in the receiver's, with the same id
//   a move of a rank             "i" on its track
//   events that were dropped     "M" heddle_dropped
//
// The n-th message with an envelope that is sent is the n-th that is received, so both ends of an
// arrow get their id without the other one, be it in another process. The head of an arrow lies in
// the call that the receiver is in, or the next one.
//
// Thread safety: one thread; others may record meanwhile (Trace::end).

#pragma once

#include <cstdint>
#include <cstdio>

namespace heddle::observe {

class Trace;

// `offset_ns` is added to CLOCK_MONOTONIC.
void write_events(std::FILE* file, const Trace& trace, int process, std::int64_t offset_ns);

}  // namespace heddle::observe
