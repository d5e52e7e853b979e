#include "store/durable/write_buffers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace laurel {

class WriteBuffers::Buffer final : public WriteBuffer {
 public:
  Buffer(WriteBuffers& all, std::string_view prefix) : WriteBuffer(prefix), all_(all) {}
  ~Buffer() override { all_.forget(*this); }

  void each(const Visit& visit) const override {
    const std::unique_ptr<Cursor> at = all_.owner_.rows().cursor();
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
    if (const RowWrites* flight = all_.owner_.in_flight(prefix())) flight->each(take);
    open().each(take);
    return is_written ? newest : all_.owner_.rows().get(prefix() + std::string(row));
  }

  void retire() override {
    all_.forget(*this);
    all_.owner_.retire(prefix());
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
  void grown(std::size_t bytes) override { all_.grown(*this, bytes); }

  WriteBuffers& all_;
};

std::unique_ptr<WriteBuffer> WriteBuffers::open(std::string_view prefix) {
  return std::make_unique<Buffer>(*this, prefix);
}

void WriteBuffers::grown(Buffer& buffer, std::size_t bytes) {
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (buffer.waits) return;
  buffer.waits = true;
  const std::scoped_lock lock(mutex_);
  waiting_.push_back(&buffer);
  owner_.begun();
}

// Drops the buffer's buffered writes.
void WriteBuffers::forget(Buffer& buffer) {
  if (!buffer.waits) return;
  buffer.waits = false;
  buffer.drop();
  std::erase(waiting_, &buffer);
}

std::size_t WriteBuffers::writes() const {
  std::size_t writes = 0;
  for (Buffer* buffer : waiting_) writes += buffer->size();
  return writes;
}

std::vector<BufferedWrites> WriteBuffers::collect() {
  std::vector<BufferedWrites> buffers;
  buffers.reserve(waiting_.size());
  for (Buffer* buffer : waiting_) buffers.push_back(buffer->take());
  waiting_.clear();
  bytes_.store(0, std::memory_order_relaxed);
  return buffers;
}

}  // namespace laurel
