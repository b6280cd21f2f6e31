#include "net/channel/channels.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/settings.h"

namespace heddle::channel {

int usual_count(int workers) noexcept {
  const auto wanted = static_cast<int>(settings::value(settings::Id::kChannels));
  return std::clamp(wanted > 0 ? wanted : workers, 1, kMost);
}

Channels::Channels(transport::Transport& transport, transport::Upcall& upcall)
    : packet_bytes_(transport.traits().packet_bytes),
      looks_for_all_(static_cast<std::uint32_t>(settings::value(settings::Id::kChannelLooks))),
      looks_(static_cast<std::size_t>(transport.channels())) {
  for (int i = 0; i < transport.channels(); ++i) {
    channels_.push_back(std::make_unique<Channel>(i, transport, upcall));
  }
}

Channels::~Channels() {
  assert(!polled_);
}

void Channels::start_polling() noexcept {
  polled_ = true;
  ult::add_poller(*this);
}

void Channels::stop_polling() noexcept {
  ult::remove_poller(*this);
  polled_ = false;
}

bool Channels::send(int channel, int to_host, transport::Bytes head,
                    transport::Bytes body) noexcept {
  if (at(channel).send_now(to_host, head, body)) return true;
  PackedPacket* packet = PackedPacket::make(to_host, head, body.size());
  if (packet == nullptr) return false;
  if (!body.empty()) std::memcpy(packet->body(), body.data(), body.size());
  put(channel, *packet);
  return true;
}

bool Channels::busy() const noexcept {
  return std::any_of(channels_.begin(), channels_.end(),
                     [](const auto& channel) { return channel->busy(); });
}

transport::Traffic Channels::traffic() const noexcept {
  transport::Traffic sum;
  for (const auto& channel : channels_) sum += channel->traffic();
  return sum;
}

bool Channels::looks_at_all(std::size_t home) noexcept {
  std::atomic<std::uint32_t>& count = looks_[home].count;
  const std::uint32_t looks = count.load(std::memory_order_relaxed) + 1;
  count.store(looks, std::memory_order_relaxed);
  return looks % looks_for_all_ == 0;
}

bool Channels::poll(int worker, ult::PollEffort effort) noexcept {
  const std::size_t count = channels_.size();
  const bool has_home = worker >= 0;
  const std::size_t home = has_home ? static_cast<std::size_t>(worker) % count : 0;
  const bool surely = effort == ult::PollEffort::kThorough;
  const bool all = surely || !has_home || looks_at_all(home);
  bool progress = false;
  for (std::size_t i = 0; i < count; ++i) {  // home first
    Channel& channel = *channels_[(home + i) % count];
    const bool wanted = all || i == 0 || (effort == ult::PollEffort::kIdle && channel.busy());
    if (wanted) progress |= surely ? channel.advance_surely() : channel.advance();
  }
  return progress;
}

}  // namespace heddle::channel
