// Tests what memory engines write to a durable store, and what they load from it.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "engine/capped/capped_engine.h"
#include "engine/engine_factory.h"
#include "engine/ranked/ranked_engine.h"
#include "engine/row_codec.h"
#include "engine_fixture.h"
#include "rolling_fixture.h"
#include "store/kept_store.h"

namespace laurel {

namespace {

// Counts writes and does not store them.
class CountingStore final : public Store {
 public:
  std::optional<std::string_view> get(std::string_view) const override { return std::nullopt; }
  std::unique_ptr<Cursor> cursor() const override { return nullptr; }
  std::size_t size() const override { return 0; }
  void write(const Batch& batch) override { writes += batch.size(); }
  bool erase_some(std::string_view, std::size_t) override { return false; }
  std::shared_ptr<const Reader> snapshot() const override { return nullptr; }
  std::size_t bytes() const override { return 0; }
  bool is_durable() const override { return true; }
  std::unique_ptr<WriteBuffer> open_buffer(std::string_view prefix) override {
    return std::make_unique<Buffer>(*this, prefix);
  }

  // Writes since the last call.
  std::size_t written() { return std::exchange(writes, 0); }
  std::size_t writes = 0;
  int retired = 0;

 private:
  class Buffer final : public WriteBuffer {
   public:
    Buffer(CountingStore& store, std::string_view prefix) : WriteBuffer(prefix), store_(store) {}
    void each(const Visit&) const override {}
    std::optional<std::string_view> get_now(std::string_view) const override { return {}; }
    void retire() override { ++store_.retired; }

   private:
    void grown(std::size_t) override {
      store_.writes += open().size();
      open().clear();
    }
    CountingStore& store_;
  };
};

struct Counted : Ground {
  explicit Counted(const EngineSpec& spec) {
    auto counting = std::make_unique<CountingStore>();
    counts = counting.get();
    store = std::move(counting);
    engine = make_score_engine(spec, context());
  }
  std::size_t put(std::string_view id, ScoreKey score, Time at,
                  std::optional<std::string_view> data = std::nullopt) {
    engine->put(player(id), {.score = score, .at = at, .data = data});
    return counts->written();
  }
  std::size_t erase(std::string_view id) {
    engine->erase(player(id));
    return counts->written();
  }

  CountingStore* counts = nullptr;
  std::unique_ptr<ScoreEngine> engine;
};

void no_progress(std::size_t) {}

std::string prefix_of_space_1() { return std::string("s\0\0\0\0\0\0\0\1", Space::kPrefixBytes); }

}  // namespace

TEST_CASE("an update is written once, and not at all if it changes nothing") {
  for (const std::string_view of : {"ranked", "sharded"}) {
    CAPTURE(of);
    Counted board({.engine = of == "ranked" ? EngineKind::ranked : EngineKind::sharded});
    CHECK(board.put("alice", 5, 1) == 1);
    CHECK(board.put("alice", 5, 1) == 0);
    CHECK(board.put("alice", 5, 2) == 1);
    CHECK(board.put("alice", 4, 2) == 1);
    CHECK(board.put("alice", 4, 2, "car") == 1);
    CHECK(board.put("alice", 4, 2, "car") == 0);
    CHECK(board.put("alice", 4, 2, "bus") == 1);
    CHECK(board.put("alice", 4, 2) == 1);
    CHECK(board.erase("bob") == 0);
    CHECK(board.erase("alice") == 1);
    CHECK(board.erase("alice") == 0);
    for (std::uint64_t i = 0; i < 300; ++i) REQUIRE(board.put(fmt::format("p{}", i), i, 0) == 1);
    for (std::uint64_t i = 0; i < 300; ++i) REQUIRE(board.put(fmt::format("p{}", i), i, 0) == 0);
  }
}

TEST_CASE("a capped board writes the row that enters and the row that it removes") {
  Counted board({.engine = EngineKind::capped, .cap = 2, .reserve = 1});
  CHECK(board.put("alice", 1, 1) == 1);
  CHECK(board.put("bob", 2, 2) == 1);
  CHECK(board.put("carol", 3, 3) == 1);
  CHECK(board.put("dave", 4, 4) == 0);
  CHECK(board.put("erin", 3, 4) == 0);  // equal, and later
  CHECK(board.put("frank", 3, 2) == 2);
  CHECK(board.put("grace", 0, 5) == 2);
  EngineSpec smaller{.engine = EngineKind::capped, .cap = 1, .reserve = 0};
  board.engine->configure(smaller);
  CHECK(board.counts->written() == 2);
}

TEST_CASE("a dismantled engine retires its rows at once and writes nothing") {
  for (const EngineKind kind : {EngineKind::ranked, EngineKind::capped, EngineKind::sharded}) {
    CAPTURE(static_cast<int>(kind));
    Counted board({.engine = kind, .cap = 100, .reserve = 100, .shards = 8});
    for (std::uint64_t i = 0; i < 200; ++i) board.put(fmt::format("p{}", i), i, 0);
    CHECK(board.engine->dismantle(1));
    CHECK(board.counts->retired == (kind == EngineKind::sharded ? 8 : 1));
    while (board.engine->dismantle(10)) {
    }
    CHECK(board.counts->retired == (kind == EngineKind::sharded ? 8 : 1));
    CHECK(board.counts->written() == 0);
  }
}

TEST_CASE("the destructor of an engine writes nothing") {
  Counted board({.engine = EngineKind::ranked});
  board.put("alice", 5, 1, "car");
  board.engine.reset();
  CHECK(board.counts->written() == 0);
  CHECK(board.counts->retired == 0);
}

TEST_CASE("a memory store gets no rows") {
  for (const EngineKind kind : {EngineKind::ranked, EngineKind::capped, EngineKind::sharded}) {
    Ground ground;
    const auto engine = make_score_engine({.engine = kind}, ground.context());
    engine->load(no_progress);
    for (int i = 0; i < 50; ++i) engine->put({fmt::format("p{}", i)}, {.score = 5});
    engine->erase(ground.player("p7"));
    CHECK(ground.store->size() == 0);
  }
}

TEST_CASE("bytes that are not a valid row are skipped") {
  Ground ground;
  ground.store = std::make_unique<KeptStore>();
  const std::string alice = pack_row({.score = 5, .at = 7, .data = "car"});
  Batch batch;
  const auto put = [&](std::string_view id, std::string_view value) {
    batch.put(prefix_of_space_1().append(id), value);
  };
  put("alice", alice);
  put("", alice);
  put(std::string(kPlayerBytesMax + 1, 'x'), alice);
  put("bare", "");
  put("long", alice + std::string(kDataBytesMax, 'x'));
  put("short", alice.substr(0, 16));
  put("tailed", pack_row({.score = 5, .at = 7}) + "x");
  std::string marked = alice;
  marked[16] = 2;
  put("marked", marked);
  ground.store->write(batch);

  const auto engine = make_score_engine({.engine = EngineKind::ranked}, ground.context(), 1);
  engine->load(no_progress);
  engine->check();
  CHECK(ids(*engine) == std::vector<std::string>{"alice"});
  engine->put(ground.player("short"), {.score = 4});
  engine->erase(ground.player("short"));
  CHECK(!ground.store->get(prefix_of_space_1() + "short"));
}

}  // namespace laurel
