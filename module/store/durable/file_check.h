// file_check.h - proves a file of LMDB's sound before LMDB touches it.
//
// LMDB trusts its file: of one that is damaged it crashes, loops, loses entries or shows others. A
// file that passes here is, to the last bit that means anything, one that LMDB could have written:
// it opens, shows exactly the entries that were checked, and goes on from there.
//
//   checked    both metas, the trees of the newest state, all of their pages, nodes, keys and runs;
//              every entry, by the caller; the free list. See FORMAT.md.
//   not        what means nothing: unused room, free pages, pages neither used nor free.
//   older      a file that is whole, but was put back from a copy, is sound. So is one whose newest
//              meta was put back alone while the transaction before still stands: that is what it
//              looks like when the machine stops before a transaction's end.
//   limits     the main tree is the only one: no named databases, no duplicates.
//   requires   nobody writes or cuts the file meanwhile.
//   threads    any; it blocks for the disk.
//   cost       the file is read once from front to back, and walked in memory: ten million rows of
//              40 bytes take about half a second when the system has them. A bit a page.
//   source     LMDB 0.9.24, mdb.c: mdb_env_read_header, mdb_env_pick_meta, mdb_txn_renew0,
//              mdb_page_alloc, mdb_freelist_save. The format is in lmdb_format.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace laurel {

struct FileFacts {
  std::uint64_t transaction = 0;  // the last one; 0 in a new file
  std::uint64_t entries = 0;
  std::uint64_t depth = 0;  // levels of the main tree
  std::uint64_t page_bytes = 0;
  std::uint64_t pages = 0;       // metas, used, free, and those that are lost between them
  std::uint64_t pages_used = 0;  // by the metas and both trees
  std::uint64_t pages_free = 0;
  std::uint64_t file_bytes = 0;
};

// Whether an entry is as it was written; a refusal ends the check, with its page in front. In the
// order of keys; views are valid during the call.
using RowCheck = std::function<Status(std::string_view key, std::string_view value)>;
// Told now and then how many entries were checked; may be empty.
using Progress = std::function<void(std::uint64_t rows)>;

// Fails with bad_data: it is damaged, "page 17: key 3 is out of order"; unavailable: it cannot be
// read, or is no file of LMDB's, or of a format that we do not know.
Result<FileFacts> check_file(const std::string& file, const RowCheck& row,
                             const Progress& progress);

}  // namespace laurel
