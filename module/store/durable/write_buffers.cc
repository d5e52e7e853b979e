#include "store/durable/write_buffers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/process/work_thread.h"

namespace laurel {

namespace {

struct RowView {
  std::string_view key;
  std::string_view value;
};
constexpr std::size_t kRowsAPart = 16'384;  // one to two milliseconds of both threads

}  // namespace

class WriteBuffers::Buffer final : public WriteBuffer {
 public:
  Buffer(WriteBuffers& all, std::string_view prefix) : WriteBuffer(prefix), all_(all) {}
  ~Buffer() override { all_.forget(*this); }

  // While one part of the rows is visited, a second thread reads the next part, and waits for the
  // disk.
  void each(const Visit& visit) const override {
    const std::unique_ptr<Cursor> at = all_.owner_.rows().cursor();
    bool on = at->seek(prefix());
    const auto read = [&](std::vector<RowView>& rows) {
      rows.clear();
      for (; on && rows.size() < kRowsAPart; on = at->next()) {
        if (!at->key().starts_with(prefix())) return;
        rows.push_back({at->key().substr(prefix().size()), at->value()});
      }
    };
    std::vector<RowView> rows;
    std::vector<RowView> next;
    read(rows);
    while (rows.size() == kRowsAPart) {
      WorkThread reading([&] { read(next); });
      for (const RowView& row : rows) visit(row.key, row.value);
      reading.wait();
      rows.swap(next);
    }
    for (const RowView& row : rows) visit(row.key, row.value);
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
