// socket_file.h - the socket in a registry's directory, by which the command `laurel` reaches the
// server that has the directory open.
#pragma once

#include <string>
#include <sys/un.h>

#include "base/file_descriptor.h"

namespace laurel {

inline constexpr char kControlSocket[] = "laurel.sock";

// The address of the socket in the directory with that descriptor. The path of the directory itself
// may be longer than an address.
sockaddr_un control_address(int directory);

}  // namespace laurel
