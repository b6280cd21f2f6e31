#include "mpi/p2p/buffered.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "exec/rank/rank.h"
#include "mpi/p2p/buffer_account.h"
#include "mpi/p2p/remote/exchange.h"

namespace heddle::p2p {

namespace {

struct Attached {
  BufferOwner owner;
  std::shared_ptr<BufferAccount> account;
};

// A rank attaches a buffer or two, so a list is enough. Messages share the accounts, because they
// may be received after the rank has ended.
class AttachedBuffers {
 public:
  std::shared_ptr<BufferAccount> find(const BufferOwner& owner) {
    SpinGuard guard(lock_);
    const Attached* entry = entry_of(owner);
    return entry != nullptr ? entry->account : nullptr;
  }
  // The one that a message of the communicator takes; nullptr if there is none.
  std::shared_ptr<BufferAccount> find_for(const comm::Comm& comm) {
    SpinGuard guard(lock_);
    const Attached* entry = entry_of(comm);
    if (entry == nullptr) entry = entry_of(BufferOwner(comm.group().session_number()));
    if (entry == nullptr) entry = entry_of({});
    return entry != nullptr ? entry->account : nullptr;
  }
  bool add(const BufferOwner& owner, std::shared_ptr<BufferAccount> account) {
    SpinGuard guard(lock_);
    if (entry_of(owner) != nullptr) return false;
    entries_.push_back({owner, std::move(account)});
    return true;
  }
  // Takes the account out, so that only one strand gets it; nullptr if there is none.
  std::shared_ptr<BufferAccount> take(const BufferOwner& owner) {
    SpinGuard guard(lock_);
    Attached* entry = entry_of(owner);
    if (entry == nullptr) return nullptr;
    std::shared_ptr<BufferAccount> account = std::move(entry->account);
    entries_.erase(entries_.begin() + (entry - entries_.data()));
    return account;
  }

  // The account has a message of a session for another host. It is kept by its messages, and by no
  // more.
  void note_sent_away(const std::shared_ptr<BufferAccount>& account) {
    SpinGuard guard(lock_);
    std::erase_if(sent_away_, [&](const std::weak_ptr<BufferAccount>& other) {
      return other.expired() || other.lock() == account;
    });
    sent_away_.push_back(account);
  }
  std::vector<std::shared_ptr<BufferAccount>> sent_away() {
    std::vector<std::shared_ptr<BufferAccount>> accounts;
    SpinGuard guard(lock_);
    for (const auto& account : sent_away_) {
      if (auto kept = account.lock()) accounts.push_back(std::move(kept));
    }
    return accounts;
  }

 private:
  Attached* entry_of(const BufferOwner& owner) REQUIRES(lock_) {
    for (Attached& entry : entries_) {
      if (entry.owner == owner) return &entry;
    }
    return nullptr;
  }

  // Lock: guards the lists of a rank's attached buffers, and of those with messages for other
  // hosts.
  SpinLock lock_;
  std::vector<Attached> entries_ GUARDED_BY(lock_);
  std::vector<std::weak_ptr<BufferAccount>> sent_away_ GUARDED_BY(lock_);
};

RankLocal<AttachedBuffers> buffers_of_rank;

Error no_buffer(const BufferOwner& owner) {
  return Error::make(MPI_ERR_BUFFER, "no buffer is attached to %s", owner.name());
}

}  // namespace

const char* BufferOwner::name() const noexcept {
  if (comm_ != nullptr) return "the communicator";
  return session_ != session::kNone ? "the session" : "the process";
}

Error send_buffered(const world::Process& to, const match::Key& key, datatype::ConstBuffer data,
                    const comm::Comm& comm) {
  Port* const port = Port::of(to);
  if (port != nullptr && port->offer_posted(key, data)) return {};
  const std::shared_ptr<BufferAccount> account = buffers_of_rank.get().find_for(comm);
  if (account == nullptr) {
    return Error::make(MPI_ERR_BUFFER,
                       "a buffered send needs a buffer; attach one with MPI_Buffer_attach");
  }
  Deposit deposit;
  if (!deposit.make(account, data.bytes())) {
    return Error::make(MPI_ERR_BUFFER,
                       "the attached buffer has %lld bytes, %lld of them in use; a message of %lld "
                       "bytes does not fit; attach its bytes and MPI_BSEND_OVERHEAD (%d) for each "
                       "message that waits",
                       static_cast<long long>(account->bytes()),
                       static_cast<long long>(account->in_use()),
                       static_cast<long long>(data.bytes()), MPI_BSEND_OVERHEAD);
  }
  if (port != nullptr) return port->send_copied(key, data, std::move(deposit));
  if (comm.group().session()) buffers_of_rank.get().note_sent_away(account);
  return Exchange::here().offer_copy(to, key, data, std::move(deposit));
}

Error attach_buffer(const BufferOwner& owner, void* buffer, MPI_Count bytes) {
  const MPI_Count size = buffer == MPI_BUFFER_AUTOMATIC ? 0 : bytes;
  if (buffers_of_rank.get().add(owner, std::make_shared<BufferAccount>(buffer, size))) return {};
  return Error::make(MPI_ERR_BUFFER, "%s has an attached buffer already; detach it first",
                     owner.name());
}

Error detach_buffer(const BufferOwner& owner, void* buffer, MPI_Count* bytes) {
  const std::shared_ptr<BufferAccount> account = buffers_of_rank.get().take(owner);
  if (account == nullptr) return no_buffer(owner);
  FlushRequest(account).wait();
  void* const attached = account->buffer();
  std::memcpy(buffer, &attached, sizeof attached);
  *bytes = account->bytes();
  return {};
}

void forget_buffer(const BufferOwner& owner) {
  buffers_of_rank.get().take(owner);
}

bool awaits_buffered() noexcept {
  return std::ranges::any_of(buffers_of_rank.get().sent_away(),
                             [](const auto& account) { return account->in_use() != 0; });
}

void await_buffered() {
  for (const auto& account : buffers_of_rank.get().sent_away()) FlushRequest(account).wait();
}

Error flush_buffer(const BufferOwner& owner) {
  std::shared_ptr<BufferAccount> account = buffers_of_rank.get().find(owner);
  if (account == nullptr) return no_buffer(owner);
  FlushRequest(std::move(account)).wait();
  return {};
}

Error iflush_buffer(const BufferOwner& owner, request::Request** request) {
  std::shared_ptr<BufferAccount> account = buffers_of_rank.get().find(owner);
  if (account == nullptr) return no_buffer(owner);
  auto flush = request::make<FlushRequest>(std::move(account));
  if (!flush) return Error::make(MPI_ERR_NO_MEM, "no memory for a request");
  *request = flush.leak();
  return {};
}

}  // namespace heddle::p2p
