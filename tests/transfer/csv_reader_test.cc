// Tables of other programs, as results.
#include "transfer/csv_reader.h"

#include <random>

#include <doctest/doctest.h>

#include "folder.h"
#include "transfer/csv.h"
#include "transfer/import_csv.h"

using namespace laurel;

namespace {

using Cells = CsvReader::Cells;

struct Table : test::Folder {
  explicit Table(std::string_view content) : Folder("table") { write("t.csv", content); }
  std::string file() const { return *this / "t.csv"; }
};

std::vector<Cells> rows_of(std::string_view content) {
  const Table table(content);
  CsvReader in(table.file());
  std::vector<Cells> rows;
  while (std::optional<Cells> row = in.next()) rows.push_back(*std::move(row));
  REQUIRE_MESSAGE(in.status(), in.status().refusal().text());
  return rows;
}

std::string error_of(std::string_view content) {
  const Table table(content);
  CsvReader in(table.file());
  while (in.next()) {
  }
  const Status status = in.status();
  return status ? "" : std::string(status.refusal().text());
}

}  // namespace

TEST_CASE("rows are read as RFC 4180 says, with both ends of lines and a mark of UTF-8") {
  CHECK(rows_of("a,b\n1,2\n") == std::vector<Cells>{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("\xEF\xBB\xBF"
                "a,b\r\n1,\"2\"\r\n\r\n") == std::vector<Cells>{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("\"a \"\"x\"\", b\",\"two\r\nlines\"") ==
        std::vector<Cells>{{"a \"x\", b", "two\r\nlines"}});
  CHECK(rows_of(",\"\",\n") == std::vector<Cells>{{std::nullopt, "", std::nullopt}});
  CHECK(rows_of("base64:/w==,base64:x\n") == std::vector<Cells>{{"\xff", "base64:x"}});
  CHECK(rows_of("").empty());
}

TEST_CASE("what is no table is refused with its line") {
  CHECK(error_of("a\n\"b\nc") == "bad_data: line 2: a cell in quotes does not end");
  CHECK(error_of("a\nb,\"c\"d\n") == "bad_data: line 2: cell 2 goes on behind its closing quote");
  CHECK(error_of("a,\"" + std::string(300'000, 'x') + "\"").starts_with("bad_data: line "));
}

TEST_CASE("cells that are written are read as the same text") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    Cells cells;
    std::string line;
    for (unsigned i = 0; i < 1 + round % 4U; ++i) {
      std::string text;
      for (auto length = random() % 6; length > 0; --length) {
        text += "ab,\"\r\n \xff:"[random() % 9];
      }
      if (random() % 8 == 0) text = "base64:" + text;
      line += (i == 0 ? "" : ",") + csv_text(text);
      cells.emplace_back(text);
    }
    CHECK(rows_of(line + "\n") == std::vector<Cells>{cells});
  }
}

TEST_CASE("a map names the columns, each once, and a player and a score at least") {
  const Result<CsvMap> map = read_csv_map("player=steamid,score=best time,name=nick,at=when");
  REQUIRE(map);
  CHECK(map->player == "steamid");
  CHECK(map->scores == decltype(map->scores){{"score", "best time"}});
  CHECK(map->name == "nick");
  CHECK(map->data.empty());
  CHECK(read_csv_map("player=p,score.laps=l,score.seconds=s"));
  for (const char* const wrong :
       {"", "player=p", "score=s", "player=p,score=", "player=p,score=s,rank=r",
        "player=p,score=s,score=t", "player=p,score=s,score.laps=t", "player=p,player=q,score=s",
        "player=p,score.=s", "player=p score=s"}) {
    CAPTURE(wrong);
    const Result<CsvMap> refused = read_csv_map(wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.refusal().message().find("player=steamid,score=time") != std::string::npos);
  }
}

TEST_CASE("a table without a column of the map is refused, and says which it has") {
  const Table table("id,points\nada,5\n");
  const auto missing = CsvResults::read(table.file(), *read_csv_map("player=id,score=score"));
  REQUIRE_FALSE(missing);
  CHECK(std::string(missing.refusal().text()) ==
        "bad_data: the table has no column \"score\"; it has id, points");
  const Table ragged("id,points\nada,5\nbob\n");
  const auto short_row = CsvResults::read(ragged.file(), *read_csv_map("player=id,score=points"));
  REQUIRE_FALSE(short_row);
  CHECK(std::string(short_row.refusal().text()) ==
        "bad_data: line 3: it has 1 cells; the header has 2");
}
