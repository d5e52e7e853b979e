#include "store/memory_store.h"

#include "base/memory_guarantee.h"
#include "store/cow_tree.h"
#include "store/tree_cursor.h"

namespace laurel {

namespace {

// Common base of a store and of its snapshots: reads a tree.
template <typename Base>
class TreeReader : public Base {
 public:
  TreeReader() = default;
  explicit TreeReader(const CowTree& tree) : tree_(tree) {}

  std::optional<std::string_view> get(std::string_view key) const override {
    return tree_.get(key);
  }
  std::unique_ptr<Cursor> cursor() const override {
    return std::make_unique<TreeCursor>(tree_.root());
  }

 protected:
  CowTree tree_;
};

using MemorySnapshot = TreeReader<Reader>;

class MemoryStore final : public TreeReader<Store> {
 public:
  void write(const Batch& batch) override {
    const MemoryGuarantee guaranteed(2 * batch.bytes());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Batch::Write write = batch[i];
      if (write.value) {
        tree_.put(write.key, *write.value);
      } else {
        tree_.erase(write.key);
      }
    }
  }
  bool erase_some(std::string_view prefix, std::size_t entries) override {
    Batch batch;
    TreeCursor at(tree_.root());
    bool left = at.seek(prefix) && at.key().starts_with(prefix);
    for (; left && batch.size() < entries; left = at.next() && at.key().starts_with(prefix)) {
      batch.erase(at.key());
    }
    write(batch);
    return left;
  }
  std::shared_ptr<const Reader> snapshot() const override {
    return std::make_shared<MemorySnapshot>(tree_);
  }
  std::size_t size() const override { return tree_.size(); }
  std::size_t bytes() const override { return tree_.bytes(); }
};

}  // namespace

std::unique_ptr<Store> make_memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace laurel
