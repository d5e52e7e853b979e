// lmdb_file.h - one open LMDB file; only this component includes lmdb.h.
//
//   file     one unnamed database. It was checked before (file_check.h), and no other process uses
//            it (directory.h), except readers.
//   view     the file as of its last transaction. It never changes, and LMDB does not reuse its
//            pages while it exists.
//   change   a write transaction, all or nothing. One at a time.
//   panic    if the file's meta page could not be written, LMDB requires that the file is closed
//            and opened again. Until then no change and no view can begin.
//   map      the file is mapped with address space for its growth (map_size.h). If a change needs
//            more, it fails and is_full() is true: the file must be opened again with a larger map.
//   reader   a process that opens the file with LmdbAccess::beside_writer changes nothing. While it
//            has a view, the writer reuses no page that the view shows, and the file grows. If the
//            reader was killed, the writer frees its slot with free_dead_readers().
//   threads  one thread changes the file; any thread may begin, read and end views; each cursor
//            belongs to one thread. Not usable in a forked child.
//   source   LMDB 0.9.24, lmdb.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/durable/named_file.h"
#include "store/durable/replaced_head.h"
#include "store/store.h"

struct MDB_env;
struct MDB_txn;
struct MDB_cursor;

namespace laurel {

enum class LmdbAccess : std::uint8_t {
  write,
  beside_writer,  // reads; another process may write the file. The lock file exists
  alone,          // reads; no process writes the file. No lock file is used
};

struct LmdbOptions {
  bool syncs = true;  // a change that has succeeded is on disk
  std::size_t map_bytes_max = kStoreMapBytesMax;
  std::size_t map_bytes = 0;  // 0: as map_size.h chooses
  LmdbAccess access = LmdbAccess::write;
  std::chrono::microseconds dead_readers_every{kStoreDeadReadersEvery};  // writer.h
};

class LmdbFile : public std::enable_shared_from_this<LmdbFile> {
 public:
  // Opens the file, or creates it to write. Fails with unavailable. REQUIRES: this process does not
  // have it open.
  static Result<std::shared_ptr<LmdbFile>> open(const std::string& file,
                                                const LmdbOptions& options);
  ~LmdbFile();
  LmdbFile(const LmdbFile&) = delete;
  LmdbFile& operator=(const LmdbFile&) = delete;

  class View {
   public:
    explicit View(std::shared_ptr<const LmdbFile> file) : file_(std::move(file)) {}
    ~View();
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    std::optional<std::string_view> get(std::string_view key) const;
    std::unique_ptr<Cursor> cursor() const;
    std::size_t size() const;
    // The number of the transaction that it shows.
    std::uint64_t transaction() const;

   private:
    friend LmdbFile;

    std::shared_ptr<const LmdbFile> file_;
    MDB_txn* transaction_ = nullptr;
  };

  class Change {
   public:
    explicit Change(LmdbFile& file) : file_(file) {}
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

    // Cheapest in key order. They fail with unavailable; then the change must be destroyed.
    Status put(std::string_view key, std::string_view value);
    Status erase(std::string_view key);
    // Erases up to `entries` entries that begin with the prefix; returns how many were erased.
    Result<std::size_t> erase_some(std::string_view prefix, std::size_t entries);
    Status commit();

   private:
    friend LmdbFile;

    LmdbFile& file_;
    MDB_txn* transaction_ = nullptr;
    MDB_cursor* cursor_ = nullptr;
  };

  // Fails with unavailable.
  Result<std::unique_ptr<View>> view() const;
  Result<std::unique_ptr<Change>> change();
  // Blocks until all changes are on disk, for files whose changes do not sync themselves.
  Status sync();
  // Writes a copy without unused pages to the open file `target`.
  Status copy_to(int descriptor, const std::string& target) const;
  // Frees the slots of readers whose processes have ended. Costs a system call for each process
  // that reads the file.
  void free_dead_readers();
  bool panics() const { return panics_; }
  // The change that failed last needed more than map_bytes().
  bool is_full() const { return is_full_; }
  std::size_t map_bytes() const { return map_bytes_; }
  // The size of LMDB's lock file. If it is below kStoreLockBytes, another program has cut the file,
  // and LMDB must not be called again.
  std::uint64_t lock_bytes() const;

 private:
  LmdbFile(std::string file, MDB_env* env) : name_(std::move(file)), env_(env) {}

  // Opens the environment; returns LMDB's error.
  int map(std::size_t bytes, unsigned flags);
  // The head that the commit of this transaction replaces.
  ReplacedHead replaced_head(MDB_txn* transaction) const;
  Refusal failed(std::string_view doing, int error) const;
  Refusal change_failed(int error);

  std::string name_;
  MDB_env* env_;
  std::size_t map_bytes_ = 0;
  std::optional<NamedFile> lock_;
  bool panics_ = false;  // this and is_full_ belong to the thread that changes the file
  bool is_full_ = false;
};

}  // namespace laurel
