#include "exec/process/own/own.h"

namespace heddle::process {

// The first of all RankLocals, so destroyed last: what MPI keeps of a rank may use its threads and
// its output.
[[gnu::init_priority(199)]] const RankLocal<Own> own_of_rank;

}  // namespace heddle::process
