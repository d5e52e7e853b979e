// The arithmetic of combined boards, and the form of their sources and weights, without boards.
#include "registry/derived/combined_score.h"

#include <functional>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "board/fixture.h"
#include "board/spec/source_list.h"
#include "long_form.h"

namespace laurel {

namespace {

Spec combined(const Fields& fields) {
  Fields all = fields;
  all.insert(all.begin(), {"engine", "combined"});
  const Result<Spec> made = spec(all).create();
  if (!made) FAIL(made.refusal().text());
  return *made;
}

struct Given {
  std::optional<int> decimals;
  double score;
  Time at = 0;
};

// The score from these, "stopped at ..." if it stops, and its moment if that is not 0.
std::string score_of(const Spec& spec, const std::vector<Given>& given) {
  std::vector<ScoreForm> forms;
  for (const Given& each : given) forms.emplace_back(Order::desc, each.decimals);
  std::vector<SourcePart> parts;
  for (std::size_t i = 0; i < given.size(); ++i) {
    parts.push_back({i, &forms[i], *forms[i].key(given[i].score), given[i].at});
  }
  const std::optional<CombinedRow> row = CombinedScore(spec).of(parts);
  if (!row) return "none";
  const double score = ScoreForm(spec.order, spec.decimals).score(row->score);
  return fmt::format("{}{}{}", row->stopped ? "stopped at " : "", score,
                     row->at == 0 ? "" : fmt::format(" at {}", row->at));
}

}  // namespace

TEST_CASE("a sum of decimals is exact: ten times 0.1 is 1") {
  const Spec spec = combined({{"sources", "a*"}, {"decimals", 1.0}});
  CHECK(score_of(spec, std::vector<Given>(10, {1, 0.1})) == "1");
  CHECK(score_of(combined({{"sources", "a*"}, {"decimals", 9.0}}),
                 {{9, 0.000000001}, {0, 3}, {2, -0.25}}) == "2.750000001");
}

TEST_CASE("a sum counts each source with its weight, and rounds once, half away from zero") {
  const Spec spec = combined({{"sources", "a,b"}, {"weights", "0.5,-3"}, {"decimals", 0.0}});
  CHECK(score_of(spec, {{0, 7}, {0, 0}}) == "4");     // 3.5
  CHECK(score_of(spec, {{0, 5}, {1, 1.5}}) == "-2");  // -2
  CHECK(score_of(spec, {{0, 4}, {1, 1.5}}) == "-3");  // -2.5
  CHECK(score_of(spec, {{2, 0.99}}) == "0");          // 0.495
  const Spec thirds = combined({{"sources", "a,b"}, {"weights", "0.1,0.2"}, {"decimals", 1.0}});
  CHECK(score_of(thirds, {{0, 1}, {0, 1}}) == "0.3");
}

TEST_CASE("a sum stops at the ends of what a score holds") {
  const double most = 9007199254740991;
  const Spec spec = combined({{"sources", "a,b,c"}, {"decimals", 0.0}});
  CHECK(score_of(spec, {{0, most}, {0, 1}}) == "stopped at 9007199254740991");
  CHECK(score_of(spec, {{0, -most}, {0, -1}}) == "stopped at -9007199254740991");
  CHECK(score_of(spec, {{0, most}, {0, 1}, {0, -2}}) == "9007199254740990");
  const Spec fine = combined({{"sources", "a,b"}, {"weights", "1,1"}, {"decimals", 9.0}});
  CHECK(score_of(fine, {{0, most}, {0, most}}) == "stopped at 9007199.25474099");
  const Spec heavy =
      combined({{"sources", "a,b"}, {"weights", "999999999,-999999999"}, {"decimals", 0.0}});
  CHECK(score_of(heavy, {{0, most}, {9, 9007199.254740991}}) == "stopped at 9007199254740991");
  CHECK(score_of(heavy, {{0, most}, {0, most}}) == "0");
}

TEST_CASE("a ratio of decimals is exact and rounded half away from zero") {
  const Spec spec = combined({{"sources", "a,b"}, {"take", "ratio"}, {"decimals", 2.0}});
  CHECK(score_of(spec, {{0, 1}, {0, 8}}) == "0.13");  // 0.125
  CHECK(score_of(spec, {{0, -1}, {0, 8}}) == "-0.13");
  CHECK(score_of(spec, {{0, 2}, {0, 3}}) == "0.67");
  CHECK(score_of(spec, {{3, 0.005}, {1, 1.0}}) == "0.01");
  CHECK(score_of(spec, {{0, 9e15}, {9, 0.000000001}}) == "stopped at 90071992547409.9");
}

TEST_CASE("a ratio counts only players on both with a second score from `least` on") {
  const Spec spec =
      combined({{"sources", "a,b"}, {"take", "ratio"}, {"decimals", 2.0}, {"least", 2.0}});
  CHECK(score_of(spec, {{0, 6}}) == "none");
  CHECK(score_of(spec, {{0, 6}, {0, 1}}) == "none");
  CHECK(score_of(spec, {{0, 6}, {0, 2}}) == "3");
  const Spec any = combined({{"sources", "a,b"}, {"take", "ratio"}, {"decimals", 2.0}});
  CHECK(score_of(any, {{0, 6}, {0, 0}}) == "none");
  CHECK(score_of(any, {{0, 6}, {0, -1}}) == "none");
  CHECK(score_of(any, {{std::nullopt, 6}, {std::nullopt, 0.25}}) == "24");
  CHECK(score_of(any, {{std::nullopt, 1e300}, {std::nullopt, 1e-300}}) ==
        "stopped at 90071992547409.9");
}

TEST_CASE("a count is the number of parts, and the moment the latest one of them") {
  for (const std::string_view take : {"count", "firsts"}) {
    const Spec spec = combined({{"sources", "a*"}, {"take", take}, {"decimals", 0.0}});
    CHECK(score_of(spec, {}) == "none");
    CHECK(score_of(spec, {{0, 5, 7}, {std::nullopt, -1, 9}, {2, 0, 8}}) == "3 at 9");
  }
}

TEST_CASE("a sum is the one that whole numbers have, whatever the decimals") {
  for (std::uint64_t seed = 0; seed < short_or_long(2000U, 100'000U); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const int decimals = static_cast<int>(random() % 4);
    Fields fields = {{"decimals", static_cast<double>(decimals)}};
    std::vector<Given> given;
    std::string names;
    std::string weights;
    std::int64_t thousandths_of_tenths = 0;
    for (std::size_t i = 0, n = 1 + random() % 5; i < n; ++i) {
      const auto thousandths = static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000;
      const int own = static_cast<int>(random() % 4);
      const std::int64_t unit = own == 0 ? 1000 : own == 1 ? 100 : own == 2 ? 10 : 1;
      const std::int64_t score = thousandths / unit * unit;
      const auto tenths = static_cast<std::int64_t>(random() % 101) - 50;
      thousandths_of_tenths += score * tenths;
      given.push_back({own, static_cast<double>(score) / 1000});
      names += fmt::format("{}s{}", i == 0 ? "" : ",", i);
      weights += fmt::format("{}{}", i == 0 ? "" : ",", static_cast<double>(tenths) / 10);
    }
    fields.insert(fields.end(), {{"sources", names}, {"weights", weights}});
    std::int64_t unit = 1;  // of the rounded sum, in ten-thousandths
    for (int i = decimals; i < 4; ++i) unit *= 10;
    const std::int64_t size = std::abs(thousandths_of_tenths);
    const std::int64_t rounded = (size + unit / 2) / unit;
    double expected = static_cast<double>(rounded) * static_cast<double>(unit) / 10'000;
    if (thousandths_of_tenths < 0 && rounded != 0) expected = -expected;
    REQUIRE(score_of(combined(fields), given) == fmt::format("{}", expected));
  }
}

// ---- sources and weights

namespace {

std::string parsed(std::string_view text) {
  const Result<SourceList> list = SourceList::parse(text);
  if (!list) return std::string(list.refusal().message());
  if (list->is_pattern()) return "pattern " + list->text();
  return fmt::format("{} names {}", list->names().size(), list->text());
}

bool takes(std::string_view pattern, std::string_view name) {
  return SourceList::parse(pattern)->takes(name);
}

}  // namespace

TEST_CASE("a list of sources is names or one pattern, and reads back as it was written") {
  CHECK(parsed("kills,deaths") == "2 names kills,deaths");
  CHECK(parsed("lap_*") == "pattern lap_*");
  CHECK(parsed("\\*,a\\,b,c\\\\") == "3 names \\*,a\\,b,c\\\\");
  CHECK(SourceList::parse("\\*,a\\,b,c\\\\")->names() ==
        std::vector<std::string>{"*", "a,b", "c\\"});
  const std::string allowed = "; it takes 1 to 1000 names of boards, or one pattern";
  CHECK(parsed("") == "field 'sources': \"\" is no name of a board" + allowed);
  CHECK(parsed("a,a") == "field 'sources': \"a\" is given twice" + allowed);
  CHECK(parsed("a,b*") == "field 'sources': \"a,b*\" has names beside a pattern" + allowed);
}

TEST_CASE("a star of a pattern stands for any bytes, or none") {
  CHECK(takes("lap_*", "lap_1"));
  CHECK(takes("lap_*", "lap_"));
  CHECK_FALSE(takes("lap_*", "lap"));
  CHECK(takes("*", "anything"));
  CHECK(takes("a*b*c", "abbc"));
  CHECK(takes("a*bc*c", "abcbcc"));
  CHECK_FALSE(takes("ab*ba", "aba"));
  CHECK(takes("\\**", "*x"));
  CHECK_FALSE(takes("\\**", "x"));
}

TEST_CASE("a pattern takes the names that a search by definition finds") {
  // Whether the rest of a name fits the rest of a pattern.
  const std::function<bool(std::string_view, std::string_view)> fits =
      [&fits](std::string_view pattern, std::string_view name) {
        if (pattern.empty()) return name.empty();
        if (pattern[0] == '*') {
          return fits(pattern.substr(1), name) || (!name.empty() && fits(pattern, name.substr(1)));
        }
        return !name.empty() && name[0] == pattern[0] && fits(pattern.substr(1), name.substr(1));
      };
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string pattern = "*";
    std::string name;
    for (std::uint64_t n = random() % 5; n > 0; --n) pattern += "ab*"[random() % 3];
    for (std::uint64_t n = random() % 5; n > 0; --n) pattern.insert(0, 1, "ab*"[random() % 3]);
    for (std::uint64_t n = random() % 9; n > 0; --n) name += "ab"[random() % 2];
    CAPTURE(pattern);
    CAPTURE(name);
    REQUIRE(takes(pattern, name) == fits(pattern, name));
  }
}

TEST_CASE("weights have at most nine digits with one number of decimals") {
  const auto scaled = [](std::string_view text) {
    const Result<std::vector<double>> weights = parse_weights(text);
    if (!weights) return std::string("refused");
    const Weights whole = *scale_weights(*weights);
    return fmt::format("{} by {}", fmt::join(whole.scaled, " "), whole.decimals);
  };
  CHECK(scaled("3, 1") == "3 1 by 0");
  CHECK(scaled("0.5,-2") == "5 -20 by 1");
  CHECK(scaled("0.000000001") == "1 by 9");
  CHECK(scaled("999999999") == "999999999 by 0");
  CHECK(scaled("1000000000") == "refused");
  CHECK(scaled("1000,0.0000001") == "refused");
  CHECK(scaled("0.0000000001") == "refused");
  CHECK(scaled("1,x") == "refused");
  CHECK(scaled("inf") == "refused");
}

}  // namespace laurel
