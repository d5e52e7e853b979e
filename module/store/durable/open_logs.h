// open_logs.h - the row logs of a durable store, and what waits in them.
//
//   threads   logs are written by several threads at once, each by one; collect, and the making and
//             ending of logs, by the store's thread while nobody writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "store/durable/hand_over.h"
#include "store/row_log.h"

namespace laurel {

class OpenLogs {
 public:
  // What logs read and where they say that they are to go. It outlives the logs, and so does this.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual const Reader& rows() const = 0;
    virtual void retire(std::string_view prefix) = 0;
    // There is something to hand over. Any thread that writes.
    virtual void begun() = 0;
  };

  explicit OpenLogs(Owner& owner) : owner_(owner) {}

  std::unique_ptr<RowLog> open(std::string_view prefix);

  bool empty() const { return waiting_.empty(); }
  // Of what waits, within 16 KB a log.
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  std::size_t writes() const;
  // Hands out what waits; then nothing does.
  std::vector<LoggedRows> collect();

 private:
  class Log;

  void grown(Log& log, std::size_t bytes);
  void forget(Log& log);

  Owner& owner_;
  std::mutex mutex_;
  std::vector<Log*> waiting_;  // with writes
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace laurel
