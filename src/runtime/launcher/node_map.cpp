#include "runtime/launcher/node_map.h"

#include <charconv>
#include <utility>

namespace heddle::launcher {

namespace {

struct Block {
  int first_node = 0, nodes = 0, processes_a_node = 0;
};

// Takes what it expects from the front of a text; after a first failure it takes nothing more.
class Reader {
 public:
  explicit Reader(std::string_view text) noexcept : rest_(text) {}

  bool next_is(char letter) const noexcept { return !rest_.empty() && rest_[0] == letter; }
  void take(std::string_view word) noexcept {
    failed_ = failed_ || !rest_.starts_with(word);
    if (!failed_) rest_.remove_prefix(word.size());
  }
  int take_number() noexcept {
    int number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    failed_ = failed_ || error != std::errc() || number < 0;
    if (!failed_) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }
  bool failed() const noexcept { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

bool read_blocks(std::string_view text, std::vector<Block>* blocks) {
  Reader reader(text);
  reader.take("(vector");
  long placed = 0;
  while (!reader.failed() && reader.next_is(',')) {
    Block block;
    reader.take(",(");
    block.first_node = reader.take_number();
    reader.take(",");
    block.nodes = reader.take_number();
    reader.take(",");
    block.processes_a_node = reader.take_number();
    reader.take(")");
    placed += static_cast<long>(block.nodes) * block.processes_a_node;
    blocks->push_back(block);
  }
  reader.take(")");
  return !reader.failed() && placed > 0;
}

}  // namespace

Error read_node_map(std::string_view text, int processes, std::vector<int>* nodes) {
  std::vector<Block> blocks;
  if (!read_blocks(text, &blocks)) {
    return Error::make(kErrorOther, "the launcher's list of nodes, '%.*s', cannot be read",
                       static_cast<int>(text.size()), text.data());
  }
  std::vector<int> made;
  const auto count = static_cast<std::size_t>(processes);
  made.reserve(count);
  while (made.size() < count) {
    for (const Block& block : blocks) {
      for (int node = 0; node < block.nodes; ++node) {
        for (int i = 0; i < block.processes_a_node && made.size() < count; ++i) {
          made.push_back(block.first_node + node);
        }
      }
    }
  }
  *nodes = std::move(made);
  return {};
}

}  // namespace heddle::launcher
