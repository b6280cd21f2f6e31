#include "mpi/rma/service.h"

#include <cstring>
#include <memory>

#include "mpi/rma/access.h"
#include "mpi/rma/answer.h"
#include "mpi/rma/locked_access.h"
#include "mpi/rma/put_landing.h"
#include "mpi/rma/remote_waiters.h"

namespace heddle::rma {

using transport::Bytes;

// A packet that fits its window, whose part is held.
class Service::Request {
 public:
  Request(const gateway::Arrival& arrival, const WindowPacket& packet, Part& its_part) noexcept
      : asker{arrival.channel, arrival.host, packet.waiting},
        head(packet),
        part(its_part),
        rest(arrival.packet.subspan(sizeof packet)) {}

  Member& target() const noexcept { return part.member(head.target); }

  const Asker asker;
  const WindowPacket head;
  Part& part;
  const Bytes rest;  // behind the head
};

namespace {

bool read_head(Bytes bytes, WindowPacket* packet) noexcept {
  if (bytes.size() < sizeof *packet) return false;
  std::memcpy(packet, bytes.data(), sizeof *packet);
  return true;
}

}  // namespace

Service::Service(gateway::Gateway& gateway, world::SharedParts& parts)
    : gateway_(gateway), parts_(parts) {
  gateway.receive<&Service::serve<&Service::do_access>, &Service::begin_put>(kAccess, *this);
  gateway.receive<&Service::serve<&Service::do_locked_access>>(kLockedAccess, *this);
  gateway.receive<&Service::serve<&Service::do_flush>>(kFlush, *this);
  gateway.receive<&Service::serve<&Service::do_lock>>(kLock, *this);
  gateway.receive<&Service::serve<&Service::do_unlock>>(kUnlock, *this);
  gateway.receive<&Service::serve<&Service::do_lock_all>>(kLockAll, *this);
  gateway.receive<&Service::serve<&Service::do_unlock_all>>(kUnlockAll, *this);
  gateway.receive<&Service::serve<&Service::do_post>>(kPost, *this);
  gateway.receive<&Service::serve<&Service::do_complete>>(kComplete, *this);
  gateway.receive<&Service::serve<&Service::do_look>>(kLook, *this);
  gateway.receive<&Service::serve<&Service::do_all_left>>(kAllLeft, *this);
  gateway.receive<&Service::on_answer>(kAnswer, *this);
}

Service::~Service() {
  landings_.for_each([](PutLanding& left) { delete &left; });
}

void attach_to(gateway::Gateway& gateway, world::SharedParts& parts) {
  gateway.add(std::make_unique<Service>(gateway, parts));
}

template <void (*kDo)(Service&, const Service::Request&)>
bool Service::serve(const gateway::Arrival& arrival) noexcept {
  WindowPacket head;
  if (!read_head(arrival.packet, &head)) return false;
  auto* const part = static_cast<Part*>(parts_.hold(head.context));
  if (part == nullptr) return false;
  const auto is_member = [part](std::int32_t rank) { return rank >= 0 && rank < part->size(); };
  const bool fits = is_member(head.target) && is_member(head.origin);
  if (fits) kDo(*this, Request(arrival, head, *part));
  part->leave();
  return fits;
}

bool Service::on_answer(const gateway::Arrival& arrival) noexcept {
  AnswerPacket head{.waiting = 0};
  if (arrival.packet.size() < sizeof head) return false;
  std::memcpy(&head, arrival.packet.data(), sizeof head);
  Answer* const answer = answers_.take(head.waiting, [](const Answer&) { return true; });
  if (answer == nullptr) return false;
  answer->came(head.status, arrival.packet.subspan(sizeof head));
  return true;
}

void Service::do_access(Service& service, const Request& request) {
  rma::do_access(service.gateway_, request.asker, request.head, request.part, request.rest);
}

void Service::do_locked_access(Service& service, const Request& request) {
  const WindowPacket& head = request.head;
  const bool is_lock = head.mode <= static_cast<std::uint8_t>(LockMode::kExclusive);
  if (!is_lock || request.part.is_mapped() || !request.target().here) return;
  service.parts_.hold(head.context);  // until it answers
  const Held held{service.gateway_, request.asker, request.part};
  (new LockedAccess(held, head, request.rest))->begin();
}

void Service::do_flush(Service& service, const Request& request) {
  const int error = request.part.late_errors().take(request.head.origin, request.head.target);
  send_answer(service.gateway_, request.asker, error);
}

void Service::do_lock(Service& service, const Request& request) {
  const WindowPacket& head = request.head;
  const LockMode most = request.part.is_mapped() ? LockMode::kPass : LockMode::kExclusive;
  if (head.mode > static_cast<std::uint8_t>(most) || !request.target().here) return;
  service.parts_.hold(head.context);  // until it answers
  const Held held{service.gateway_, request.asker, request.part};
  if (request.part.is_mapped()) {
    (new RemoteTry(held, static_cast<LockMode>(head.mode), head.lost, head.target))->begin();
  } else {
    (new RemoteLock(held, static_cast<LockMode>(head.mode), head.target, head.origin))->begin();
  }
}

void Service::do_unlock(Service&, const Request& request) {
  const auto mode = static_cast<LockMode>(request.head.mode);
  if (mode > LockMode::kExclusive) return;
  if (request.part.pending().unlock(request.head.origin, request.head.target)) return;
  TargetLock& lock = request.part.lock(request.head.target);
  if (mode == LockMode::kExclusive) lock.note_holder(-1);
  if (lock.unlock(mode)) request.target().queue.look(lock);
}

void Service::do_lock_all(Service& service, const Request& request) {
  service.parts_.hold(request.head.context);
  request.part.all().enter();
  const Held held{service.gateway_, request.asker, request.part};
  (new RemoteLock(held, LockMode::kPass, 0, request.head.origin))->begin();
}

void Service::do_unlock_all(Service&, const Request& request) {
  if (request.part.all().leave()) request.part.all_have_left();
}

void Service::do_post(Service&, const Request& request) {
  const Words& words = request.part.words();
  // seq_cst: with Awaited.
  words.posted(request.head.origin, request.head.target).fetch_add(1, std::memory_order_seq_cst);
  words.member(request.head.origin).posts.notify();
}

void Service::do_complete(Service&, const Request& request) {
  MemberWords& target = request.part.words().member(request.head.target);
  target.completed.fetch_add(1, std::memory_order_seq_cst);  // with Awaited
  target.completes.notify();
}

void Service::do_look(Service&, const Request& request) {
  if (!request.target().here) return;
  MemberWords& target = request.part.words().member(request.head.target);
  target.lock.answer_call();
  request.target().queue.look(target.lock);
  target.posts.notify();
  target.completes.notify();
}

void Service::do_all_left(Service&, const Request& request) {
  request.part.all_queue().wake();
}

transport::Landing Service::begin_put(const gateway::Arrival& arrival, std::size_t bytes) noexcept {
  HeadOfOneRun begin;
  if (arrival.packet.size() < sizeof begin || bytes <= sizeof begin) return {};
  std::memcpy(&begin, arrival.packet.data(), sizeof begin);
  const auto& [head, run] = begin;
  if (head.access != Access::kPut || head.runs != 1 || run.bytes != bytes - sizeof begin) return {};
  auto* const part = static_cast<Part*>(parts_.hold(head.context));
  if (part == nullptr) return {};
  const auto is_member = [part](std::int32_t rank) { return rank >= 0 && rank < part->size(); };
  const bool fits = is_member(head.target) && is_member(head.origin) &&
                    part->member(head.target).here &&
                    part->member(head.target).holds(run.at, run.bytes);
  if (!fits) {  // do_access says what is wrong
    part->leave();
    return {};
  }
  const Asker asker{arrival.channel, arrival.host, head.waiting};
  auto* const landing = new PutLanding(gateway_, asker, head, *part, landings_);
  return {{part->member(head.target).base + run.at, run.bytes}, landing};
}

}  // namespace heddle::rma
