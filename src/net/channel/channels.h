// channels.h — all channels of one transport of a host, and which threads advance them.
//
//   worker 0 ── home ──► channel 0 ◄─┐
//   worker 1 ── home ──► channel 1 ◄─┼── all workers: every n-th look; what is busy when they idle
//   worker 2 ── home ──► channel 2 ◄─┘
//
// A message's channel follows from its sender, its receiver and its communicator, and is the same
// in both directions. So what must stay in order has one channel, and threads that talk about
// different things mostly have different ones.
//
//   look        channels
//   ----------  -------------------------------------------------------------
//   passing     home; every n-th time all, n: HEDDLE_CHANNEL_LOOKS
//   idle        home and the busy ones; every n-th time all
//   thorough    all; if a channel is locked, its holder will look again
//
// Kernel threads that are no workers have no home: each of their looks goes to all.
//
// Thread safety: any thread; see channel.h for what its callers must not hold.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/ult/poller.h"
#include "net/channel/channel.h"

namespace heddle::channel {

// The number of channels of a host: HEDDLE_CHANNELS, or one a worker, at most kMost. More would
// only cost memory of the network.
constexpr int kMost = 32;
int usual_count(int workers) noexcept;

class Channels final : public ult::Poller {
 public:
  // Opens all of the transport's endpoints. Both must outlive it.
  Channels(transport::Transport& transport, transport::Upcall& upcall);
  ~Channels() override;  // drops what waits. Requires that it is not polled
  Channels(Channels&&) = delete;

  // Packets are delivered between the two, and so already before the first one returns, but no more
  // when the second one returns.
  void start_polling() noexcept;
  void stop_polling() noexcept;

  // The channel of messages between two processes, in a context.
  int channel_of(int process, int other, std::uint64_t context) const noexcept {
    const std::uint64_t mixed = context * 0x9E3779B97F4A7C15u >> 32;
    return static_cast<int>(
        (static_cast<std::uint64_t>(process) + static_cast<std::uint64_t>(other) + mixed) %
        channels_.size());
  }

  // Sends a packet, now or later; it is copied. Returns false if there is no memory to keep it.
  [[nodiscard]] bool send(int channel, int to_host, transport::Bytes head,
                          transport::Bytes body = {}) noexcept;

  // Takes over an Outbound: a row of packets, or a packet that is packed already.
  void put(int channel, Outbound& outbound) noexcept { at(channel).put(outbound); }

  // Packets wait, or some have just come. For a thread that has just polled thoroughly, while no
  // other one sends.
  bool busy() const noexcept;

  // channel.h
  void count_handled(int channel) noexcept { at(channel).count_handled(); }
  transport::Traffic traffic() const noexcept;

  std::size_t packet_bytes() const noexcept { return packet_bytes_; }

  bool poll(int worker, ult::PollEffort effort) noexcept override;

 private:
  struct alignas(platform::kCacheLine) Looks {
    // Workers with the same home count together, now and then one count is lost, which does no
    // harm.
    std::atomic<std::uint32_t> count{0};
  };

  Channel& at(int channel) noexcept { return *channels_[static_cast<std::size_t>(channel)]; }
  bool looks_at_all(std::size_t home) noexcept;

  const std::size_t packet_bytes_;
  const std::uint32_t looks_for_all_;
  bool polled_ = false;  // by the thread that starts and stops
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<Looks> looks_;  // by home
};

}  // namespace heddle::channel
