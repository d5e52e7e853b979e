// Keys as people and other tools find them in the table.
#include "remote/dynamodb/keys.h"

#include <cmath>

#include <doctest/doctest.h>

#include "base/encoding.h"
#include "board/fixture.h"
#include "remote/dynamodb/board_metadata.h"
#include "remote/dynamodb/decide.h"

namespace laurel::dynamodb {

TEST_CASE("ids in UTF-8 are in the keys unchanged") {
  for (const std::string_view id : {"p_alice", "a#b", "émile", "{a", "~x", "zzzz", "東京"}) {
    CHECK(key_text(id, false) == id);
    CHECK(bytes_of_key(key_text(id, false)) == id);
  }
}

TEST_CASE("different ids have different keys, whatever their bytes") {
  const std::vector<std::string> ids = {
      "\xff", "\xc3", "\xc3\xa9", "a\x80", "\xef\x9f\xbf", "\xef\x9c\xa3",
      "\xef", "#",    "a#b",      "a",     "\xed\xa0\x80", "\xc0\xaf"};
  for (const std::string& a : ids) {
    CAPTURE(a);
    CHECK(is_utf8(key_text(a, true)));
    CHECK(bytes_of_key(key_text(a, true)) == a);
    CHECK(bytes_of_key(key_text(a, false)) == a);
    CHECK(key_text(a, true).find('#') == std::string::npos);
  }
}

TEST_CASE("a board's first season has the documented key, and names with # do not collide") {
  Record record;
  CHECK(record.base("season_3") == "LEADERBOARD#season_3");
  record.season = 2;
  CHECK(record.base("c") == "LEADERBOARD#c#SEASON_2");
  CHECK(Record().base("c#SEASON_2") != record.base("c"));
}

TEST_CASE("each copy of a season has a key of its own, which no board has") {
  const std::string base = copy_base("daily", 1'000'000, 3);
  CHECK(base == "LEADERBOARD#daily#ARCHIVE_00000000000f4240#SEASON_3");
  CHECK(is_copy_base(base));
  CHECK(copy_base("daily", -1, 3) == "LEADERBOARD#daily#ARCHIVE_ffffffffffffffff#SEASON_3");
  Record record;
  record.season = 3;
  record.generation = 2;
  record.clears = 1;
  CHECK_FALSE(is_copy_base(record.base("daily")));
  CHECK_FALSE(is_copy_base(record.base("daily#ARCHIVE_00000000000f4240")));
}

TEST_CASE("a copy's items hold any score exactly, and as a number if DynamoDB can hold it") {
  const Spec plain = *spec({}).create();
  const EntryKeys keys(plain);
  const ScoreForm form(plain.order, plain.decimals);
  for (const double score : {8420.0, 0.1, -1e300, 1e-300, 0.0, 9007199254740993.0}) {
    CAPTURE(score);
    const Row row{"p_alice", *form.key(score), 7, "hat"};
    const Json item = keys.score_item("base", row);
    CHECK(keys.row_of(item) == row);
    CHECK(keys.row_of(keys.pointer_item("base", row)) == row);
    const bool shown = std::abs(score) < 1e126 && (score == 0 || std::abs(score) > 1e-130);
    CHECK(number_at(item, "score") == (shown ? std::optional(score) : std::nullopt));
  }
  const Spec exact = *spec({{"decimals", 2.0}}).create();
  const EntryKeys decimals(exact);
  const Row row{"p_alice", *ScoreForm(exact.order, exact.decimals).key(-12.34), 7, {}};
  const Json item = decimals.score_item("base", row);
  CHECK(number_at(item, "score") == -12.34);
  CHECK(decimals.row_of(item) == row);
}

TEST_CASE("a score item and its pointer have the documented form") {
  const Spec padded = *spec({{"engine", "padded"}}).create();
  const EntryKeys keys(padded);
  const ScoreForm form(padded.order, padded.decimals);
  const Row row{"p_alice", *form.key(8420), 7, "hat"};
  const Json score = keys.score_item("LEADERBOARD#season_3", row);
  CHECK(text_at(score, "PK") == "LEADERBOARD#season_3");
  CHECK(text_at(score, "SK") == "SCORE#0000008420#p_alice");
  CHECK(number_at(score, "score") == 8420);
  const Json pointer = keys.pointer_item("LEADERBOARD#season_3", row);
  CHECK(text_at(pointer, "PK") == "PLAYER#p_alice");
  CHECK(text_at(pointer, "SK") == "LEADERBOARD#season_3");
  CHECK(keys.row_of(pointer) == row);
  CHECK(keys.row_of(score) == row);
}

TEST_CASE(
    "a sharded board's entries are spread over its partitions, a player always in the same one") {
  const Spec sharded = *spec({{"engine", "sharded"}, {"of", "padded"}, {"shards", 4.0}}).create();
  const EntryKeys keys(sharded);
  std::vector<int> counts(4);
  for (int i = 0; i < 400; ++i) {
    const std::string partition = keys.partition_of("LEADERBOARD#b", fmt::format("p{}", i));
    REQUIRE(partition.starts_with("LEADERBOARD#b#PARTITION_"));
    ++counts.at(static_cast<std::size_t>(partition.back() - '0'));
  }
  for (const int count : counts) CHECK(count > 60);
}

TEST_CASE("the longest names and ids fit the table's keys") {
  const Spec padded =
      *spec({{"engine", "padded"}, {"digits", 15.0}, {"ties", "earliest"}}).create();
  const EntryKeys keys(padded);
  const Row row{std::string(kPlayerBytesMax, '\xff'),
                *ScoreForm(padded.order, padded.decimals).key(1), 0, std::nullopt};
  Record record;
  record.season = record.clears = record.generation = 1'000'000'000'000;
  const std::string base = record.base(std::string(kBoardNameBytesMax, '#'));
  CHECK(text_at(keys.score_item(base, row), "SK")->size() <= 1024);
  CHECK(text_at(keys.pointer_item(base, row), "PK")->size() <= 2048);
  CHECK(base.size() <= 1024);
}

TEST_CASE("a board's record reads back as it was written") {
  Record record;
  record.exists = true;
  record.version = 7;
  record.revision = 3;
  record.spec = {{"engine", "padded"}, {"meta", "\xff\x01"}, {"reset", "0 0 * * 1"}};
  record.epoch = std::string("e1");
  record.season = 5;
  record.clears = 1;
  record.created = -3;
  record.due = 12;
  record.written = true;
  record.past = {{.number = 4, .started = 1, .ended = 2, .clears = 0, .ranking = Ranking::ordinal}};
  const Json item = record.item("b");
  const Record read = Record::read(&item, nullptr);
  CHECK(read.item("b") == item);
  CHECK(read.spec == record.spec);
  CHECK(read.past.at(0).ranking == Ranking::ordinal);
}

}  // namespace laurel::dynamodb
