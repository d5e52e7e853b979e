// control_socket.h - takes orders of moderators for a registry, from a socket in its directory.
//
//   socket   laurel.sock, mode 0600, made when the registry is open and removed when it closes. One
//            that a crash left is replaced: by the directory's lock no other process serves it.
//   lines    an order and its answer are one line each (moderation_line.h). A connection may send
//            more orders when it has its answer.
//   answer   that something was done is told when it is on the disk.
//   log      each order that was carried out is a line at level info, with the user who gave it.
//   bounds   kControlClientsMax connections, the others wait to be accepted; one order of each at a
//            time, of at most kControlLineBytesMax bytes; kControlNanoseconds a tick. A connection
//            that does nothing for kControlPatience is closed.
//   fails    if no socket can be made: that is logged once, and there is no socket.
//   fork     a forked child leaves the socket to its parent.
//   threads  the registry's. No call waits.
//   cost     a tick without connections: one system call.
#pragma once

#include <memory>

#include "registry/control.h"

namespace laurel {

// For a registry in this directory. REQUIRES: it is not empty.
std::unique_ptr<Control> make_control_socket(std::string directory);

}  // namespace laurel
