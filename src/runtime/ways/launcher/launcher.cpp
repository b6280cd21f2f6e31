#include "runtime/ways/launcher/launcher.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace heddle::launcher {

namespace {

constexpr char kDigits[] = "0123456789abcdef";

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    const auto value = static_cast<unsigned>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

bool read_hex(std::string_view text, Card* card) {
  if (text.size() % 2 != 0) return false;
  card->clear();
  card->reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const char* const end = text.data() + i + 2;
    const auto [rest, error] = std::from_chars(text.data() + i, end, value, 16);
    if (error != std::errc() || rest != end) return false;
    card->push_back(static_cast<std::byte>(value));
  }
  return true;
}

std::string piece_key(std::string_view key, int piece) {
  return std::string(key) + "-" + std::to_string(piece);
}

// The first piece begins with the number of all digits.
constexpr char kAfterLength = 'x';

}  // namespace

Error Launcher::put(std::string_view key, std::span<const std::byte> card) {
  const std::string digits = hex_of(card);
  const std::string text = std::to_string(digits.size()) + kAfterLength + digits;
  int piece = 0;
  for (std::size_t at = 0; at < text.size(); at += kLongestText) {
    if (Error e = put_text(piece_key(key, piece++), text.substr(at, kLongestText))) return e;
  }
  return {};
}

Error Launcher::get(int process, std::string_view key, Card* card) {
  std::string text;
  if (Error e = get_text(process, piece_key(key, 0), &text)) return e;
  std::size_t digits = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, digits);
  bool sane = error == std::errc() && rest != end && *rest == kAfterLength;
  text.erase(0, sane ? static_cast<std::size_t>(rest - text.data()) + 1 : 0);
  for (int piece = 1; sane && text.size() < digits; ++piece) {
    std::string more;
    if (Error e = get_text(process, piece_key(key, piece), &more)) return e;
    sane = !more.empty();
    text += more;
  }
  Card read;
  if (!sane || text.size() != digits || !read_hex(text, &read)) {
    return Error::make(kErrorOther, "%s has carried the card '%s' of process %d wrongly",
                       std::string(name()).c_str(), std::string(key).c_str(), process);
  }
  *card = std::move(read);
  return {};
}

Error Launcher::find_nodes(int processes, std::string_view own_node) {
  if (Error e = put("node", std::as_bytes(std::span(own_node)))) return e;
  if (Error e = fence()) return e;
  std::map<Card, int> numbers;
  std::vector<int> found;
  for (int each = 0; each < processes; ++each) {
    Card name;
    if (Error e = get(each, "node", &name)) return e;
    found.push_back(numbers.try_emplace(name, static_cast<int>(numbers.size())).first->second);
  }
  nodes_ = std::move(found);
  return {};
}

}  // namespace heddle::launcher
