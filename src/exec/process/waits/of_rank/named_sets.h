// named_sets.h — what the kernel gets in place of a list of a rank's descriptors: 0 to 2 are what
// the rank has there (hosted.h, in_process).
//
//   the program's  {0, POLLIN} {5, POLLIN}  bits 0 and 5  SCM_RIGHTS 1 5
//   the kernel's   {7, POLLIN} {5, POLLIN}  bits 5 and 7  SCM_RIGHTS 8 5  after dup2(7, 0),
//                                                                         dup2(8, 1)
//
// A list that names none of them goes to the kernel as it is. The program's own is never changed
// before the call is over.
//
// Thread safety: any strand of the rank.

#pragma once

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "exec/process/state/of_rank/hosted.h"

namespace heddle::process::of_rank {

inline bool is_renamed(int descriptor) noexcept {
  return is_standard(descriptor) && in_process(descriptor) != descriptor;
}

inline bool is_any_renamed(const pollfd* wanted, nfds_t count) noexcept {
  for (nfds_t i = 0; i < count; ++i) {
    if (is_renamed(wanted[i].fd)) return true;
  }
  return false;
}

// poll(list) is called with the kernel's list. A closed one is there, but is no descriptor.
template <class Poll>
int poll_named(pollfd* wanted, nfds_t count, Poll poll) {
  if (count > FD_SETSIZE || !is_any_renamed(wanted, count)) return poll(wanted);
  pollfd list[FD_SETSIZE];
  for (nfds_t i = 0; i < count; ++i) {
    list[i] = wanted[i];
    if (is_standard(wanted[i].fd)) {
      const int own = in_process(wanted[i].fd);
      list[i].fd = own >= 0 ? own : INT_MAX;
    }
  }
  const int result = poll(list);
  for (nfds_t i = 0; i < count; ++i) wanted[i].revents = list[i].revents;
  return result;
}

using GivenSets = fd_set* const (&)[3];

// select(count, sets) is called with the kernel's sets.
template <class Select>
int select_named(int count, GivenSets given, Select select) {
  int own[3] = {0, 1, 2};
  bool any = false;
  for (int i = 0; i < 3 && i < count; ++i) {
    const bool asked = (given[0] != nullptr && FD_ISSET(i, given[0])) ||
                       (given[1] != nullptr && FD_ISSET(i, given[1])) ||
                       (given[2] != nullptr && FD_ISSET(i, given[2]));
    if (!asked || !is_renamed(i)) continue;
    own[i] = in_process(i);
    any = true;
    if (own[i] >= 0 && own[i] < FD_SETSIZE) continue;
    errno = EBADF;
    return -1;
  }
  if (!any || count > FD_SETSIZE) return select(count, given);
  fd_set sets[3];
  int most = count;
  for (int set = 0; set < 3; ++set) {
    FD_ZERO(&sets[set]);
    for (int i = 0; given[set] != nullptr && i < count; ++i) {
      if (!FD_ISSET(i, given[set])) continue;
      const int here = i < 3 ? own[i] : i;
      FD_SET(here, &sets[set]);
      if (here >= most) most = here + 1;
    }
  }
  fd_set* const kernels[3] = {given[0] != nullptr ? &sets[0] : nullptr,
                              given[1] != nullptr ? &sets[1] : nullptr,
                              given[2] != nullptr ? &sets[2] : nullptr};
  const int result = select(most, kernels);
  if (result < 0) return result;
  int found = 0;
  for (int set = 0; set < 3; ++set) {
    for (int i = 0; given[set] != nullptr && i < count; ++i) {
      if (!FD_ISSET(i, given[set])) continue;
      if (FD_ISSET(i < 3 ? own[i] : i, &sets[set])) {
        ++found;
      } else {
        FD_CLR(i, given[set]);
      }
    }
  }
  return found;
}

// Calls visit(int&) for each descriptor that the message carries.
template <class Visit>
void for_each_right(msghdr& message, Visit visit) noexcept {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      memcpy(&descriptor, CMSG_DATA(part) + i * sizeof descriptor, sizeof descriptor);
      visit(descriptor);
      memcpy(CMSG_DATA(part) + i * sizeof descriptor, &descriptor, sizeof descriptor);
    }
  }
}

inline bool carries_renamed(const msghdr& message) noexcept {
  bool any = false;
  if (message.msg_control != nullptr) {
    msghdr copy = message;
    for_each_right(copy, [&](int& descriptor) { any |= is_renamed(descriptor); });
  }
  return any;
}

}  // namespace heddle::process::of_rank
