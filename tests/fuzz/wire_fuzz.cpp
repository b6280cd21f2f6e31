// What comes from a network, by libFuzzer: ./dev fuzz. An input is packets behind each other, each after its length in two bytes.
//
// The check on arrival (src/net/transport/fabric/wire.h) is compared with one that reads the drawing in that file byte by byte.
// AddressSanitizer sees whether anything outside of a packet is read.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "net/transport/fabric/wire.h"

namespace {

using namespace heddle::transport;

constexpr WireEnd kEnd = {
    .key = 0x1122334455667788, .host = 1, .hosts = 4, .channel = 2, .packet_bytes = 600};

void check(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wire_fuzz: %s\n", what);
  std::abort();
}

std::uint64_t number_at(const std::vector<std::uint8_t>& packet, std::size_t at, int bytes) {
  std::uint64_t number = 0;
  for (int i = bytes - 1; i >= 0; --i) {
    number = number << 8 | packet[at + static_cast<std::size_t>(i)];
  }
  return number;
}

bool is_right(const std::vector<std::uint8_t>& packet) {
  if (packet.size() < 32) return false;
  const std::uint64_t bytes = number_at(packet, 16, 4);
  const std::uint64_t from = number_at(packet, 20, 4);
  const std::uint64_t kind = packet[30];
  if (number_at(packet, 0, 8) != 0x1122334455667788) return false;
  if (from > 3 || from == 1 || number_at(packet, 24, 4) != 1) return false;
  if (number_at(packet, 28, 2) != 2 || packet[31] != 1) return false;
  if (bytes > 600 || packet.size() != 32 + (bytes + 15) / 16 * 16) return false;
  return kind == 0 || (kind == 1 && bytes == 0);
}

// What has been taken of one sender.
struct Sender {
  WireSequence sequence;
  std::uint64_t taken = 0;
  bool over = false;
};

void arrive(const std::vector<std::uint8_t>& packet, std::map<int, Sender>* senders) {
  WireHead head;
  const bool accepted =
      read_head(std::as_bytes(std::span(packet.data(), packet.size())), kEnd, &head);
  check(accepted == is_right(packet), "another answer than the drawing gives");
  if (!accepted) return;
  check(sizeof head + head.bytes <= packet.size(), "the payload is longer than the packet");
  Sender& sender = (*senders)[head.from];
  switch (sender.sequence.take(head)) {
    case WireArrival::kDeliver:
    case WireArrival::kFarewell:
      check(head.number == sender.taken && !sender.over, "taken twice, or out of order");
      ++sender.taken;
      sender.over = head.kind == WireKind::kFarewell;
      break;
    case WireArrival::kDrop:
      check(head.number < sender.taken || sender.over, "dropped, but it was the next one");
      break;
    case WireArrival::kGap:
      check(head.number > sender.taken, "none is missing");
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::map<int, Sender> senders;
  while (size >= 2) {
    std::size_t length = static_cast<std::size_t>(data[0] | data[1] << 8);
    data += 2;
    size -= 2;
    if (length > size) length = size;
    arrive(std::vector<std::uint8_t>(data, data + length), &senders);
    data += length;
    size -= length;
  }
  return 0;
}
