// States as text: their JSON, their ids, and the stretches that viewers get.
#include "web/feed/state.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "web/http/json.h"

namespace laurel::web {
namespace {

using Json = nlohmann::json;

Window window_with(std::size_t entries) {
  Window made;
  made.epoch = 0xabcdef;
  made.version = 42;
  made.size = 1000;
  for (std::size_t i = 0; i < entries; ++i) {
    WindowEntry entry;
    entry.player = fmt::format("p{}", i);
    entry.score = 100.5 - static_cast<double>(i);
    entry.rank = i + 1;
    made.entries.push_back(std::move(entry));
  }
  return made;
}

Json json_of(const State& state, unsigned n) { return Json::parse(joined(state.json(n))); }

std::string players(const Json& list) {
  std::string text;
  for (const Json& entry : list) text += entry["player"].get<std::string>() + " ";
  return text;
}

TEST_CASE("a state has the fields of its board and its entries, and leaves out what has no value") {
  Window made = window_with(2);
  made.entries[0].name = "A \"quoted\" <name>\n";
  made.entries[0].data = "";
  made.entries[0].at = 1'500'000;
  made.entries[0].rank_change = -1.5;
  made.entries[1].rank = Rank::mean(1, 2);
  const State state({"a/b"}, made, 7, false);
  CHECK(json_of(state, 10) == Json{{"board", "a/b"},
                                   {"version", 42},
                                   {"epoch", "0000000000abcdef"},
                                   {"size", 1000},
                                   {"season", 7},
                                   {"stale", false},
                                   {"top",
                                    {{{"player", "p0"},
                                      {"name", "A \"quoted\" <name>\n"},
                                      {"score", 100.5},
                                      {"rank", 1},
                                      {"rank_change", -1.5},
                                      {"at", 1.5},
                                      {"data", ""}},
                                     {{"player", "p1"}, {"score", 99.5}, {"rank", 1.5}}}}});
  CHECK_FALSE(json_of(State({"a"}, made, 0, true), 1).contains("season"));
}

TEST_CASE("text that is not UTF-8 comes as base64, in names of boards, ids, names and data") {
  Window made = window_with(1);
  made.entries[0].player = "\xff";
  made.entries[0].name = "\xc3";
  made.entries[0].data = std::string("\0\x80", 2);
  const Json json = json_of(State({"b\xfe"}, made, 0, false), 1);
  CHECK(json["board"] == Json{{"base64", "Yv4="}});
  CHECK(json["top"][0]["player"] == Json{{"base64", "/w=="}});
  CHECK(json["top"][0]["name"] == Json{{"base64", "ww=="}});
  CHECK(json["top"][0]["data"] == Json{{"base64", "AIA="}});
}

TEST_CASE("a score of columns is an array") {
  Window made = window_with(1);
  made.columns = *ScoreColumns::parse("laps, seconds asc 3 0 100000");
  made.entries[0].score = *made.columns->number({{12, 53.21}, 2});
  CHECK(json_of(State({"a"}, made, 0, false), 1)["top"][0]["score"] == Json{12, 53.21});
}

TEST_CASE("a top is cut to what is asked for, and to what there is") {
  const State state({"a"}, window_with(5), 1, false);
  CHECK(players(json_of(state, 1)["top"]) == "p0 ");
  CHECK(players(json_of(state, 5)["top"]) == "p0 p1 p2 p3 p4 ");
  CHECK(json_of(state, 100) == json_of(state, 5));
  CHECK(json_of(State({"a"}, window_with(0), 1, false), 10)["top"] == Json::array());
}

TEST_CASE("the entries around a player slide at the ends of the board") {
  for (std::size_t at = 0; at < 9; ++at) {
    for (unsigned n = 0; n <= 10; ++n) {
      CAPTURE(at);
      CAPTURE(n);
      const State state({"a", fmt::format("p{}", at)}, window_with(9), 1, false);
      const Json json = json_of(state, n);
      CHECK(json["player"] == fmt::format("p{}", at));
      const std::size_t count = std::min<std::size_t>(2 * n + 1, 9);
      REQUIRE(json["entries"].size() == count);
      const std::size_t first = std::min(at - std::min<std::size_t>(at, n), 9 - count);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(json["entries"][i]["player"] == fmt::format("p{}", first + i));
      }
    }
  }
  CHECK(json_of(State({"a", "p"}, window_with(0), 1, false), 2)["entries"] == Json::array());
}

TEST_CASE("an event has its id, its name and its JSON on one line each") {
  Window made = window_with(2);
  made.entries[0].name = "two\nlines\r";
  const State state({"a"}, made, 1, false);
  const std::string json = joined(state.json(1));
  CHECK(json.find('\n') == std::string::npos);
  CHECK(joined(state.event(1)) ==
        fmt::format("id: 0000000000abcdef-42\nevent: top\ndata: {}\n\n", json));
  CHECK(joined(state.event_without_id(1)) == fmt::format("event: top\ndata: {}\n\n", json));
  const State gone("a'b");
  CHECK(gone.is_gone());
  CHECK(joined(gone.event(1)) ==
        "id: \nevent: gone\ndata: {\"board\":\"a'b\",\"error\":\"unknown: no board is called "
        "'a'b'\"}\n\n");
  CHECK(Json::parse(joined(gone.json(1)))["board"] == "a'b");
}

TEST_CASE("an id names epoch, version and whether the state is stale, and is read back") {
  const StateId id{0xabcdef, 42, 3, true};
  CHECK(to_text(id) == "0000000000abcdef-42-stale");
  CHECK(is_held(state_id_of(to_text(id)), id));
  CHECK_FALSE(is_held(state_id_of(to_text(id)), {0xabcdef, 42, 3, false}));
  CHECK_FALSE(is_held({0xabcdef, 42, 2, true}, id));
  CHECK(to_text(StateId()).empty());
  for (const std::string_view text : {"", "-", "1-", "-1", "x-1", "1-x", "1-2-3", "1", "0-5"}) {
    CAPTURE(text);
    CHECK_FALSE(state_id_of(text));
  }
}

TEST_CASE("numbers are in their shortest form, and whole ones have no point") {
  const auto shown = [](double number) {
    std::string json;
    append_number(json, number);
    return json;
  };
  CHECK(shown(100) == "100");
  CHECK(shown(0.1) == "0.1");
  CHECK(shown(-1.5) == "-1.5");
  CHECK(shown(1e300) == "1e+300");
  CHECK(shown(9007199254740992.0) == "9007199254740992");
}

}  // namespace
}  // namespace laurel::web
