// paged_fixture.h - a paged board with its own store, whose objects may be small.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/paged/paged_engine.h"
#include "long_form.h"
#include "store/kept_store.h"
#include "store/memory_store.h"

namespace laurel {

// A call to a store: a batch, or a prefix whose rows are to be erased.
struct StoreCall {
  Batch batch;
  std::string gone;
};

// A memory store that counts its batches, and optionally records them.
class RecordingStore final : public Store {
 public:
  explicit RecordingStore(bool durable) : inner_(make(durable)) {}

  std::optional<std::string_view> get(std::string_view key) const override {
    return inner_->get(key);
  }
  std::unique_ptr<Cursor> cursor() const override { return inner_->cursor(); }
  std::size_t size() const override { return inner_->size(); }
  void write(const Batch& batch) override {
    ++batches;
    if (records) calls.push_back({batch, {}});
    inner_->write(batch);
  }
  bool erase_some(std::string_view prefix, std::size_t entries) override {
    if (records) calls.push_back({{}, std::string(prefix)});
    return inner_->erase_some(prefix, entries);
  }
  bool is_durable() const override { return inner_->is_durable(); }
  std::shared_ptr<const Reader> snapshot() const override { return inner_->snapshot(); }
  std::size_t bytes() const override { return inner_->bytes(); }

  int batches = 0;
  bool records = false;
  std::vector<StoreCall> calls;

 private:
  static std::unique_ptr<Store> make(bool durable) {
    if (durable) return std::make_unique<KeptStore>();
    return make_memory_store();
  }

  std::unique_ptr<Store> inner_;
};

// A row that owns its id and data.
struct KeptRow {
  std::string player;
  ScoreKey score = 0;
  Time at = 0;
  std::optional<std::string> data;

  friend bool operator==(const KeptRow&, const KeptRow&) = default;
};

inline KeptRow kept(const EngineRow& row) {
  return {std::string(row.player), row.score, row.at,
          row.data ? std::optional<std::string>(*row.data) : std::nullopt};
}

inline std::vector<KeptRow> rows_of(const EngineView& engine, std::size_t first = 0,
                                    std::size_t n = SIZE_MAX) {
  Arena arena;
  std::vector<EngineRow> rows;
  engine.read(first, n, arena, rows);
  std::vector<KeptRow> out;
  for (const EngineRow& row : rows) out.push_back(kept(row));
  return out;
}

struct PagedBoard {
  explicit PagedBoard(const PagedSizes& given = {}, Ties ties = Ties::earliest,
                      bool durable = false)
      : sizes(given), spec{.engine = EngineKind::paged, .ties = ties}, store(durable) {
    engine = std::make_unique<PagedEngine>(spec, context(), sizes);
  }

  EngineContext context() { return {players, store, last_space, reads}; }

  void put(std::string_view id, ScoreKey score, Time at = 0,
           std::optional<std::string_view> data = {}) {
    engine->put({id}, {.player = id, .score = score, .at = at, .data = data});
  }

  // The engine that a new server would open, without this one's memory.
  std::unique_ptr<PagedEngine> reopened() {
    auto opened = std::make_unique<PagedEngine>(spec, context(), engine->space().number(), sizes);
    opened->load([](std::size_t) {});
    return opened;
  }

  // The number of keys of the space that begin with the letter.
  std::size_t stored(char letter) const {
    std::size_t keys = 0;
    const std::unique_ptr<Cursor> at = engine->space().cursor();
    for (bool on = at->seek({&letter, 1}); on && at->key()[0] == letter; on = at->next()) ++keys;
    return keys;
  }

  // The stored entry sets and manifests, by their keys.
  std::map<std::string, PagedNode> stored_nodes() const {
    std::map<std::string, PagedNode> nodes;
    const std::unique_ptr<Cursor> at = engine->space().cursor();
    for (bool on = at->seek("o"); on && at->key()[0] == 'o'; on = at->next()) {
      nodes.emplace(at->key(), PagedNode::decode(at->value(), sizes, spec.ties));
    }
    return nodes;
  }

  PagedSizes sizes;
  EngineSpec spec;
  Players players{HashSecret::fixed(1)};
  RecordingStore store;
  SpaceNumber last_space = 0;
  EngineReads reads;
  std::unique_ptr<PagedEngine> engine;
};

// Small objects: a few hundred rows need five layers.
inline PagedSizes small_sizes(std::size_t rows = 4) {
  return {.entry_set_rows = rows,
          .manifest_rows = rows,
          .object_bytes = PagedSizes::kObjectBytesMin,
          .cache_bytes = std::size_t{1} << 20};
}

}  // namespace laurel
