#include "exec/ult/task_block.h"

#include <new>

#include "base/platform/memory.h"
#include "exec/ult/switch/orphan.h"

namespace heddle::ult {

// At the top of the memory that it names.
struct TaskBlock {
  platform::Mapping mapping;
  Orphan orphan;
};

TaskBlock* make_task_block() noexcept {
  constexpr std::size_t kRoom = 16 << 10;  // the orphan's destructors run there at its end
  const platform::Mapping mapping =
      platform::map_stack(kRoom + Orphan::overhead() + sizeof(TaskBlock));
  if (mapping.low == nullptr) return nullptr;
  char* const top = static_cast<char*>(mapping.low) + mapping.bytes - sizeof(TaskBlock);
  auto* const block = new (top) TaskBlock{.mapping = mapping, .orphan = {}};
  const auto usable = static_cast<std::size_t>(top - static_cast<char*>(mapping.low));
  if (block->orphan.create(mapping.low, usable) == 0) return block;
  block->~TaskBlock();
  platform::unmap(mapping);
  return nullptr;
}

void* thread_pointer_of(const TaskBlock& block) noexcept {
  return block.orphan.thread_pointer();
}

void free_task_block(TaskBlock& block) noexcept {
  block.orphan.revive_and_join();
  const platform::Mapping mapping = block.mapping;
  block.~TaskBlock();
  platform::unmap(mapping);
}

}  // namespace heddle::ult
