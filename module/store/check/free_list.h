// free_list.h - the entries of LMDB's free list: which transaction freed which pages.
//
//   entry   key: the transaction's number. Value: the number of pages, then their page numbers in
//           descending order. Bytes after them have no meaning.
//   damage  a page that is in use or listed twice would be overwritten while it is read. A
//           transaction number greater than the file's last would hide its pages, and 0 would hand
//           them out twice.
//   source  LMDB 0.9.24, mdb.c: mdb_freelist_save, mdb_page_alloc; midl.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/check/tree_walk.h"

namespace laurel {

class FreeList {
 public:
  // `use` outlives this object. `transaction` is the file's last one; `file_pages` is the number of
  // pages in the file.
  FreeList(lmdb::PageUse& use, std::uint64_t transaction, std::uint64_t file_pages)
      : use_(use), transaction_(transaction), file_pages_(file_pages) {}

  // Checks and adds one entry. Fails with bad_data. REQUIRES: the key has eight bytes.
  Status add(std::string_view key, std::string_view value);

  std::uint64_t size() const { return size_; }              // pages
  std::uint64_t behind_end() const { return behind_end_; }  // of them, beyond the file's end
  // True if the last transaction freed that page. O(log n).
  bool freed_last(std::uint64_t page) const;

 private:
  lmdb::PageUse& use_;
  std::uint64_t transaction_;
  std::uint64_t file_pages_;
  std::uint64_t size_ = 0;
  std::uint64_t behind_end_ = 0;
  std::vector<std::uint64_t> last_;  // pages that the last transaction freed, descending
};

}  // namespace laurel
