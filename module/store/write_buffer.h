// write_buffer.h - buffered rows on their way to a durable store, of an owner that seldom reads
// them: an engine that keeps its entries in memory reads them when the store is opened.
//
//   row      a key of the owner under the buffer's prefix, and a value. A later put replaces
//            the row.
//   gathers  an owner may gather several of its own records into one row (record_log.h). It is
//            asked to put what it has when a commit begins.
//   commit   rows become part of the same transaction as all other writes to the store.
//   threads  one thread at a time for each buffer; several threads may write different buffers at
//            once, but not during begin_commit().
//   cost     put and erase append to a buffer; the writer thread sorts and deduplicates.
//   limits   those of the store's keys and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store/row_writes.h"

namespace laurel {

class WriteBuffer {
 public:
  explicit WriteBuffer(std::string_view prefix) : prefix_(prefix) {}
  virtual ~WriteBuffer() = default;
  WriteBuffer(const WriteBuffer&) = delete;
  WriteBuffer& operator=(const WriteBuffer&) = delete;

  void put(std::string_view row, std::string_view value) {
    open_.put(row, value);
    tell_growth();
  }
  void erase(std::string_view row) {
    open_.erase(row);
    tell_growth();
  }

  // `put_gathered` is called when a commit begins, if announce() was called since the one before.
  void gather(std::function<void()> put_gathered) { put_gathered_ = std::move(put_gathered); }
  // There is something to commit that is not put yet.
  void announce() { grown(0); }

  // Visits the rows that the store held when it was opened, in key order. Call it once, before the
  // first write. Views are valid during the visit.
  using Visit = std::function<void(std::string_view row, std::string_view value)>;
  virtual void each(const Visit& visit) const = 0;
  // The value of a row as it is now; valid until the next write or begin_commit(). O(waiting rows).
  virtual std::optional<std::string_view> get_now(std::string_view row) const = 0;
  // Erases all rows, because the owner is gone or starts again in another space. No writes may
  // follow.
  virtual void retire() = 0;

 protected:
  const std::string& prefix() const { return prefix_; }
  // Writes since the last commit.
  RowWrites& open() { return open_; }
  const RowWrites& open() const { return open_; }
  void put_gathered() {
    if (put_gathered_) put_gathered_();
  }
  // Called when the buffer gets its first write, and after it has grown by `bytes` since the last
  // call.
  virtual void grown(std::size_t bytes) = 0;

 private:
  // Growth in bytes between two calls of grown().
  static constexpr std::size_t kGrowth = 16 * 1024;

  // The first write is reported at once, since the store must know that there is something to
  // commit.
  void tell_growth() {
    if (open_.size() == 1) told_ = 0;
    const std::size_t more = open_.bytes() - told_;
    if (open_.size() > 1 && more < kGrowth) return;
    told_ = open_.bytes();
    grown(more);
  }

  std::string prefix_;
  std::function<void()> put_gathered_;
  RowWrites open_;
  std::size_t told_ = 0;
};

}  // namespace laurel
