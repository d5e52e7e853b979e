// kept_store.h - a memory store that claims to be durable, so that engines write their rows to it
// and another engine can load them.
#pragma once

#include <memory>
#include <string>

#include "store/memory_store.h"
#include "store/write_buffer.h"

namespace laurel {

class KeptStore final : public Store {
 public:
  void write(const Batch& batch) override { store_->write(batch); }
  bool erase_some(std::string_view prefix, std::size_t entries) override {
    return store_->erase_some(prefix, entries);
  }
  std::shared_ptr<const Reader> snapshot() const override { return store_->snapshot(); }
  std::size_t size() const override { return store_->size(); }
  std::size_t bytes() const override { return store_->bytes(); }
  bool is_durable() const override { return true; }
  std::optional<std::string_view> get(std::string_view key) const override {
    return store_->get(key);
  }
  std::unique_ptr<Cursor> cursor() const override { return store_->cursor(); }

  // Writes through at once: each call's row is in the store when it returns.
  std::unique_ptr<WriteBuffer> open_buffer(std::string_view prefix) override {
    return std::make_unique<Buffer>(*store_, prefix);
  }

 private:
  class Buffer final : public WriteBuffer {
   public:
    Buffer(Store& store, std::string_view prefix) : WriteBuffer(prefix), store_(store) {}
    ~Buffer() override { write_open(); }

    void each(const Visit& visit) const override {
      const auto at = store_.cursor();
      for (bool on = at->seek(prefix()); on && at->key().starts_with(prefix()); on = at->next()) {
        visit(at->key().substr(prefix().size()), at->value());
      }
    }
    std::optional<std::string_view> get_now(std::string_view row) const override {
      return store_.get(prefix() + std::string(row));
    }
    void retire() override {
      open().clear();
      while (store_.erase_some(prefix(), 1000)) {
      }
    }

   private:
    void grown(std::size_t) override { write_through(); }
    void write_through() {
      if (is_writing_) return;
      is_writing_ = true;
      put_gathered();
      is_writing_ = false;
      write_open();
    }
    void write_open() {
      Batch batch;
      open().each([&](std::string_view row, std::optional<std::string_view> value) {
        const std::string key = prefix() + std::string(row);
        if (value) {
          batch.put(key, *value);
        } else {
          batch.erase(key);
        }
      });
      store_.write(batch);
      open().clear();
    }

    Store& store_;
    bool is_writing_ = false;
  };

  std::unique_ptr<Store> store_ = make_memory_store();
};

}  // namespace laurel
