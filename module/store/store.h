// store.h - an ordered map of byte strings, written in batches.
//
//   key       1 to kStoreKeyBytesMax bytes; keys are ordered byte by byte, unsigned.
//   value     0 to kStoreValueBytesMax bytes.
//   batch     an atomic group of writes: each reader and snapshot sees all of them or none. The
//             last write to a key wins.
//   snapshot  the store as it was when the snapshot was taken; it never changes.
//   views     keys and values of a Store are valid until its next write or begin_commit(); those of
//             a snapshot while the snapshot exists.
//   durable   a store that outlives the process (durable/durable_store.h) buffers writes and
//             commits all writes since the last begin_commit() in one transaction. For a memory
//             store the functions after bytes() do nothing or report that.
//   threads   one caller at a time for the store. Any thread may read a snapshot, but each cursor
//             belongs to one thread.
//   cost      get and seek O(log n); a cursor step O(1) on average; snapshot O(1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "metrics/histogram.h"

namespace laurel {

class WriteBuffer;

// Iterates over entries in order, in both directions. A new cursor is invalid: it is at no entry.
class Cursor {
 public:
  virtual ~Cursor() = default;

  // Each function moves the cursor and returns true if it is now at an entry.
  virtual bool seek(std::string_view key) = 0;  // the first entry with this key or a greater one
  virtual bool seek_before(std::string_view key) = 0;  // the last entry before the key
  virtual bool next() = 0;                             // REQUIRES: the cursor is at an entry
  virtual bool previous() = 0;                         // REQUIRES: the cursor is at an entry

  // REQUIRES: the cursor is at an entry.
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
};

// Read access to a store or to a snapshot.
class Reader {
 public:
  virtual ~Reader() = default;

  virtual std::optional<std::string_view> get(std::string_view key) const = 0;
  // Valid as long as views are: for a store, until its next write.
  virtual std::unique_ptr<Cursor> cursor() const = 0;
};

class Batch {
 public:
  struct Write {
    std::string_view key;
    std::optional<std::string_view> value;  // nullopt: the key is erased
  };

  void put(std::string_view key, std::string_view value);
  // Erasing an absent key does nothing.
  void erase(std::string_view key);
  void clear();
  // Reserves memory for a total of `writes` writes with `bytes` bytes of keys and values.
  void reserve(std::size_t writes, std::size_t bytes);

  bool empty() const { return spans_.empty(); }
  std::size_t size() const { return spans_.size(); }  // writes
  std::size_t bytes() const { return bytes_.size(); }
  // Write i in call order; valid until the batch changes.
  Write operator[](std::size_t i) const;

 private:
  struct Span {
    std::size_t begin = 0;
    std::uint32_t key_size = 0;
    std::uint32_t value_size = 0;
    bool erases = false;
  };

  std::string bytes_;
  std::vector<Span> spans_;
};

// How far a durable store's disk is behind its writes.
struct StoreProgress {
  std::uint64_t waiting_writes = 0;  // not yet on disk
  std::uint64_t waiting_bytes = 0;
  double waiting_seconds = 0;       // since the oldest waiting write
  std::uint64_t commits_begun = 0;  // calls of begin_commit() that had something to commit
  std::uint64_t on_disk = 0;        // the number of these that are on disk
  std::uint64_t transactions = 0;   // successful transactions
  std::uint64_t failures = 0;       // failed transactions
  std::uint64_t file_bytes = 0;
};

class Store : public Reader {
 public:
  // REQUIRES: keys and values within their limits.
  virtual void write(const Batch& batch) = 0;
  // Erases up to `entries` entries that begin with the prefix; returns true if the caller should
  // call again. REQUIRES: the entries are no longer read or written. A durable store erases all of
  // them in the background.
  virtual bool erase_some(std::string_view prefix, std::size_t entries) = 0;
  // A consistent view, which several owners may share.
  virtual std::shared_ptr<const Reader> snapshot() const = 0;
  // The number of entries; in a durable store, the number after its last transaction. O(1).
  virtual std::size_t size() const = 0;
  // Memory in use.
  virtual std::size_t bytes() const = 0;

  virtual bool is_durable() const { return false; }
  // False in a forked child of the process that opened a durable store. The child may only destroy
  // the store.
  virtual bool is_owner_process() const { return true; }
  // A buffer for rows under the prefix that are read only when the store is opened; null for a
  // memory store. The store outlives the buffer.
  virtual std::unique_ptr<WriteBuffer> open_buffer(std::string_view prefix);
  // Done if writes are accepted. Fails with unavailable: the disk reports an error, too many writes
  // wait for it, or this is a forked child; with closed after close().
  virtual Status accepts() const { return Done{}; }
  // Gives the buffered writes to the writer thread if the previous commit is finished. Never
  // blocks. The writes since the last commit become one transaction, so call it only between two
  // operations of the store's owner.
  virtual void begin_commit() {}
  // From hold() to release() all writes stay together, in one transaction with those since the last
  // commit: begin_commit() does nothing, and flush() and backup() fail with unavailable. accepts()
  // does not look at the disk then; it fails if the writes of the hold take too much memory.
  virtual void hold() {}
  virtual void release() {}
  // False if accepts() has failed since hold().
  virtual bool held_all() const { return true; }
  // Blocks until all writes are on disk. Fails with unavailable if the disk reports an error again;
  // the write is retried later.
  virtual Status flush() { return Done{}; }
  // Copies everything written so far to a new store in that directory. Blocks for the disk. Fails
  // with unavailable; with taken if another store has that directory open or it has a file; with
  // unsupported for a memory store.
  virtual Status backup(const std::string& directory);
  virtual StoreProgress progress() const { return {}; }
  // How long transactions took, up to the end of their sync; null for a memory store.
  virtual const Histogram* commit_times() const { return nullptr; }
  // Releases the disk, so that the store can be opened again; unfinished writes are written first.
  // After this call only the destructor may be called.
  virtual void close() {}
};

}  // namespace laurel
