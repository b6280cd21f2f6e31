#include "mpi/io/exchange.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "exec/ult/completion.h"
#include "mpi/coll/wire.h"
#include "mpi/io/merge.h"
#include "mpi/io/pool.h"

namespace heddle::io {

namespace {

using datatype::bytes_at;

// What a process has in one window of another.
struct Share {
  struct Head {
    std::int64_t runs = 0, bytes = 0;
  };

  bool is_empty() const noexcept { return head.bytes == 0; }
  // For another round. Memory stays: new pages cost more than a copy.
  void clear() noexcept {
    head = {};
    runs.clear();
    done.store(0, std::memory_order_relaxed);
  }
  // False: there is no memory.
  bool make_room() noexcept {
    if (head.bytes <= room) return true;
    data.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(head.bytes)]);
    room = data != nullptr ? head.bytes : 0;
    return data != nullptr;
  }
  Buffer runs_buffer() noexcept {
    return bytes_at(runs.data(), head.runs * static_cast<MPI_Count>(sizeof(Run)));
  }
  // Without memory: into nothing.
  Buffer data_buffer() noexcept { return bytes_at(data.get(), data != nullptr ? head.bytes : 0); }

  Head head;
  std::vector<Run> runs;
  std::unique_ptr<std::byte[]> data;
  MPI_Count room = 0;
  Mover::Done done{0};   // told below by offset: that is right for each member
  std::int64_t end = 0;  // the owner tells: bytes of the file before it were moved
};

// Notes the runs of pieces, and takes their bytes if they are to be written. Those count as done
// until the owner tells otherwise.
struct Packer {
  Share& share;
  const Direction direction;
  MPI_Count filled = 0;

  static bool is_over() noexcept { return false; }
  void add(MPI_Offset offset, const void* address, MPI_Count bytes, Mover::Done& done) {
    const auto at = static_cast<datatype::Address>(offset);
    std::vector<Run>& runs = share.runs;
    if (!runs.empty() && datatype::moved(runs.back().at, runs.back().bytes) == at) {
      runs.back().bytes += bytes;
    } else {
      runs.push_back({at, bytes});
    }
    if (direction == Direction::kRead) return;
    std::memcpy(share.data.get() + filled, address, static_cast<std::size_t>(bytes));
    filled += bytes;
    done.fetch_add(bytes, std::memory_order_relaxed);
  }
};

// How many bytes of a piece lie before `end`.
MPI_Count part_before(MPI_Offset end, MPI_Offset offset, MPI_Count bytes) noexcept {
  return std::clamp<MPI_Offset>(end - offset, 0, bytes);
}

// Gives members what was read, and counts it.
struct Unpacker {
  const std::byte* data;
  const MPI_Offset end;

  static bool is_over() noexcept { return false; }
  void add(MPI_Offset offset, void* address, MPI_Count bytes, Mover::Done& done) noexcept {
    const MPI_Count part = part_before(end, offset, bytes);
    std::memcpy(address, data, static_cast<std::size_t>(part));
    data += bytes;
    done.fetch_add(part, std::memory_order_relaxed);
  }
};

// Takes back what was counted but not written.
struct Uncounter {
  const MPI_Offset end;

  static bool is_over() noexcept { return false; }
  void add(MPI_Offset offset, const void*, MPI_Count bytes, Mover::Done& done) const noexcept {
    done.fetch_sub(bytes - part_before(end, offset, bytes), std::memory_order_relaxed);
  }
};

struct Round final : Work {
  Round(std::size_t owners, std::size_t processes) : asked(owners), taken(processes) {}

  void begin(int its_number) noexcept {
    number = its_number;
    for (Share& share : asked) share.clear();
    for (Share& share : taken) share.clear();
    merge.reset();
    mover.reset();
    error = 0;
    moved.reset();
  }
  void run() noexcept override {
    merge->into(*mover);
    error = mover->finish();
    moved.set();
  }

  int number = 0;
  std::vector<Share> asked;  // what members here have, by owner
  std::vector<Share> taken;  // at an owner: what other processes have, by process
  std::unique_ptr<Merge> merge;
  std::unique_ptr<Mover> mover;
  int error = 0;
  ult::Completion moved;
};

class Exchange {
 public:
  Exchange(Part& part, const Domains& domains, Direction direction, const coll::Ticket& ticket)
      : part_(part),
        domains_(domains),
        direction_(direction),
        asks_(ticket.wire()),
        // Leaders have left that phase.
        answers_(ticket.phase(0).wire()),
        me_(static_cast<std::size_t>(
            std::find(part.leaders().begin(), part.leaders().end(), part.ranks().front()) -
            part.leaders().begin())) {}

  Error run(int* system_error) {
    const std::size_t processes = is_owner() ? part_.leaders().size() : 0;
    Round rounds[2] = {{owners(), processes}, {owners(), processes}};
    const int last = domains_.rounds() - 1;
    for (int number = 0; number <= last + 1; ++number) {
      Round& now = rounds[number % 2];
      Round& before = rounds[(number + 1) % 2];
      if (number <= last) {
        now.begin(number);
        ask(now);
      }
      if (number > 0) finish(before);
      if (number <= last) start(now);
      if (number > 0) answer(before);
    }
    *system_error = error_;
    return failed_.take();
  }

 private:
  std::size_t owners() const noexcept { return static_cast<std::size_t>(domains_.owners); }
  bool is_owner() const noexcept { return me_ < owners(); }
  Range window_of(std::size_t owner, const Round& round) const noexcept {
    return domains_.window_of(static_cast<int>(owner), round.number);
  }
  void note(int error) noexcept {
    if (error_ == 0) error_ = error;
  }

  // visit(share, rank of its process's leader), of all shares but this process's own.
  template <class Visit>
  void for_each(std::vector<Share>& shares, Visit visit) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (i != me_) visit(shares[i], part_.leaders()[i]);
    }
  }

  void pack(Share& share, Range window) {
    if (window.first >= window.end) return;
    Merge merge(part_, window);
    share.head.bytes = merge.bytes();
    if (share.is_empty()) return;
    if (!share.make_room()) {
      share.head = {};
      return note(ENOMEM);
    }
    Packer packer{share, direction_};
    merge.into(packer);
    share.head.runs = static_cast<std::int64_t>(share.runs.size());
  }

  void ask(Round& round) {
    for (std::size_t i = 0; i < owners(); ++i) {
      if (i != me_) pack(round.asked[i], window_of(i, round));
    }
    coll::Batch heads(asks_);
    for_each(round.taken, [&](Share& share, int rank) {
      heads.receive(bytes_at(&share.head, sizeof share.head), rank);
    });
    for_each(round.asked, [&](Share& share, int rank) {
      heads.send(bytes_at(&share.head, sizeof share.head), rank);
    });
    failed_.note(heads.finish());
    coll::Batch rest(asks_);
    for_each(round.taken, [&](Share& share, int rank) { take(rest, share, rank); });
    for_each(round.asked, [&](Share& share, int rank) {
      if (share.is_empty()) return;
      rest.send(share.runs_buffer(), rank);
      if (direction_ == Direction::kWrite) rest.send(share.data_buffer(), rank);
    });
    Error failed = rest.finish();
    if (error_ != ENOMEM) failed_.note(std::move(failed));
  }

  void take(coll::Batch& batch, Share& share, int rank) {
    if (share.is_empty()) return;
    if (!share.make_room()) note(ENOMEM);
    share.runs.resize(static_cast<std::size_t>(share.head.runs));
    batch.receive(share.runs_buffer(), rank);
    if (direction_ == Direction::kWrite) batch.receive(share.data_buffer(), rank);
  }

  void start(Round& round) {
    if (!is_owner()) return;
    const Range window = window_of(me_, round);
    if (window.first >= window.end) return;
    round.merge = std::make_unique<Merge>(part_, window);
    for_each(round.taken, [&](Share& share, int) {
      if (share.is_empty() || share.data == nullptr) return;
      round.merge->add(std::move(share.runs), share.data.get(), share.head.bytes, share.done);
    });
    round.mover = std::make_unique<Mover>(part_.descriptor(), direction_);
    constexpr MPI_Count kSmall = 64 << 10;  // to wake another thread costs as much
    const bool stays =
        round.merge->bytes() < kSmall && part_.file_system() != Part::FileSystem::kRemote;
    if (stays || !hand_to_pool(round)) round.run();
  }

  void finish(Round& round) {
    if (round.mover == nullptr) return;
    round.moved.wait();
    note(round.error);
  }

  void answer(Round& round) {
    coll::Batch batch(answers_);
    const bool reads = direction_ == Direction::kRead;
    for_each(round.asked, [&](Share& share, int rank) {
      if (share.is_empty()) return;
      batch.receive(bytes_at(&share.end, sizeof share.end), rank);
      if (reads) batch.receive(share.data_buffer(), rank);
    });
    for_each(round.taken, [&](Share& share, int rank) {
      if (share.is_empty()) return;
      share.end = share.data != nullptr ? round.mover->end() : 0;
      batch.send(bytes_at(&share.end, sizeof share.end), rank);
      if (reads) batch.send(share.data_buffer(), rank);
    });
    failed_.note(batch.finish());
    for (std::size_t i = 0; i < owners(); ++i) {
      if (!round.asked[i].is_empty()) settle(round.asked[i], window_of(i, round));
    }
  }

  void settle(Share& share, Range window) {
    if (direction_ == Direction::kRead) {
      Unpacker unpacker{share.data.get(), share.end};
      Merge(part_, window).into(unpacker);
    } else if (share.end < window.end) {
      Uncounter uncounter{share.end};
      Merge(part_, window).into(uncounter);
    }
  }

  Part& part_;
  const Domains& domains_;
  const Direction direction_;
  const coll::Wire asks_, answers_;
  const std::size_t me_;  // in Part::leaders(): below owners() it is an owner's number
  int error_ = 0;
  coll::FirstError failed_;
};

}  // namespace

Error exchange(Part& part, const Domains& domains, Direction direction, const coll::Ticket& ticket,
               int* system_error) {
  return Exchange(part, domains, direction, ticket).run(system_error);
}

}  // namespace heddle::io
