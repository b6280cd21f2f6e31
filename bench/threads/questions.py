"""The questions of the tables: one telling figure each."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Question:
    text: str
    bench: str
    quantity: str
    fixed: dict  # parameters; any value of the others
    use: str = ""  # of the first table: the program that this figure matters to


def pairs(mode, count, **more):
    shared = {"comms": "shared"} if mode == "threads" else {}
    return {"mode": mode, "pairs": count, **shared, **more}


def moved(mode, count, **more):
    return pairs(mode, count, **{"direction": "one", "buffers": "cached", **more})


def flood(mode, count, **more):
    return pairs(mode, count, **{"receivers": count, **more})


QUESTIONS = [
    Question("half round trip of 0 bytes, MPI_THREAD_SINGLE", "overhead", "half round trip",
             {"level": "single", "size": 0}, "one thread a rank, short messages"),
    Question("half round trip of 0 bytes, MPI_THREAD_MULTIPLE", "overhead", "half round trip",
             {"level": "multiple", "size": 0}, "one thread a rank, short messages, MPI_THREAD_MULTIPLE"),
    Question("bandwidth, 64 KiB, 4 pairs of ranks", "bandwidth", "bandwidth",
             moved("processes", 4, size=65536), "long messages between many ranks"),
    Question("bandwidth, 64 KiB, 4 pairs of threads", "bandwidth", "bandwidth",
             moved("threads", 4, size=65536), "long messages between many threads"),
    Question("half round trip of 8 bytes, 4 pairs of ranks", "latency", "half round trip",
             pairs("processes", 4, size=8), "short messages between many ranks"),
    Question("half round trip of 8 bytes, 4 pairs of threads", "latency", "half round trip",
             pairs("threads", 4, size=8), "short messages between many threads"),
    Question("half round trip of 8 bytes, 4 pairs of threads, a communicator each", "latency",
             "half round trip", pairs("threads", 4, size=8, comms="own"),
             "the same, a communicator for each thread"),
    Question("message rate, 1 pair of ranks", "message_rate", "message rate", flood("processes", 1)),
    Question("message rate, 1 pair of threads", "message_rate", "message rate", flood("threads", 1)),
    Question("message rate, 4 pairs of ranks", "message_rate", "message rate", flood("processes", 4),
             "floods of messages between many ranks"),
    Question("message rate, 4 pairs of threads", "message_rate", "message rate", flood("threads", 4),
             "floods of messages between many threads"),
    Question("message rate, 4 pairs of threads, a communicator each", "message_rate", "message rate",
             flood("threads", 4, comms="own"), "the same, a communicator for each thread"),
    Question("short message, no long ones", "short_long", "short message, mean", {"senders": "none"}),
    Question("short message beside long ones of other ranks", "short_long", "short message, mean",
             {"senders": "processes"}),
    Question("short message beside long ones of another thread", "short_long", "short message, mean",
             {"senders": "threads"}, "short messages beside another thread's long ones"),
    Question("step of communication and computation", "overlap", "both",
             {"helper": "none", "size": 262144}, "ranks that compute while they communicate"),
    Question("the same with a helper thread in MPI_Recv", "overlap", "both",
             {"helper": "thread", "size": 262144}, "the same with a helper thread in MPI_Recv"),
    Question("allreduce of 8 bytes, 4 communicators of 2 ranks", "collectives", "allreduce",
             {"mode": "processes", "pairs": 4, "members": 2, "size": 8}),
    Question("allreduce of 8 bytes, 4 communicators, each of a thread of 2 ranks", "collectives", "allreduce",
             {"mode": "threads", "pairs": 4, "members": 2, "size": 8}, "collectives in many threads at once"),
    Question("collectives beside a computing thread, of those alone", "collective_compute", "collectives kept",
             {"form": "flag", "threads": 1}, "a thread in collectives beside computing threads"),
    Question("computation beside collectives, of that alone", "collective_compute", "computation kept",
             {"form": "flag", "threads": 1}),
    Question("Neighbor Message Rate, 4 threads, predefined objects", "neighbor_rate", "message rate",
             {"mode": "threads", "objects": "predefined", "threads": 4}),
    Question("Neighbor Message Rate, 4 threads, derived objects", "neighbor_rate", "message rate",
             {"mode": "threads", "objects": "derived", "threads": 4},
             "threads that exchange halos of their own datatypes"),
    Question("Neighbor Message Rate, 4 ranks, derived objects", "neighbor_rate", "message rate",
             {"mode": "processes", "objects": "derived", "threads": 4}),
    Question("match among 10,000 receives, reversed", "match_depth", "time of a match",
             {"queue": "posted", "order": "reversed", "depth": 10000}, "thousands of pending receives"),
    Question("match among 10,000 receives, wildcards", "match_depth", "time of a match",
             {"queue": "posted", "order": "wildcard", "depth": 10000}),
    Question("match among 10,000 messages, random", "match_depth", "time of a match",
             {"queue": "unexpected", "order": "random", "depth": 10000},
             "thousands of messages that came too early"),
    Question("communicators made and freed, 2 threads", "object_churn", "objects",
             {"kind": "comm", "threads": 2}, "threads that make and free communicators"),
    Question("types made, used and freed, 2 threads", "object_churn", "objects",
             {"kind": "type-used", "threads": 2}, "threads that make and free datatypes"),
    Question("computing share of the cores, 8 pairs of ranks", "oversubscription",
             "computing share of the cores", {"mode": "processes", "pairs": 8},
             "more ranks than cores, which compute and wait"),
    Question("computing share of the cores, 8 pairs of threads", "oversubscription",
             "computing share of the cores", {"mode": "threads", "pairs": 8},
             "more threads than cores, which compute and wait"),
]
