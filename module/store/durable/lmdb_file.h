// lmdb_file.h - one LMDB file, open; the only file that knows lmdb.h.
//
//   file        one database without a name. It was checked before (file_check.h), and is ours
//               alone (directory.h).
//   view        the file as its last transaction left it; it never changes, and keeps the pages
//               that it shows from being used again while it lives.
//   change      a write transaction: all of it or nothing. One at a time.
//   panic       after the file's head could not be written LMDB wants to be closed and opened anew;
//               nothing can be changed until then, and no view begun.
//   map         the file is mapped into memory, as far as it may ever grow: address space, which
//               costs nothing until it is used. Where so much is not to be had, less.
//   threads     one changes; views may be begun, read and ended by any, each cursor by one. None in
//               a process that was forked off.
//   source      LMDB 0.9.24, lmdb.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/store.h"

struct MDB_env;
struct MDB_txn;
struct MDB_cursor;

namespace laurel {

struct LmdbOptions {
  bool syncs = true;  // a change is on the disk when it has succeeded
  std::size_t map_bytes = kStoreMapBytesMax;
};

class LmdbFile : public std::enable_shared_from_this<LmdbFile> {
 public:
  // Opens the file, or makes it. Fails with unavailable.
  static Result<std::shared_ptr<LmdbFile>> open(const std::string& file,
                                                const LmdbOptions& options);
  ~LmdbFile();
  LmdbFile(const LmdbFile&) = delete;
  LmdbFile& operator=(const LmdbFile&) = delete;

  class View {
   public:
    View(std::shared_ptr<const LmdbFile> file, MDB_txn* transaction)
        : file_(std::move(file)), transaction_(transaction) {}
    ~View();
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    std::optional<std::string_view> get(std::string_view key) const;
    std::unique_ptr<Cursor> cursor() const;
    std::size_t size() const;

   private:
    std::shared_ptr<const LmdbFile> file_;
    MDB_txn* transaction_;
  };

  class Change {
   public:
    Change(MDB_txn* transaction, MDB_cursor* cursor) : transaction_(transaction), cursor_(cursor) {}
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

    // In the order of keys they are cheapest. Fail with unavailable; the change must end then.
    Status put(std::string_view key, std::string_view value);
    Status erase(std::string_view key);
    // Erases up to so many entries that begin with the prefix; how many there were.
    Result<std::size_t> erase_some(std::string_view prefix, std::size_t entries);
    Status commit();

   private:
    MDB_txn* transaction_;
    MDB_cursor* cursor_;
  };

  // Fails with unavailable.
  Result<std::unique_ptr<View>> view() const;
  Result<std::unique_ptr<Change>> change();
  // Waits until all changes are on the disk, where they do not wait themselves.
  Status sync();
  // Writes a copy without unused pages.
  Status copy_to(int descriptor) const;
  bool panics() const { return panics_; }

 private:
  explicit LmdbFile(MDB_env* env) : env_(env) {}

  MDB_env* env_;
  bool panics_ = false;
};

}  // namespace laurel
