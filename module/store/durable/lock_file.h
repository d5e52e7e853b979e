// lock_file.h - LMDB's lock file, allocated before LMDB maps it.
//
// LMDB makes the file with holes, and writes into it through a mapping. If the disk has no room for
// the page of a hole, the system ends the process with SIGBUS. A file whose pages are allocated is
// written without new room, on file systems that write in place.
#pragma once

#include <string>

#include "base/result.h"

namespace laurel {

// The lock file that LMDB makes for the data file.
std::string lock_file_of(const std::string& file);

// Makes the lock file of the data file if it is missing, and allocates its pages. Fails with
// unavailable. REQUIRES: this process does not have the data file open with LMDB; closing a
// descriptor of the lock file would release LMDB's locks.
Status allocate_lock_file(const std::string& file);

}  // namespace laurel
