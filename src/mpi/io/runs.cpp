#include "mpi/io/runs.h"

namespace heddle::io {

namespace {

constexpr MPI_Count kRunsAtOnce = 256;

class Collector {
 public:
  explicit Collector(std::vector<Run>& out) noexcept : out_(out) {}

  void run(datatype::Address at, MPI_Count bytes) {
    if (!out_.empty() && out_.back().at + static_cast<datatype::Address>(out_.back().bytes) == at) {
      out_.back().bytes += bytes;
    } else {
      out_.push_back({at, bytes});
    }
  }
  void strided(datatype::Address at, MPI_Count stride, MPI_Count bytes, MPI_Count count) {
    for (MPI_Count i = 0; i < count; ++i) run(datatype::moved(at, i * stride), bytes);
  }
  void scattered(datatype::Address base, const MPI_Count* offsets, MPI_Count bytes,
                 MPI_Count count) {
    for (MPI_Count i = 0; i < count; ++i) run(datatype::moved(base, offsets[i]), bytes);
  }
  void records(datatype::Address at, MPI_Count stride, MPI_Count count,
               const datatype::Fields& fields) {
    for (MPI_Count i = 0; i < count; ++i) {
      const datatype::Address record = datatype::moved(at, i * stride);
      for (MPI_Count f = 0; f < fields.count; ++f) {
        run(datatype::moved(record, fields.offsets[f]), fields.starts[f + 1] - fields.starts[f]);
      }
    }
  }

 private:
  std::vector<Run>& out_;
};

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

void Runs::find_more() noexcept {
  found_.clear();
  next_ = 0;
  const MPI_Count bytes = std::min(rest_, at_once_);
  Collector sink(found_);
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
