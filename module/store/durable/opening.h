// opening.h - what is checked of a file before a store uses it, to write it or to read it.
//
//   shown    the name of the file in messages.
//   threads  any; these calls block for the disk.
#pragma once

#include <string>

#include "base/result.h"
#include "store/check/file_check.h"
#include "store/durable/lmdb_file.h"

namespace laurel {

// check_file() with the checksum of each row. Fails as check_file(), and names the file.
Result<FileFacts> check_stored_file(const std::string& file, const std::string& shown,
                                    const Progress& progress);

// Fails with bad_data if the file is not one of laurel's, and with unsupported if its format is
// another one.
Status check_form(const LmdbFile::View& view, const std::string& shown);

// bad_data: the directory has laurel.mdb.new and no laurel.mdb.
Refusal unfinished_backup(const std::string& directory);

}  // namespace laurel
