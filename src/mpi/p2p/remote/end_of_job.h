// end_of_job.h — ends the job for something that no rank has done.
//
// Packets are delivered on the strand that polls, which may be any rank's. The report names the
// rank that fails, so here it must name none.
//
// Thread safety: any strand.

#pragma once

#include <string_view>

namespace heddle::p2p {

void end_job(int error_class, std::string_view sentence) noexcept;

}  // namespace heddle::p2p
