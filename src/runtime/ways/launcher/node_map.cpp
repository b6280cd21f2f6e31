#include "runtime/ways/launcher/node_map.h"

#include <algorithm>
#include <charconv>
#include <string>
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
  bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

Block read_block(Reader& reader) noexcept {
  if (!reader.next_is('(')) return {reader.take_number(), 1, 1};
  Block block;
  reader.take("(");
  block.first_node = reader.take_number();
  reader.take(",");
  block.nodes = reader.take_number();
  reader.take(",");
  block.processes_a_node = reader.take_number();
  reader.take(")");
  return block;
}

bool read_blocks(std::string_view text, std::vector<Block>* blocks) {
  Reader reader(text);
  reader.take("(vector");
  while (!reader.failed() && reader.next_is(',')) {
    reader.take(",");
    blocks->push_back(read_block(reader));
  }
  reader.take(")");
  return !reader.failed() && reader.at_end();
}

std::size_t first_of_node_0(const std::vector<int>& nodes) noexcept {
  const auto first = std::find(nodes.begin(), nodes.end(), 0);
  return first != nodes.end() ? static_cast<std::size_t>(first - nodes.begin()) : 0;
}

}  // namespace

Error read_node_map(std::string_view text, int processes, std::vector<int>* nodes) {
  nodes->clear();
  if (text.empty() || text.find('[') != std::string_view::npos) return {};
  std::string dense(text);
  std::erase(dense, ' ');
  std::vector<Block> blocks;
  const bool sane = read_blocks(dense, &blocks);
  const auto count = static_cast<std::size_t>(processes);
  std::vector<int> made;
  for (const Block& block : blocks) {
    for (int node = 0; node < block.nodes && made.size() < count; ++node) {
      for (int i = 0; i < block.processes_a_node && made.size() < count; ++i) {
        made.push_back(block.first_node + node);
      }
    }
  }
  if (!sane || made.empty()) {
    return Error::make(kErrorOther, "the launcher's list of nodes, '%.*s', cannot be read",
                       static_cast<int>(text.size()), text.data());
  }
  const std::size_t again = made.size() - first_of_node_0(made);
  while (made.size() < count) made.push_back(made[made.size() - again]);
  *nodes = std::move(made);
  return {};
}

}  // namespace heddle::launcher
