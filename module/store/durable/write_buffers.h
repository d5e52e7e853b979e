// write_buffers.h - the write buffers of a durable store.
//
//   threads  several threads may write buffers at once, each buffer by one thread. The store's
//            thread collects, opens and closes buffers while none is written.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "store/durable/commit_batch.h"
#include "store/write_buffer.h"

namespace laurel {

class WriteBuffers {
 public:
  // Buffers read rows from the owner and report to it that they are retired. The owner and
  // WriteBuffers outlive the buffers.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual const Reader& rows() const = 0;
    // The buffer's writes in the batch that is being committed; null if there are none.
    virtual const RowWrites* in_flight(std::string_view prefix) const = 0;
    virtual void retire(std::string_view prefix) = 0;
    // There is something to commit. Called from any thread that writes.
    virtual void begun() = 0;
  };

  explicit WriteBuffers(Owner& owner) : owner_(owner) {}

  std::unique_ptr<WriteBuffer> open(std::string_view prefix);

  bool empty() const { return waiting_.empty(); }
  // Bytes of the buffered writes, accurate to 16 KB a buffer.
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  std::size_t writes() const;
  // Returns all buffered writes and empties the buffers.
  std::vector<BufferedWrites> collect();

 private:
  class Buffer;

  void grown(Buffer& buffer, std::size_t bytes);
  void forget(Buffer& buffer);

  Owner& owner_;
  std::mutex mutex_;
  std::vector<Buffer*> waiting_;  // buffers with writes
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace laurel
