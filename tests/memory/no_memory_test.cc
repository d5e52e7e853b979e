// Writes that run out of memory at any of their allocations, on boards of every engine.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/limits.h"
#include "board/fixture.h"
#include "long_form.h"
#include "registry_text.h"
#include "small_heap.h"
#include "twins.h"

namespace laurel::test {

namespace {

struct Kind {
  const char* name;
  Fields fields;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"ranked", {{"keep", "latest"}}},
      {"capped", {{"engine", "capped"}, {"cap", 4.0}, {"reserve", 3.0}}},
      {"padded", {{"engine", "padded"}}},
      {"paged", {{"engine", "paged"}}},
      {"sharded ranked", {{"engine", "sharded"}, {"shards", 3.0}}},
      {"segments", {{"keep", "latest"}, {"segments", "clan,country"}}},
      {"segments of shards", {{"engine", "sharded"}, {"shards", 3.0}, {"segments", "clan"}}},
      {"cohorts", {{"keep", "latest"}, {"cohorts", "2,clan"}}},
      {"cohorts of shards", {{"engine", "sharded"}, {"shards", 3.0}, {"cohorts", "3"}}},
      {"sharded padded", {{"engine", "sharded"}, {"shards", 3.0}, {"of", "padded"}}},
      {"sharded paged", {{"engine", "sharded"}, {"shards", 3.0}, {"of", "paged"}}},
      {"rolling", {{"engine", "rolling"}, {"window.buckets", 5.0}, {"window.seconds", 60.0}}}};
  return all;
}

Fields with(Fields fields, std::string_view field, const FieldValue& value) {
  fields.emplace_back(field, value);
  return fields;
}

// What a script does with boards, players and sessions, at random.
class History {
 public:
  History(const Kind& kind, std::uint64_t seed, const Folder* folder)
      : kind_(kind), twins_(seed, folder) {
    open("a", kind_.fields);
    open("b", kind_.fields);
    open("joined", with(kind_.fields, "join", "required"));
    // A rolling board has no seasons: its window moves.
    open("weekly", is("rolling") ? kind_.fields : with(kind_.fields, "reset", "*/10 * * * *"));
  }

  Twins& twins() { return twins_; }

  void step() {
    twins_.wait(static_cast<Time>(twins_.below(20)) * kSecond);
    switch (twins_.below(27)) {
      case 0: change("leave", [p = player()](Board& b) { (void)b.leave(p); }); break;
      case 1: change("remove", [p = player()](Board& b) { (void)b.remove(p); }); break;
      case 2: change("ban", [p = player()](Board& b) { (void)b.ban(p); }); break;
      case 3: change("unban", [p = player()](Board& b) { (void)b.unban(p); }); break;
      case 4: change("join", [p = player()](Board& b) { (void)b.join({p}, false); }); break;
      case 5: join_with_score(); break;
      case 6: submit_to_several(); break;
      case 7: submit_batch(); break;
      case 8: report(); break;
      case 9: play("ban all", [p = player()](Registry& r) { (void)r.ban(p); }); break;
      case 10: play("unban all", [p = player()](Registry& r) { (void)r.unban(p); }); break;
      case 11: save_player(); break;
      case 12: record_session(); break;
      case 13: reopen_with_spec(); break;
      case 14: make_or_drop(); break;
      case 15: look(); break;
      case 18: set_data(); break;
      case 19:
        play("rename", [from = player(), to = player()](Registry& r) { (void)r.rename(from, to); });
        break;
      case 16: play("tick", [](Registry& r) { r.tick(); }); break;
      case 17: rarely(); break;
      default: submit(); break;
    }
  }

 private:
  using Change = std::function<void(Board& board)>;

  bool is(std::string_view name) const { return kind_.name == name; }

  void play(std::string_view what, const Twins::Call& call) {
    INFO(what);
    twins_.bring_up_to_date();
    twins_.call(call);
  }
  void change(std::string_view what, const Change& change) {
    play(what, [&, name = board()](Registry& r) { change(*r.get(*r.find(name))); });
  }
  void open(const std::string& name, const Fields& fields) {
    play("open", [&](Registry& r) {
      if (const auto opened = r.open(name, spec(fields)); !opened) FAIL(opened.refusal().text());
    });
  }

  std::string board() {
    return std::vector<std::string>{"a", "b", "joined", "weekly"}[twins_.below(4)];
  }
  std::string player() {
    const std::size_t number = twins_.below(24);
    return number % 5 == 0 ? std::string(50 + number, 'p') : fmt::format("p{}", number);
  }
  // A given moment, since a refused call uses up the registry's own.
  double moment() const { return static_cast<double>(twins_.now() / kSecond); }
  double score() { return static_cast<double>(twins_.below(1000)); }
  std::optional<std::string> data() {
    if (twins_.below(3) > 0) return std::nullopt;
    return std::string(twins_.below(400), 'd');
  }

  struct Given {
    std::string player;
    double score;
    std::optional<std::string> data;
    double at;

    Submission view() const { return {.player = player, .score = score, .data = data, .at = at}; }
  };
  Given given() { return {player(), score(), data(), moment()}; }

  void submit() {
    const auto mode =
        std::vector{WriteMode::submit, WriteMode::add, WriteMode::set}[twins_.below(3)];
    change("submit", [mode, it = given()](Board& b) { (void)b.submit(mode, it.view()); });
  }
  void report() {
    change("report", [it = given()](Board& b) { (void)b.submit_report(it.view()); });
  }
  void join_with_score() {
    change("join with score", [it = given()](Board& b) { (void)b.join(it.view(), true); });
  }
  void submit_to_several() {
    play("submit to several", [it = given()](Registry& r) {
      std::vector<std::optional<double>> scores;
      const std::vector<std::string_view> names = {"b", "weekly", "a"};
      (void)r.submit(names, it.view(), scores);
    });
  }
  void set_data() {
    change("set data", [p = player(), d = data()](Board& b) { (void)b.set_data(p, d); });
  }
  // Each result is taken or refused by itself: those without memory are given again.
  void submit_batch() {
    std::vector<Given> batch;
    for (std::size_t i = 0; i < 8; ++i) {
      batch.push_back(given());
      batch.back().player = fmt::format("p{}", 3 * i);
    }
    play("submit a batch", [batch, name = board()](Registry& r) {
      std::vector<Submission> left;
      for (const Given& each : batch) left.push_back(each.view());
      while (!left.empty()) {
        std::vector<Submission> again;
        again.reserve(left.size());
        r.get(*r.find(name))->submit_all(left, [&](std::size_t i, const Refusal& refusal) {
          if (refusal.text() == "unavailable: no memory") again.push_back(left[i]);
        });
        if (!again.empty()) renew_heap();
        left = again;
      }
    });
  }
  void save_player() {
    play("save player", [id = player(), name = data(), email = player(), clan = player(),
                         now = twins_.now()](Registry& r) {
      AttributeChanges attributes;
      (void)attributes.add("clan", clan);
      (void)r.profiles().save(
          {.id = id, .name = name, .email = email, .attributes = attributes.text()}, now);
    });
  }
  void record_session() {
    play("record session",
         [it = given(), id = fmt::format("{:026}", ++sessions_), now = twins_.now()](Registry& r) {
           (void)r.sessions().record({.player = it.player,
                                      .game = "chess",
                                      .score = it.score,
                                      .seconds = 3,
                                      .data = it.data,
                                      .at = it.at,
                                      .id = id},
                                     now);
         });
  }
  void reopen_with_spec() {
    open(board(), {{"meta", std::string_view(twins_.below(2) == 0 ? "m" : "n")}});
    if (is("capped")) open(board(), {{"cap", static_cast<double>(2 + twins_.below(4))}});
    if (is("segments")) {
      const std::string_view attributes = twins_.below(2) == 0 ? "clan" : "country,clan";
      open(board(), {{"segments", attributes}});
    }
    if (is("cohorts")) {
      const std::string_view cohorts = twins_.below(2) == 0 ? "2,clan" : "3";
      open(board(), {{"cohorts", cohorts}});
    }
    if (!is("rolling")) open(board(), {{"archive", static_cast<double>(twins_.below(3))}});
  }
  void make_or_drop() {
    const std::string name = fmt::format("extra {}", twins_.below(3));
    if (twins_.below(2) == 0) return open(name, kind_.fields);
    play("drop", [name](Registry& r) { (void)r.drop(name); });
  }
  // A lookup ends seasons and moves windows.
  void look() {
    twins_.wait(static_cast<Time>(twins_.below(900)) * kSecond);
    twins_.call([name = board()](Registry& r) { (void)r.get(*r.find(name)); });
  }
  void rarely() {
    switch (twins_.below(4)) {
      case 0: change("clear", [](Board& b) { (void)b.clear(); }); break;
      case 1: change("reset", [](Board& b) { (void)b.reset(); }); break;
      case 2: play("flush", [](Registry& r) { (void)r.flush(); }); break;
      default: play("forget", [p = player()](Registry& r) { (void)r.forget(p); }); break;
    }
  }

  const Kind& kind_;
  Twins twins_;
  std::uint64_t sessions_ = 0;
};

void play_histories(const Kind& kind, bool durable, std::uint64_t seeds, int steps) {
  std::size_t refused = 0;
  std::size_t rescued = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(std::string(kind.name));
    CAPTURE(seed);
    std::optional<Folder> folder;
    if (durable) folder.emplace();
    History history(kind, seed, durable ? &*folder : nullptr);
    for (int i = 0; i < steps; ++i) {
      CAPTURE(i);
      history.step();
      if (durable && i % 50 == 49) history.twins().reopen();
    }
    refused += history.twins().refused;
    rescued += history.twins().rescued;
    CHECK(history.twins().most_blocks < kMemoryReserveBlocks / 2);
  }
  // The heap ended while a write prepared, and while it changed.
  CHECK(refused > 0);
  CHECK(rescued > 0);
}

}  // namespace

TEST_CASE("a write that runs out of memory changes nothing, and the next one continues") {
  for (const Kind& kind : kinds()) play_histories(kind, false, short_or_long(3, 60), 150);
}

TEST_CASE(
    "what a durable registry holds after writes without memory is found when it is reopened") {
  for (const Kind& kind : kinds()) play_histories(kind, true, short_or_long(1, 20), 150);
}

TEST_CASE("the writer thread without memory keeps what it has to write, and tries again") {
  const Folder folder;
  const auto open = [&folder] {
    auto registry = Registry::open({.path = folder / "store", .log = Log([](Level, auto) {})});
    REQUIRE(registry);
    return std::move(*registry);
  };
  auto registry = open();
  const BoardHandle board = *registry->open("b", spec({}));
  REQUIRE(registry->get(board)->submit(WriteMode::submit, result("a", 1)));

  end_heap_of_others();
  CHECK(verdict(registry->flush()) == "unavailable");
  CHECK(registry->flush().refusal().text() == "unavailable: no memory");
  CHECK(registry->get(board)->submit(WriteMode::submit, result("b", 1)).refusal().text() ==
        "unavailable: no memory");
  renew_heap();
  REQUIRE(registry->flush());
  REQUIRE(registry->get(board)->submit(WriteMode::submit, result("c", 1)));

  const std::string text = text_of(*registry);
  REQUIRE(registry->close());
  registry.reset();
  CHECK(text_of(*open()) == text);
}

}  // namespace laurel::test
