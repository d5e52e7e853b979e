// file_check.h - proves that an LMDB file is sound before LMDB opens it.
//
// LMDB trusts its file: with a damaged one it crashes, loops, loses entries or shows wrong ones. A
// file that passes this check is, in every bit that has a meaning, one that LMDB could have
// written: LMDB can open it, shows exactly the checked entries, and can continue to write it.
//
//   checked    both metas; the trees of the newest state with all their pages, nodes, keys and
//              overflow runs; every entry, through the callback; the free list. See FORMAT.md.
//   ignored    bytes without meaning: unused room, free pages, pages neither used nor free.
//   older      an intact file restored from a copy is sound. So is a file of which only the newest
//              meta was restored while the previous transaction is intact: it looks like a machine
//              that stopped before the end of a transaction.
//   limits     only the main tree: no named databases, no duplicates.
//   requires   the file is not written or truncated during the check.
//   threads    any; it blocks for the disk.
//   cost       reads all pages that are not free once, from front to back, and walks them in
//              memory: ten million rows of 40 bytes take about half a second if the file is in
//              the page cache. One bit a page.
//   source     LMDB 0.9.24, mdb.c: mdb_env_read_header, mdb_env_pick_meta, mdb_txn_renew0,
//              mdb_page_alloc, mdb_freelist_save. The format is in lmdb_format.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/check/check_threads.h"

namespace laurel {

struct FileFacts {
  std::uint64_t transaction = 0;  // the last one; 0 in a new file
  std::uint64_t entries = 0;
  std::uint64_t depth = 0;  // levels of the main tree
  std::uint64_t page_bytes = 0;
  std::uint64_t pages = 0;       // metas, used, free, and lost pages
  std::uint64_t pages_used = 0;  // by the metas and by both trees
  std::uint64_t pages_free = 0;
  std::uint64_t file_bytes = 0;
};

// The newest state that both meta pages, the head of the file, show.
struct FileHead {
  std::uint64_t transaction = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t last_page = 0;  // of this state; pages behind the file's end are free
};
// No head is longer.
inline constexpr std::size_t kFileHeadBytes = std::size_t{64} << 10;

// Checks the head, given as the file's first bytes: kFileHeadBytes, or all that there are. Fails as
// check_file(). While another process writes the file, it may also fail because both pages are of
// different moments.
Result<FileHead> check_head(std::string_view bytes);

// Checks one entry; a refusal ends the check and gets the entry's page as a prefix. Views are valid
// during the call.
using RowCheck = std::function<Status(std::string_view key, std::string_view value)>;
// Called from time to time with the number of entries checked so far, by one thread at a time; may
// be empty.
using Progress = std::function<void(std::uint64_t rows)>;

// Fails with bad_data: the file is damaged, "page 17: key 3 is out of order"; unavailable: it
// cannot be read, is not an LMDB file, or has an unknown format.
Result<FileFacts> check_file(const std::string& file, const RowCheck& row, const Progress& progress,
                             CheckThreads threads = CheckThreads::one);

}  // namespace laurel
