#include "tests/random/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace heddle::testing {

namespace {

using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using Start = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
// By mode.
constexpr Send kSend[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
constexpr Start kIsend[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
constexpr Start kSendInit[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};

int words_of(const Step& step, int units) {
  return units * static_cast<int>(step.signature.size());
}

}  // namespace

Traffic::Traffic(int world_rank, Dice& local, int buffered, std::function<void()> before_call)
    : me_(world_rank), local_(local), buffered_(buffered), before_call_(std::move(before_call)) {}

Traffic::~Traffic() {
  EXPECT_TRUE(pending_.empty());
  for (const Owned& each : forgotten_) check(*each);
}

void Traffic::expect_success(int code, const Step& step) {
  EXPECT_EQ(code, MPI_SUCCESS) << "rank " << me_ << ": " << step.describe();
}

Traffic::Owned Traffic::outgoing(const Step& step, const Message& message) {
  auto made = std::make_unique<Transfer>();
  made->step = step;
  made->message = message;
  int repeats = message.units == 0 ? 1 : local_.below(std::min(message.units, 60)) + 1;
  while (message.units % repeats != 0) --repeats;
  made->layout = std::make_unique<Layout>(step.signature, repeats, local_);
  made->count = message.units / repeats;
  made->room = std::make_unique<Room>(*made->layout, made->count);
  return made;
}

Traffic::Owned Traffic::incoming(const Step& step, const Message& message) {
  auto made = std::make_unique<Transfer>();
  made->step = step;
  made->message = message;
  made->receives = true;
  const int repeats = local_.below(12) + 1;
  made->layout = std::make_unique<Layout>(step.signature, repeats, local_);
  made->count = (message.units + repeats - 1) / repeats + local_.below(3);
  made->room = std::make_unique<Room>(*made->layout, made->count);
  return made;
}

void Traffic::fill(Transfer& transfer, int time) {
  transfer.time = time;
  const int words = words_of(transfer.step, transfer.message.units);
  for (int i = 0; i < words; ++i) {
    const long value = transfer.message.value(time, i);
    if (transfer.receives) {
      transfer.room->expect(i, value);
    } else {
      transfer.room->put(i, value);
    }
  }
}

Mode Traffic::mode_for(const Step& step, const Message& message) {
  if (message.mode != Mode::kBuffered) return message.mode;
  constexpr int kLargestWord = 8;
  if (words_of(step, message.units) * kLargestWord > kBufferedBytes) return Mode::kStandard;
  if (message.sent == Way::kPersistent || buffered_ < message.times) return Mode::kStandard;
  buffered_ -= message.times;
  return Mode::kBuffered;
}

void Traffic::send(const Step& step, const Message& message) {
  const auto mode = static_cast<std::size_t>(mode_for(step, message));
  Owned made;
  for (int time = 0; time < message.times; ++time) {
    const bool again = message.sent == Way::kPersistent && time > 0;
    if (!again) made = outgoing(step, message);
    fill(*made, time);
    Transfer& transfer = *made;
    if (message.sent == Way::kBlocking) {
      before_call_();
      expect_success(kSend[mode](transfer.room->data(), transfer.count, transfer.layout->type(),
                                 message.to, message.tag, step.node.comm),
                     step);
      check(transfer);
      continue;
    }
    if (!again) {
      transfer.persistent = message.sent == Way::kPersistent;
      const auto begin = (transfer.persistent ? kSendInit : kIsend)[mode];
      before_call_();
      expect_success(begin(transfer.room->data(), transfer.count, transfer.layout->type(),
                           message.to, message.tag, step.node.comm, &transfer.request),
                     step);
    }
    if (transfer.persistent) start(transfer);
    if (transfer.persistent && time + 1 < message.times) {
      wait(transfer);
    } else if (!transfer.persistent && local_.below(6) == 0) {
      expect_success(MPI_Request_free(&transfer.request), step);
      forgotten_.push_back(std::move(made));
    } else {
      pending_.push_back(std::move(made));
    }
  }
}

void Traffic::start(Transfer& transfer) {
  before_call_();
  const int code =
      local_.toss() ? MPI_Start(&transfer.request) : MPI_Startall(1, &transfer.request);
  expect_success(code, transfer.step);
}

void Traffic::receive(const Step& step, const Message& message) {
  const int tag = message.any_tag ? MPI_ANY_TAG : message.tag;
  Owned made;
  for (int time = 0; time < message.times; ++time) {
    const bool restarts = message.received == Way::kPersistent && message.looks == Looks::kNot;
    if (!restarts || time == 0) {
      made = incoming(step, message);
      fill(*made, time);
      receive_next(*made, message.from, tag);
    } else {
      fill(*made, time);
      start(*made);
    }
    if (made->request == MPI_REQUEST_NULL) {
      check(*made);
    } else if (restarts && time + 1 < message.times) {
      wait(*made);
    } else {
      pending_.push_back(std::move(made));
    }
  }
}

void Traffic::receive_next(Transfer& transfer, int source, int tag) {
  if (transfer.message.looks != Looks::kNot) return receive_after_look(transfer, source, tag);
  void* const data = transfer.room->data();
  const MPI_Datatype type = transfer.layout->type();
  const MPI_Comm comm = transfer.step.node.comm;
  int code = MPI_SUCCESS;
  before_call_();
  switch (transfer.message.received) {
    case Way::kBlocking:
      code = MPI_Recv(data, transfer.count, type, source, tag, comm, &transfer.status);
      break;
    case Way::kNonblocking:
      code = MPI_Irecv(data, transfer.count, type, source, tag, comm, &transfer.request);
      break;
    case Way::kPersistent:
      transfer.persistent = true;
      code = MPI_Recv_init(data, transfer.count, type, source, tag, comm, &transfer.request);
      start(transfer);
  }
  expect_success(code, transfer.step);
}

void Traffic::receive_after_look(Transfer& transfer, int source, int tag) {
  const MPI_Comm comm = transfer.step.node.comm;
  MPI_Message handle = MPI_MESSAGE_NULL;
  int flag = 0, code = MPI_SUCCESS;
  before_call_();
  switch (transfer.message.looks) {
    case Looks::kIprobe:
      for (; !flag; before_call_()) {
        code = MPI_Iprobe(source, tag, comm, &flag, &transfer.status);
      }
      break;
    case Looks::kImprobe:
      for (; !flag; before_call_()) {
        code = MPI_Improbe(source, tag, comm, &flag, &handle, &transfer.status);
      }
      break;
    case Looks::kMprobe:
      code = MPI_Mprobe(source, tag, comm, &handle, &transfer.status);
      break;
    default:
      code = MPI_Probe(source, tag, comm, &transfer.status);
  }
  expect_success(code, transfer.step);
  if (source != MPI_ANY_SOURCE) check_status(transfer);
  void* const data = transfer.room->data();
  const MPI_Datatype type = transfer.layout->type();
  source = transfer.status.MPI_SOURCE;
  tag = transfer.status.MPI_TAG;
  const bool blocking = transfer.message.received == Way::kBlocking;
  before_call_();
  if (handle == MPI_MESSAGE_NULL && blocking) {
    code = MPI_Recv(data, transfer.count, type, source, tag, comm, &transfer.status);
  } else if (handle == MPI_MESSAGE_NULL) {
    code = MPI_Irecv(data, transfer.count, type, source, tag, comm, &transfer.request);
  } else if (blocking) {
    code = MPI_Mrecv(data, transfer.count, type, &handle, &transfer.status);
  } else {
    code = MPI_Imrecv(data, transfer.count, type, &handle, &transfer.request);
  }
  expect_success(code, transfer.step);
  EXPECT_EQ(handle, MPI_MESSAGE_NULL);
}

void Traffic::post_early(const Plan& plan) {
  for (const Step& step : plan.steps()) {
    const Message& message = step.messages[0];
    if (!message.early || message.destination != me_) continue;
    receive(step, message);
    early_.push_back(std::move(pending_.back()));
    pending_.pop_back();
  }
}

void Traffic::perform(const Step& step) {
  if (step.kind == Step::Kind::kCycle) return cycle(step);
  if (step.kind == Step::Kind::kCancelledSend) return cancel_send(step);
  if (step.kind == Step::Kind::kCancelledReceive) return cancel_receive(step);
  for (const Message& message : step.messages) {
    if (message.source == me_) send(step, message);
  }
  if (step.messages[0].destination != me_) return;
  if (step.kind == Step::Kind::kBurst) {
    burst(step);
  } else if (!step.messages[0].early) {
    receive(step, step.messages[0]);
  } else {
    // To wait for it sooner would be to wait for a later step.
    pending_.push_back(std::move(early_.front()));
    early_.pop_front();
  }
}

// Each receive may get the next message of any sender.
void Traffic::burst(const Step& step) {
  Message any = step.messages[0];
  for (const Message& each : step.messages) any.units = std::max(any.units, each.units);
  const int tag = any.any_tag ? MPI_ANY_TAG : any.tag;
  std::vector<Owned> received;
  for (std::size_t i = 0; i < step.messages.size(); ++i) {
    received.push_back(incoming(step, any));
    receive_next(*received.back(), MPI_ANY_SOURCE, tag);
  }
  std::vector<Message> left = step.messages;
  for (const Owned& each : received) {
    if (each->request != MPI_REQUEST_NULL) {
      before_call_();
      expect_success(MPI_Wait(&each->request, &each->status), step);
      if (each->persistent) MPI_Request_free(&each->request);
    }
    const auto from_there = [&](const Message& one) { return one.from == each->status.MPI_SOURCE; };
    const auto got = std::find_if(left.begin(), left.end(), from_there);
    if (got == left.end()) {
      ADD_FAILURE() << "from " << each->status.MPI_SOURCE << " came too many: " << step.describe();
      continue;
    }
    each->message = *got;
    left.erase(got);
    fill(*each, 0);
    check(*each);
  }
}

void Traffic::cycle(const Step& step) {
  const std::vector<Message>& all = step.messages;
  const auto here =
      std::find_if(all.begin(), all.end(), [&](const Message& one) { return one.source == me_; });
  if (here == all.end()) return;
  const Message& out = *here;
  const Message& in = here == all.begin() ? all.back() : *(here - 1);
  const int tag = in.any_tag ? MPI_ANY_TAG : in.tag;
  const MPI_Comm comm = step.node.comm;
  Owned sent = outgoing(step, out);
  fill(*sent, 0);
  const int how = local_.below(4);
  int code = MPI_SUCCESS;
  before_call_();
  if (how < 2) {  // in place
    sent->receives = true;
    sent->message = in;
    fill(*sent, 0);
    code = how == 0 ? MPI_Sendrecv_replace(sent->room->data(), sent->count, sent->layout->type(),
                                           out.to, out.tag, in.from, tag, comm, &sent->status)
                    : MPI_Isendrecv_replace(sent->room->data(), sent->count, sent->layout->type(),
                                            out.to, out.tag, in.from, tag, comm, &sent->request);
  } else {
    Owned received = incoming(step, in);
    fill(*received, 0);
    code = how == 2
               ? MPI_Sendrecv(sent->room->data(), sent->count, sent->layout->type(), out.to,
                              out.tag, received->room->data(), received->count,
                              received->layout->type(), in.from, tag, comm, &received->status)
               : MPI_Isendrecv(sent->room->data(), sent->count, sent->layout->type(), out.to,
                               out.tag, received->room->data(), received->count,
                               received->layout->type(), in.from, tag, comm, &received->request);
    received->beside = std::move(sent);
    sent = std::move(received);
  }
  expect_success(code, step);
  if (sent->request == MPI_REQUEST_NULL) {
    check(*sent);
  } else {
    pending_.push_back(std::move(sent));
  }
}

void Traffic::cancel_send(const Step& step) {
  const Message& message = step.messages[0];
  if (message.source != me_) return;
  const Owned made = outgoing(step, message);
  fill(*made, 0);
  made->persistent = local_.toss();
  const auto begin = made->persistent ? MPI_Ssend_init : MPI_Issend;
  before_call_();
  expect_success(begin(made->room->data(), made->count, made->layout->type(), message.to,
                       message.tag, step.node.comm, &made->request),
                 step);
  expect_cancelled(*made);
}

void Traffic::cancel_receive(const Step& step) {
  const Message& message = step.messages[0];
  if (message.destination != me_) return;
  const Owned made = incoming(step, message);
  made->persistent = local_.toss();
  const int source = local_.toss() ? message.from : MPI_ANY_SOURCE;
  const auto begin = made->persistent ? MPI_Recv_init : MPI_Irecv;
  before_call_();
  expect_success(begin(made->room->data(), made->count, made->layout->type(), source, message.tag,
                       step.node.comm, &made->request),
                 step);
  expect_cancelled(*made);
}

void Traffic::expect_cancelled(Transfer& transfer) {
  if (transfer.persistent) start(transfer);
  before_call_();
  expect_success(MPI_Cancel(&transfer.request), transfer.step);
  before_call_();
  expect_success(MPI_Wait(&transfer.request, &transfer.status), transfer.step);
  int cancelled = 0;
  MPI_Test_cancelled(&transfer.status, &cancelled);
  EXPECT_TRUE(cancelled) << "rank " << me_ << ": " << transfer.step.describe();
  EXPECT_TRUE(transfer.room->matches()) << "rank " << me_ << ": " << transfer.step.describe();
  if (transfer.persistent) MPI_Request_free(&transfer.request);
}

void Traffic::wait(Transfer& transfer) {
  int done = 0, code = MPI_SUCCESS;
  before_call_();
  switch (local_.below(4)) {
    case 0:
      for (; !done; before_call_()) {
        code = MPI_Test(&transfer.request, &done, &transfer.status);
      }
      break;
    case 1:
      for (; !done; before_call_()) {
        MPI_Request_get_status(transfer.request, &done, MPI_STATUS_IGNORE);
      }
      [[fallthrough]];
    default:
      code = MPI_Wait(&transfer.request, &transfer.status);
  }
  expect_success(code, transfer.step);
  check(transfer);
}

void Traffic::finish(int left) {
  while (static_cast<int>(pending_.size()) > left) {
    switch (local_.below(6)) {
      case 0:
        finish_all();
        break;
      case 1:
        finish_some();
        break;
      default:
        finish_one();
    }
  }
}

void Traffic::finish_one() {
  const auto at = pending_.begin() + local_.below(static_cast<int>(pending_.size()));
  wait(**at);
  if ((*at)->persistent) MPI_Request_free(&(*at)->request);
  pending_.erase(at);
}

void Traffic::finish_all() {
  std::vector<MPI_Request> requests;
  for (const Owned& each : pending_) requests.push_back(each->request);
  std::vector<MPI_Status> statuses(requests.size());
  const auto count = static_cast<int>(requests.size());
  int code = MPI_SUCCESS, done = 0;
  before_call_();
  if (local_.toss()) {
    code = MPI_Waitall(count, requests.data(), statuses.data());
  } else {
    for (; !done; before_call_()) {
      code = MPI_Testall(count, requests.data(), &done, statuses.data());
    }
  }
  EXPECT_EQ(code, MPI_SUCCESS);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    pending_[i]->status = statuses[i];
    check(*pending_[i]);
    if (pending_[i]->persistent) MPI_Request_free(&requests[i]);
  }
  pending_.clear();
}

// Those that MPI_Waitany, MPI_Waitsome and their kin find done, once.
void Traffic::finish_some() {
  std::vector<MPI_Request> requests;
  for (const Owned& each : pending_) requests.push_back(each->request);
  std::vector<MPI_Status> statuses(requests.size());
  std::vector<int> which(requests.size(), -1);
  const auto count = static_cast<int>(requests.size());
  int done = 0, code = MPI_SUCCESS;
  before_call_();
  switch (local_.below(4)) {
    case 0:
      code = MPI_Waitany(count, requests.data(), &which[0], &statuses[0]);
      done = 1;
      break;
    case 1:
      for (; !done; before_call_()) {
        code = MPI_Testany(count, requests.data(), &which[0], &done, &statuses[0]);
      }
      break;
    case 2:
      code = MPI_Waitsome(count, requests.data(), &done, which.data(), statuses.data());
      break;
    default:
      for (; done == 0; before_call_()) {
        code = MPI_Testsome(count, requests.data(), &done, which.data(), statuses.data());
      }
  }
  EXPECT_EQ(code, MPI_SUCCESS);
  for (int i = 0; i < done; ++i) {
    const auto at = static_cast<std::size_t>(which[static_cast<std::size_t>(i)]);
    pending_[at]->status = statuses[static_cast<std::size_t>(i)];
    check(*pending_[at]);
    if (pending_[at]->persistent) MPI_Request_free(&requests[at]);
    pending_[at].reset();
  }
  std::erase(pending_, nullptr);
}

void Traffic::check_status(const Transfer& transfer) {
  const Message& message = transfer.message;
  const MPI_Status& status = transfer.status;
  const int words = words_of(transfer.step, message.units);
  const auto in_element = static_cast<int>(transfer.layout->words().size());
  int elements = -1, count = -1;
  MPI_Get_elements(&status, transfer.layout->type(), &elements);
  MPI_Get_count(&status, transfer.layout->type(), &count);
  const bool right = status.MPI_SOURCE == message.from && status.MPI_TAG == message.tag &&
                     elements == words &&
                     count == (words % in_element == 0 ? words / in_element : MPI_UNDEFINED);
  EXPECT_TRUE(right) << "rank " << me_ << " got from " << status.MPI_SOURCE << ", tag "
                     << status.MPI_TAG << ", " << elements << " elements, " << count
                     << " of the type: " << transfer.step.describe();
}

void Traffic::check(Transfer& transfer) {
  if (transfer.receives) check_status(transfer);
  EXPECT_TRUE(transfer.room->matches())
      << "rank " << me_ << (transfer.receives ? ": received is " : ": what was sent has changed: ")
      << transfer.message.number << ", time " << transfer.time << " of "
      << transfer.step.describe();
  if (transfer.beside != nullptr) check(*transfer.beside);
}

}  // namespace heddle::testing
