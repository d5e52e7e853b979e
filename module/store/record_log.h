// record_log.h - records in a space of a store that are appended, read where they are, and dropped
// from the oldest one on.
//
//   chunk    records are gathered into chunks of at most kChunkBytes. A chunk is one row of the
//            space, under its number; in the file it fills a page. So an appended record costs the
//            disk its own bytes and no page of its own, whatever was written before.
//   record   1 to kRecordBytesMax bytes, and 2 in the chunk.
//   place    of a record: the number of its chunk and its offset there. Later records have greater
//            places. A place is valid until its chunk is dropped.
//   durable  each commit has all records that were appended before it. The newest chunk, which
//            still grows, is in memory, and is written again with each commit that added to it.
//   memory   a chunk, and in a durable store what waits for the disk.
//   views    of records and chunks are valid until the next append, drop, or commit of the store.
//   threads  none of its own; one caller at a time.
//   cost     append: a copy of the record. Reads: O(log n), and O(chunks that wait for the disk) if
//            the record may be among them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "store/space.h"
#include "store/write_buffer.h"

namespace laurel {

class RecordLog {
 public:
  // With its checksum a chunk takes the 4,080 bytes that LMDB can have on a page of its own.
  static constexpr std::size_t kChunkBytes = 4076;
  static constexpr std::size_t kSizeBytes = 2;  // before each record
  static constexpr std::size_t kRecordBytesMax = kChunkBytes - kSizeBytes;

  struct Place {
    std::uint64_t chunk = 0;
    std::uint32_t offset = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  // The store outlives the log.
  RecordLog(Store& store, SpaceNumber space);
  RecordLog(const RecordLog&) = delete;
  RecordLog& operator=(const RecordLog&) = delete;

  const Space& space() const { return space_; }

  // Visits the chunks that the space has, the oldest first; the visit must not use the log. Call it
  // once, before anything else, if the space may have rows. False if these are not chunks.
  using VisitChunk = std::function<void(std::uint64_t number, std::string_view chunk)>;
  bool load(const VisitChunk& visit);

  // REQUIRES: the record is not in this log.
  Place append(std::string_view record);
  // Empty if the disk cannot be read. REQUIRES: the place of a record.
  std::string_view read(const Place& place) const;

  // The numbers of the chunks go from first() to last(), which is the one that grows.
  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return last_; }
  // Whether the chunk is complete, and reading it does not look through what waits for the disk.
  bool is_settled(std::uint64_t number) const { return number < settled_; }
  // Empty if the disk cannot be read, or if there is nothing in it.
  std::string_view chunk(std::uint64_t number) const;
  // Calls visit(offset, record) for each; false if the bytes are not a chunk.
  template <typename Visit>
  static bool each_in(std::string_view chunk, Visit visit) {
    std::size_t at = 0;
    while (at < chunk.size()) {
      const std::string_view record = record_at(chunk, at);
      if (record.empty()) return false;
      visit(static_cast<std::uint32_t>(at), record);
      at += kSizeBytes + record.size();
    }
    return true;
  }
  // Drops the oldest chunk. REQUIRES: first() < last().
  void drop_first();

  // Drops what waits for the disk. The rows of space() are to be erased, and nothing may follow.
  void retire();

  std::size_t bytes() const { return tail_.capacity(); }

 private:
  static std::string_view record_at(std::string_view chunk, std::size_t at);
  void put(std::uint64_t number, std::string_view chunk);
  void seal();
  void put_gathered();

  Space space_;
  std::unique_ptr<WriteBuffer> buffer_;  // null if the store is in memory
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::string tail_;    // the last chunk
  bool waits_ = false;  // tail_ has records that no commit has
  // Chunks before it are read as they are on the disk, or in memory.
  std::uint64_t settled_ = 0;
  std::uint64_t last_committed_ = 0;  // last_ when the newest commit with records began
};

}  // namespace laurel
