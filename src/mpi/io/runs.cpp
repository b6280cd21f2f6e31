#include "mpi/io/runs.h"

#include <utility>

#include "mpi/datatype/sinks.h"

namespace heddle::io {

namespace {

constexpr MPI_Count kRunsAtOnce = 256;

MPI_Count bytes_at_once(const datatype::Datatype& type, MPI_Count bytes) noexcept {
  if (type.dense() || type.size() == 0) return bytes;
  const MPI_Count mean = std::max<MPI_Count>(type.size() / type.layout().runs(), 1);
  return bytes / kRunsAtOnce <= mean ? bytes : mean * kRunsAtOnce;
}

}  // namespace

Runs::Runs(datatype::Address base, const datatype::Datatype& type, MPI_Count skip, MPI_Count bytes)
    : base_(base), type_(type), skip_(skip), rest_(bytes), at_once_(bytes_at_once(type, bytes)) {
  if (rest_ > 0) find_more();
}

Runs::Runs(std::vector<Run> runs) noexcept
    : base_(0),
      type_(datatype::named(MPI_BYTE)),
      skip_(0),
      rest_(0),
      at_once_(0),
      found_(std::move(runs)) {}

void Runs::find_more() noexcept {
  found_.clear();
  next_ = 0;
  const MPI_Count bytes = std::min(rest_, at_once_);
  datatype::EachRun sink([this](datatype::Address at, MPI_Count length) {
    if (!found_.empty() && datatype::moved(found_.back().at, found_.back().bytes) == at) {
      found_.back().bytes += length;
    } else {
      found_.push_back({at, length});
    }
  });
  datatype::walk_buffer(reinterpret_cast<const void*>(base_), type_, skip_, bytes, sink);
  skip_ += bytes;
  rest_ -= bytes;
}

void Runs::advance(MPI_Count bytes) noexcept {
  Run& run = found_[next_];
  run.at += static_cast<datatype::Address>(bytes);
  run.bytes -= bytes;
  if (run.bytes == 0 && ++next_ == found_.size() && rest_ != 0) find_more();
}

}  // namespace heddle::io
