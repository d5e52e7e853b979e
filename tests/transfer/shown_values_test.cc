// Scores and moments as people write them.
#include "transfer/shown_values.h"

#include <doctest/doctest.h>

#include "transfer/csv.h"

using namespace laurel;

namespace {

double moment(std::string_view text) {
  const Result<double> read = read_moment(text);
  return read ? *read : -1;
}

}  // namespace

TEST_CASE("a moment is Unix seconds or ISO 8601, as a table shows it and shorter") {
  CHECK(moment("1764144900") == 1764144900);
  CHECK(moment("-5.25") == -5.25);
  CHECK(moment("2025-11-26T08:15:00.000000Z") == 1764144900);
  CHECK(moment("2025-11-26T08:15:00.5Z") == 1764144900.5);
  CHECK(moment("2025-11-26 08:15:00") == 1764144900);
  CHECK(moment(" 2025-11-26T08:15Z ") == 1764144900);
  CHECK(moment("1916-02-29T00:00:00Z") == -1699056000);
}

TEST_CASE("what a table shows of a moment is read as that moment") {
  for (const Time at :
       {Time{0}, Time{1}, Time{-1}, Time{1764144900123456}, Time{-1699142399999999}}) {
    CAPTURE(at);
    const Result<double> read = read_moment(iso_time(at));
    REQUIRE(read);
    CHECK(time_from_seconds(*read) == at);
  }
}

TEST_CASE("what is no moment is refused with the text") {
  for (const char* text :
       {"", "soon", "2025-13-01T00:00:00Z", "2025-02-30T00:00:00Z", "2025-11-26T24:00:00Z",
        "2025-11-26", "2025-11-26T08:15:00.Z", "2025-11-26T08:15:00ZZ", "1e999", "nan", "12 34"}) {
    CAPTURE(text);
    const Result<double> read = read_moment(text);
    REQUIRE(!read);
    CHECK(read.refusal().code() == Code::bad_data);
  }
}

TEST_CASE("a score is a number, or a number a column with commas between them") {
  Submission submission;
  ColumnValues values;
  REQUIRE(read_shown_score("-12.5", nullptr, submission, values));
  CHECK(submission.score == -12.5);
  CHECK(!read_shown_score("1,2", nullptr, submission, values));
  CHECK(!read_shown_score("1x", nullptr, submission, values));
  CHECK(!read_shown_score("", nullptr, submission, values));

  const auto columns = ScoreColumns::parse("laps desc 0 0 100, seconds asc 2 0 1000");
  REQUIRE(columns);
  REQUIRE(read_shown_score("12, 3.25", columns->get(), submission, values));
  CHECK(submission.columns == nullptr);
  CHECK(text_of_score(submission.score, columns->get()) == "12,3.25");
  for (const char* text : {"12", "12,3,4", "12,", ",3", "12,x", ""}) {
    CAPTURE(text);
    CHECK(!read_shown_score(text, columns->get(), submission, values));
  }
}
