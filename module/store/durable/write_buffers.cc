#include "store/durable/write_buffers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace laurel {

class WriteBuffers::Log final : public WriteBuffer {
 public:
  Log(WriteBuffers& logs, std::string_view prefix) : WriteBuffer(prefix), logs_(logs) {}
  ~Log() override { logs_.forget(*this); }

  void each(const Visit& visit) const override {
    const std::unique_ptr<Cursor> at = logs_.owner_.rows().cursor();
    const std::size_t bytes = prefix().size();
    for (bool on = at->seek(prefix()); on; on = at->next()) {
      const std::string_view key = at->key();
      if (!key.starts_with(prefix())) return;
      visit(key.substr(bytes), at->value());
    }
  }

  std::optional<std::string_view> get_now(std::string_view row) const override {
    bool is_written = false;
    std::optional<std::string_view> newest;  // absent if the row is erased
    const auto take = [&](std::string_view written, std::optional<std::string_view> value) {
      if (written != row) return;
      is_written = true;
      newest = value;
    };
    if (const RowWrites* flight = logs_.owner_.in_flight(prefix())) flight->each(take);
    open().each(take);
    return is_written ? newest : logs_.owner_.rows().get(prefix() + std::string(row));
  }

  void retire() override {
    logs_.forget(*this);
    logs_.owner_.retire(prefix());
  }

  BufferedWrites take() {
    put_gathered();
    waits = false;
    return {prefix(), std::exchange(open(), RowWrites())};
  }
  void drop() { open().clear(); }
  std::size_t size() { return open().size(); }

  bool waits = false;

 private:
  void grown(std::size_t bytes) override { logs_.grown(*this, bytes); }

  WriteBuffers& logs_;
};

std::unique_ptr<WriteBuffer> WriteBuffers::open(std::string_view prefix) {
  return std::make_unique<Log>(*this, prefix);
}

void WriteBuffers::grown(Log& log, std::size_t bytes) {
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (log.waits) return;
  log.waits = true;
  const std::scoped_lock lock(mutex_);
  waiting_.push_back(&log);
  owner_.begun();
}

// Drops the log's buffered writes.
void WriteBuffers::forget(Log& log) {
  if (!log.waits) return;
  log.waits = false;
  log.drop();
  std::erase(waiting_, &log);
}

std::size_t WriteBuffers::writes() const {
  std::size_t writes = 0;
  for (Log* log : waiting_) writes += log->size();
  return writes;
}

std::vector<BufferedWrites> WriteBuffers::collect() {
  std::vector<BufferedWrites> logs;
  logs.reserve(waiting_.size());
  for (Log* log : waiting_) logs.push_back(log->take());
  waiting_.clear();
  bytes_.store(0, std::memory_order_relaxed);
  return logs;
}

}  // namespace laurel
