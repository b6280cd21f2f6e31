// hosted_rank.h — the life of a rank that mpiexec has started, on its main ult.
//
//   libc, signals: begin ── load the image ── main ── retire the image ── signals, libc: end
//
// Thread safety: any rank's main ult.

#pragma once

namespace heddle::runtime {

// A RankMain (job.h); `job` is the HostedJob. May switch.
int run_hosted_rank(int rank, void* job);

}  // namespace heddle::runtime
