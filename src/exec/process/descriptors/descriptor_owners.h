// descriptor_owners.h — which rank has made a descriptor of the process.
//
// The kernel has one table of descriptors for the process. So that a rank finds what a process
// would find, each descriptor above 2 that a function of a rank makes belongs to that rank:
//
//   owner of a descriptor  close by rank r   dup2 onto it by r      a child of r
//   ---------------------  ----------------  ---------------------  ---------------------------
//   rank r                 closes it         replaces it            has it, unless close-on-exec
//   another rank           EBADF             EBUSY and a sentence   does not have it
//   none                   EBADF             EBUSY and a sentence   has it, unless close-on-exec
//
// No rank owns what the host has opened, what was there before the job began, and what a shared
// library has opened for itself.
//
//   I1  What a rank owns is close-on-exec in the kernel from its making on. Whether the program
//       asked for that is noted here. A child of fork clears the flag of what the rank passes on
//       and closes what other ranks own; a spawned child gets actions that clear the flag.
//
// So a descriptor that is made but not yet recorded cannot leak into a program that another rank
// starts: close-on-exec was set at its making. A pipe ends for its reader when the rank that owns
// the other end closes it, whatever other ranks start meanwhile.
//
// A rank's descriptors are closed when it ends.
//
// Thread safety: each function any strand. The table is lock-free: an entry is written only by the
// owner's strands while the kernel has given them the number.

#pragma once

#include "exec/process/descriptors/hooks.h"
#include "exec/process/descriptors/spawn_actions.h"

namespace heddle::process {

struct RankState;

// Those of descriptors above 2.
void add_owner_hooks(heddle_descriptor_hooks* hooks) noexcept;

// Called in the child that `rank` has forked: see I1.
void keep_descriptors_in_child(const RankState& rank) noexcept;

// Adds what a program that `rank` spawns needs to `actions`: an errno.
int pass_on_descriptors(const RankState& rank, SpawnActions* actions) noexcept;

// Called before `rank`, alone in its job, becomes another program; and if it did not.
void show_descriptors(const RankState& rank) noexcept;
void hide_descriptors(const RankState& rank) noexcept;

// `descriptor`, open in the process, is the calling rank's. Its children get it as the kernel's
// flag says now.
void adopt_descriptor(int descriptor) noexcept;

// `descriptor` belongs to no rank any more. The caller closes it.
void disown_descriptor(int descriptor) noexcept;

// Called at the end of `rank`, when no code of it runs any more.
void close_descriptors_of(const RankState& rank) noexcept;

}  // namespace heddle::process
