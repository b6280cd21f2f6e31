#include "net/gateway/gateway.h"

#include <iterator>

#include "exec/ult/strand.h"

namespace heddle::gateway {

Gateway::Gateway(transport::Routes routes) {
  for (auto& transport : routes.transports) {
    routes_.push_back(std::make_unique<Route>(std::move(transport), *this));
  }
  for (const int index : routes.to_host) {
    const bool here = index == transport::Routes::kNone;
    by_host_.push_back(here ? nullptr : routes_[static_cast<std::size_t>(index)].get());
  }
}

Gateway::~Gateway() {
  if (open_) {
    for (auto& route : routes_) route->channels.stop_polling();
  }
  for (std::size_t i = std::size(receivers_); i-- > 0;) receivers_[i].reset();
}

void Gateway::open() noexcept {
  open_ = true;
  for (auto& route : routes_) route->channels.start_polling();
}

void Gateway::send_rest() noexcept {
  for (auto& route : routes_) {
    channel::Channels& channels = route->channels;
    while (channels.poll(-1, ult::PollEffort::kThorough) || channels.busy()) ult::yield();
  }
}

bool Gateway::has_way(int channel, int host) const noexcept {
  if (host < 0 || static_cast<std::size_t>(host) >= by_host_.size()) return false;
  const Route* const route = by_host_[static_cast<std::size_t>(host)];
  return route != nullptr && channel >= 0 && channel < route->transport->channels();
}

void Gateway::on_packet(int channel, int from_host, transport::Bytes packet) noexcept {
  const bool known = has_way(channel, from_host);
  if (known) by_host_[static_cast<std::size_t>(from_host)]->channels.count_handled(channel);
  if (!known || !kinds_.deliver({channel, from_host, packet})) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
  }
}

transport::Landing Gateway::on_begin(int channel, int from_host, transport::Bytes begin,
                                     std::size_t bytes) noexcept {
  if (!has_way(channel, from_host)) return {};
  return kinds_.begin({channel, from_host, begin}, bytes);
}

bool Gateway::all_sent(transport::Traffic* sum) const noexcept {
  for (const auto& route : routes_) {
    if (route->channels.busy()) return false;
    *sum += route->channels.traffic();
  }
  for (const auto& receiver : receivers_) {
    if (receiver != nullptr) *sum -= receiver->uncounted();
  }
  return true;
}

void Gateway::on_lost(int, int host) noexcept {
  for (auto& receiver : receivers_) {
    if (receiver != nullptr) receiver->on_lost(host);
  }
}

}  // namespace heddle::gateway
