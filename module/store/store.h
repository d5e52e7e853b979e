// store.h - an ordered map of byte strings, written in batches.
//
//   key        1 to kStoreKeyBytesMax bytes; keys are ordered byte by byte, unsigned.
//   value      0 to kStoreValueBytesMax bytes.
//   batch      writes that happen together: every reader, and every snapshot, sees all of them or
//              none. Of two writes to one key the later counts.
//   snapshot   the store as it was when the snapshot was taken; it never changes.
//   views      of a Store's keys and values are valid until its next write, those of a snapshot as
//              long as the snapshot lives.
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

namespace laurel {

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
  // How many entries there are. O(1).
  virtual std::size_t size() const = 0;
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

class Store : public Reader {
 public:
  // REQUIRES: keys and values within their limits.
  virtual void write(const Batch& batch) = 0;
  // A consistent view, shared freely.
  virtual std::shared_ptr<const Reader> snapshot() const = 0;
  // Memory in use.
  virtual std::size_t bytes() const = 0;
};

}  // namespace laurel
