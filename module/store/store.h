// store.h - an ordered map of byte strings, written in batches.
//
//   key        1 to kStoreKeyBytesMax bytes; keys are ordered byte by byte, unsigned.
//   value      0 to kStoreValueBytesMax bytes.
//   batch      writes that happen together: every reader, and every snapshot, sees all of them or
//              none. Of two writes to one key the later counts.
//   snapshot   the store as it was when the snapshot was taken; it never changes.
//   views      of a Store's keys and values are valid until its next write or hand-over, those of a
//              snapshot as long as the snapshot lives.
//   durable    a store that outlives the process (durable/durable_store.h) gathers what is written
//              and hands it to its disk, all since the last time in one transaction. A store in
//              memory has nothing to hand over, and says so in all that follows `bytes`.
//   threads    one caller at a time for the store; snapshots may be read by any thread, each of
//              their cursors by one.
//   cost       get and seek O(log n); a step of a cursor O(1) on average; snapshot O(1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace laurel {

class RowLog;

// Walks over entries in order, both ways. It stands on an entry or nowhere; it begins nowhere.
class Cursor {
 public:
  virtual ~Cursor() = default;

  // Each moves the cursor and says whether it stands on an entry now.
  virtual bool seek(std::string_view key) = 0;         // the first at the key or behind it
  virtual bool seek_before(std::string_view key) = 0;  // the last before the key
  virtual bool next() = 0;                             // REQUIRES: it stands on an entry
  virtual bool previous() = 0;                         // likewise

  // REQUIRES: it stands on an entry.
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
};

// What can be read.
class Reader {
 public:
  virtual ~Reader() = default;

  virtual std::optional<std::string_view> get(std::string_view key) const = 0;
  // Valid as long as views are: a store's until its next write.
  virtual std::unique_ptr<Cursor> cursor() const = 0;
};

class Batch {
 public:
  struct Write {
    std::string_view key;
    std::optional<std::string_view> value;  // nothing: the key is erased
  };

  void put(std::string_view key, std::string_view value);
  // Erasing what is not there does nothing.
  void erase(std::string_view key);
  void clear();
  // Makes room for so many writes of so many bytes, keys included, in all.
  void reserve(std::size_t writes, std::size_t bytes);

  bool empty() const { return spans_.empty(); }
  std::size_t size() const { return spans_.size(); }  // writes
  std::size_t bytes() const { return bytes_.size(); }
  // Write i in the order of the calls; valid until the batch changes.
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

// How far a durable store is with its disk.
struct StoreProgress {
  std::uint64_t waiting_writes = 0;  // that are not on the disk yet
  std::uint64_t waiting_bytes = 0;
  double waiting_seconds = 0;      // since the oldest of them was written
  std::uint64_t hand_overs = 0;    // with anything to hand over
  std::uint64_t on_disk = 0;       // of those, that are on the disk
  std::uint64_t transactions = 0;  // that succeeded
  std::uint64_t failures = 0;      // that did not
  std::uint64_t file_bytes = 0;
};

class Store : public Reader {
 public:
  // REQUIRES: keys and values within their limits.
  virtual void write(const Batch& batch) = 0;
  // Erases up to so many entries that begin with the prefix, which nobody reads or writes any more;
  // whether to call again. A durable store sees to all of them by itself.
  virtual bool erase_some(std::string_view prefix, std::size_t entries) = 0;
  // A consistent view, shared freely.
  virtual std::shared_ptr<const Reader> snapshot() const = 0;
  // How many entries there are; in a durable store, those of its last transaction. O(1).
  virtual std::size_t size() const = 0;
  // Memory in use.
  virtual std::size_t bytes() const = 0;

  virtual bool is_durable() const { return false; }
  // False in a process that was forked off the one that has the store on its disk: nothing is asked
  // of it there but its end.
  virtual bool born_here() const { return true; }
  // For rows under the prefix that are read at opening and not again before the store is opened
  // anew; null where nothing outlives the process. The store outlives the log.
  virtual std::unique_ptr<RowLog> open_log(std::string_view prefix);
  // Whether more may be written. Fails with unavailable: the disk refuses, or is too far behind.
  virtual Status accepts() const { return Done{}; }
  // Gives what was written to the disk's own thread, if that has finished the last hand-over.
  // Never waits. Only between two calls of the store's owner: what was written since the last one
  // happens together.
  virtual void hand_over() {}
  // Waits until all that was written is on the disk. Fails with unavailable: the disk refused once
  // more; it is asked again later.
  virtual Status flush() { return Done{}; }
  // A copy of all that was written as a store of its own in that directory. Waits for the disk.
  // Fails with unavailable, and with unsupported where nothing is on a disk.
  virtual Status backup(const std::string& directory);
  virtual StoreProgress progress() const { return {}; }
  // Lets go of the disk, so that the store may be opened anew, with what is not there yet. Nothing
  // is asked afterwards.
  virtual void close() {}
};

}  // namespace laurel
