// row_log.h - rows of one owner on their way to a durable store: of an engine that keeps its
// entries in memory, so that they are read when the store is opened, and never while it is open.
//
//   row       a key of the owner's under the log's prefix, and a value. Put again it is replaced.
//   with      rows are handed over with all else that was written to the store: one transaction.
//   threads   each log one at a time; different logs may be written by several threads at once.
//             Nothing is handed over meanwhile.
//   cost      put and erase append to a buffer: sorting, and dropping what was written again, is
//             the work of whoever writes them down.
//   limits    those of the store's keys and values.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "store/row_writes.h"

namespace laurel {

class RowLog {
 public:
  explicit RowLog(std::string_view prefix) : prefix_(prefix) {}
  virtual ~RowLog() = default;
  RowLog(const RowLog&) = delete;
  RowLog& operator=(const RowLog&) = delete;

  void put(std::string_view row, std::string_view value) {
    open_.put(row, value);
    tell_growth();
  }
  void erase(std::string_view row) {
    open_.erase(row);
    tell_growth();
  }

  // What the store held of them when it was opened, in the order of keys. Once, before the first
  // write. Views are valid during the visit.
  using Visit = std::function<void(std::string_view row, std::string_view value)>;
  virtual void each(const Visit& visit) const = 0;
  // All rows are to go: the owner is gone, or begins anew elsewhere. Nothing is written afterwards.
  virtual void retire() = 0;

 protected:
  const std::string& prefix() const { return prefix_; }
  // Writes since the last hand-over.
  RowWrites& open() { return open_; }
  // The buffer was empty, or has grown by this much since the last word.
  virtual void grown(std::size_t bytes) = 0;

 private:
  // Bytes between two words about growth.
  static constexpr std::size_t kGrowth = 16 * 1024;

  // The first write at once: the store must know that there is one.
  void tell_growth() {
    if (open_.size() == 1) told_ = 0;
    const std::size_t more = open_.bytes() - told_;
    if (open_.size() > 1 && more < kGrowth) return;
    told_ = open_.bytes();
    grown(more);
  }

  std::string prefix_;
  RowWrites open_;
  std::size_t told_ = 0;
};

}  // namespace laurel
