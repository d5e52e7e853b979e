#include "every_store.h"

#include <functional>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "entries.h"
#include "folder.h"
#include "store/durable/durable_store.h"
#include "store/memory_store.h"

namespace laurel {

namespace {

// A durable store in its own directory, which calls `after` after every `writes` writes.
class InFolder final : public Store {
 public:
  using After = std::function<void(Store& store)>;

  InFolder(int writes, After after) : writes_(writes), after_(std::move(after)) {
    // the sync that "tick" adds is tested in tests/crash
    auto opened = DurableStore::open({.path = folder_.path(), .durability = Durability::none}, {});
    REQUIRE(opened);
    store_ = std::move(*opened);
    erase(*store_, "laurel");  // the file's own entry, which the contract tests do not expect
  }

  std::optional<std::string_view> get(std::string_view key) const override {
    return store_->get(key);
  }
  std::unique_ptr<Cursor> cursor() const override { return store_->cursor(); }
  void write(const Batch& batch) override {
    store_->write(batch);
    if (++written_ % writes_ == 0) after_(*store_);
  }
  bool erase_some(std::string_view prefix, std::size_t entries) override {
    return store_->erase_some(prefix, entries);
  }
  std::shared_ptr<const Reader> snapshot() const override { return store_->snapshot(); }
  std::size_t size() const override { return store_->size(); }
  std::size_t bytes() const override { return store_->bytes(); }
  bool is_durable() const override { return true; }

 private:
  test::Folder folder_;
  std::unique_ptr<DurableStore> store_;
  int writes_;
  After after_;
  int written_ = 0;
};

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<Store>()> make;
};

const StoreKind kKinds[] = {
    {"memory", make_memory_store},
    {"durable, before anything is handed over",
     [] { return std::make_unique<InFolder>(1, [](Store&) {}); }},
    {"durable, handed over after each write",
     [] { return std::make_unique<InFolder>(1, [](Store& store) { store.begin_commit(); }); }},
    {"durable, on the disk after every third write",
     [] { return std::make_unique<InFolder>(3, [](Store& store) { CHECK(store.flush()); }); }},
};

}  // namespace

void every_store(const std::function<void(Store&)>& test) {
  for (const StoreKind& kind : kKinds) {
    CAPTURE(kind.name);
    test(*kind.make());
  }
}

}  // namespace laurel
