// backup.h - writes a copy of an open file as a new directory.
//
//   state    that of the file's last transaction.
//   name     the copy has its final name when it is complete and on the disk (directory.h). If the
//            backup fails, its file is empty and says that the backup did not end.
//   threads  one at a time; it blocks for the disk.
#pragma once

#include <string>

#include "base/result.h"
#include "store/durable/lmdb_file.h"

namespace laurel {

// Makes the directory if it does not exist. Fails with taken if it holds boards or another store
// has it open, and with unavailable.
Status back_up(const LmdbFile& source, const std::string& directory);

}  // namespace laurel
