// outbound.h — what waits in a channel to be sent: one packet, or a row of them.
//
//   Order     for                       among the channel's others
//   --------  ------------------------  -------------------------------------------------------
//   kKept     packets that open a       leaves after the kept ones that were put before it
//             message, and answers
//   kFree     the pieces of a large     takes turns with other large messages, piece by piece, so
//             message                   that no packet waits for a whole message
//
// Thread safety: from put() to sent() or dropped() it belongs to the channel, which calls it with
// the channel's lock.

#pragma once

#include <cstddef>
#include <span>

#include "base/inbox.h"
#include "base/intrusive_list.h"
#include "net/transport/transport.h"

namespace heddle::channel {

class Outbound : public InboxNode, public ListNode<> {
 public:
  enum class Order : unsigned char { kKept, kFree };
  enum class Step : unsigned char {
    kRefused,  // nothing left: ask again later
    kMore,     // a packet left, and there are more
    kLast,     // the last packet left
  };

  // Tries to send its next packet, by Endpoint::send or read, which count. `scratch` is memory of a
  // packet's size for it to use meanwhile.
  virtual Step send_next(transport::Endpoint& endpoint, std::span<std::byte> scratch) noexcept = 0;

  // The last packet has left / the channel ends before that. May delete this. sent() may put others
  // into channels, as an Upcall may.
  virtual void sent() noexcept = 0;
  virtual void dropped() noexcept = 0;

  Order order() const noexcept { return order_; }

 protected:
  explicit Outbound(Order order) noexcept : order_(order) {}
  virtual ~Outbound() = default;

 private:
  const Order order_;
};

// A packet that could not leave at once, with its bytes behind it.
class PackedPacket final : public Outbound {
 public:
  // `body_bytes` are for the caller to write. nullptr if no memory is left.
  static PackedPacket* make(int to_host, transport::Bytes head, std::size_t body_bytes) noexcept;

  std::byte* body() noexcept { return bytes() + head_bytes_; }

  Step send_next(transport::Endpoint& endpoint, std::span<std::byte>) noexcept override {
    const transport::Bytes all(bytes(), bytes_);
    return endpoint.send(to_host_, all, {}) ? Step::kLast : Step::kRefused;
  }
  void sent() noexcept override { destroy(); }
  void dropped() noexcept override { destroy(); }

 private:
  PackedPacket(int to_host, std::size_t head_bytes, std::size_t bytes) noexcept
      : Outbound(Order::kKept), to_host_(to_host), head_bytes_(head_bytes), bytes_(bytes) {}
  ~PackedPacket() override = default;

  std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  void destroy() noexcept;

  const int to_host_;
  const std::size_t head_bytes_, bytes_;
};

}  // namespace heddle::channel
