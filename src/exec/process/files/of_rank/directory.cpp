// The working directory and file mode mask of this rank: the host keeps them
// (exec/process/files/directory.h) and sets them in the kernel whenever the rank runs, so every
// system call sees them.

#include <sys/stat.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::process::of_rank;

#include "directory.inc"
