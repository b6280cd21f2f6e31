// child_processes.h — the processes that this one has started, and those that they have.
//
// They are found in /proc, because libraries start processes without telling. Children that the
// process had when it began do not count: after `exec mpiexec … > >(tee log)` the shell's tee is
// such a child.
//
// Thread safety: note_inherited_children before there is a second thread; end_children also in
// signal handlers.

#pragma once

namespace heddle::platform {

void note_inherited_children() noexcept;

// Kills the children and what they have started. Does nothing without note_inherited_children, or
// in a child of the process that called it. A process that has made itself independent (a daemon,
// whose parent has ended) stays.
void end_children() noexcept;

}  // namespace heddle::platform
