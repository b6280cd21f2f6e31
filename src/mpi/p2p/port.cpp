#include "mpi/p2p/port.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "exec/ult/completion.h"
#include "mpi/p2p/account.h"
#include "mpi/p2p/receive_request.h"
#include "mpi/p2p/send_request.h"

namespace heddle::p2p {

namespace {

// A guess: below it a copy should cost less than to hold up the sender. bench/p2p sweeps it; the
// sweeps so far were too noisy to choose by.
constexpr MPI_Count kDefaultEagerLimit = 8192;

MPI_Count limit_from_environment() noexcept {
  const char* text = std::getenv("HEDDLE_EAGER_LIMIT");
  return text != nullptr ? std::strtoll(text, nullptr, 10) : kDefaultEagerLimit;
}

}  // namespace

const MPI_Count Port::eager_limit_ = limit_from_environment();

// A strand that waits in MPI_Probe, on its stack.
struct Port::Prober : ListNode<> {
  match::Pattern wanted;
  ult::Completion arrived;
};

Port::~Port() {
  while (match::UnexpectedMessage* left = table_.oldest()) {
    table_.cancel(*left);
    dispose(static_cast<Message&>(*left));
  }
  while (free_cells_ != nullptr) delete std::exchange(free_cells_, free_cells_->next_free);
}

void Port::deliver(match::PostedReceive& posted, const match::Envelope& envelope,
                   datatype::ConstBuffer data) noexcept {
  auto& receive = static_cast<ReceiveRequest&>(posted);
  receive.take_over(envelope, data);
  receive.complete();
}

bool Port::send_in_cell(const match::Key& key, datatype::ConstBuffer data) noexcept {
  const MPI_Count bytes = data.bytes();
  lock_.lock();
  if (match::PostedReceive* posted = table_.arrive(key)) {
    lock_.unlock();
    deliver(*posted, {key, bytes}, data);
    return true;
  }
  Cell* cell = free_cells_;
  if (cell == nullptr) [[unlikely]] {
    lock_.unlock();
    cell = new (std::nothrow) Cell();
    if (cell == nullptr) return false;
    lock_.lock();
    cell->next_free = free_cells_;
    free_cells_ = cell;
    lock_.unlock();
    return send_in_cell(key, data);  // a receive may have come meanwhile
  }
  free_cells_ = cell->next_free;
  cell->key = key;
  cell->bytes = bytes;
  cell->data = {cell->payload, bytes, &datatype::named(MPI_BYTE)};
  if (bytes != 0) std::memcpy(cell->payload, data.data, static_cast<std::size_t>(bytes));
  keep(*cell);
  lock_.unlock();
  return true;
}

bool Port::offer_posted(const match::Key& key, datatype::ConstBuffer data) noexcept {
  lock_.lock();
  match::PostedReceive* posted = table_.arrive(key);
  lock_.unlock();
  if (posted == nullptr) return false;
  deliver(*posted, {key, data.bytes()}, data);
  return true;
}

Error Port::send_copied(const match::Key& key, datatype::ConstBuffer data,
                        std::shared_ptr<Account> account) {
  const MPI_Count bytes = data.bytes();
  if (offer_posted(key, data)) {
    if (account != nullptr) account->give_back(bytes);
    return {};
  }
  // The copy is made without the lock; a receive may come meanwhile, so look once more.
  HeapMessage* message = HeapMessage::copy_of(key, data);
  if (message == nullptr) {
    if (account != nullptr) account->give_back(bytes);
    return Error::make(MPI_ERR_NO_MEM, "no memory for a copy of a message of %lld bytes",
                       static_cast<long long>(bytes));
  }
  message->account = std::move(account);
  lock_.lock();
  match::PostedReceive* posted = table_.arrive(key);
  if (posted == nullptr) keep(*message);
  lock_.unlock();
  if (posted != nullptr) {
    deliver(*posted, message->envelope(), message->data);
    dispose(*message);
  }
  return {};
}

bool Port::offer(SendRequest& request) noexcept {
  lock_.lock();
  match::PostedReceive* posted = table_.arrive(request.key);
  if (posted == nullptr) keep(request);
  lock_.unlock();
  if (posted == nullptr) return false;
  deliver(*posted, request.envelope(), request.data);
  return true;
}

bool Port::withdraw(SendRequest& request) noexcept {
  SpinGuard guard(lock_);
  return table_.cancel(static_cast<match::UnexpectedMessage&>(request));
}

bool Port::receive(ReceiveRequest& request) noexcept {
  request.set_posted_at(this);
  lock_.lock();
  match::UnexpectedMessage* found = table_.post(request);
  if (found == nullptr) {
    lock_.unlock();
    return false;
  }
  auto& message = static_cast<Message&>(*found);
  request.set_posted_at(nullptr);
  if (message.home == Home::kCell && request.buffer().type->dense()) {
    // At most four cache lines; to lock again for the cell would cost more.
    auto& cell = static_cast<Cell&>(message);
    request.take_over(cell.envelope(), cell.data);
    cell.next_free = free_cells_;
    free_cells_ = &cell;
    lock_.unlock();
    return true;
  }
  lock_.unlock();
  request.take_over(message.envelope(), message.data);
  dispose(message);
  return true;
}

bool Port::withdraw(ReceiveRequest& request) noexcept {
  SpinGuard guard(lock_);
  return table_.cancel(static_cast<match::PostedReceive&>(request));
}

bool Port::peek(const match::Pattern& wanted, match::Envelope* found) noexcept {
  SpinGuard guard(lock_);
  const match::UnexpectedMessage* message = table_.peek(wanted);
  if (message == nullptr) return false;
  *found = message->envelope();
  return true;
}

Message* Port::take(const match::Pattern& wanted) noexcept {
  SpinGuard guard(lock_);
  return static_cast<Message*>(table_.take(wanted));
}

void Port::wait_for(const match::Pattern& wanted) noexcept {
  Prober prober;
  prober.wanted = wanted;
  {
    SpinGuard guard(lock_);
    if (table_.peek(wanted) != nullptr) return;
    probers_.push_back(prober);
  }
  prober.arrived.wait();
}

void Port::wake_probers(const match::Key& key) noexcept {
  for (auto it = probers_.begin(); it != probers_.end();) {
    Prober& prober = *it;
    ++it;
    if (!match::fits(prober.wanted, key)) continue;
    IntrusiveList<Prober>::erase(prober);
    prober.arrived.set();
  }
}

void Port::dispose(Message& message) noexcept {
  switch (message.home) {
    case Home::kCell: {
      auto& cell = static_cast<Cell&>(message);
      SpinGuard guard(lock_);
      cell.next_free = free_cells_;
      free_cells_ = &cell;
      break;
    }
    case Home::kHeap: {
      auto& heap = static_cast<HeapMessage&>(message);
      if (heap.account != nullptr) heap.account->give_back(heap.bytes);
      HeapMessage::destroy(&heap);
      break;
    }
    case Home::kSender:
      static_cast<SendRequest&>(message).complete();
      break;
  }
}

}  // namespace heddle::p2p
