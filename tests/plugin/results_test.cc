// The C interface's results: ids, several boards, reports, attempts, history, trials of rules.
#include "laurel/results.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "plugin/remote_fixture.h"

using laurel::test::api;
using laurel::test::Folder;
using laurel::test::Host;
using laurel::test::RemoteHost;
using laurel::test::Told;

namespace {

const laurel_results_api& results() {
  REQUIRE(api().results != nullptr);
  return *api().results;
}

laurel_details with_id(std::string_view id) {
  laurel_details details{};
  details.struct_size = sizeof details;
  details.id = id.data();
  details.id_size = id.size();
  return details;
}

// "5 changed", "5 same", or the refusal.
std::string submitted(Host& host, laurel_board board, double score, const laurel_details& details) {
  laurel_outcome out{};
  if (api().submit(host.boards, board, "ada", score, &details, &out, &host.error) != LAUREL_OK) {
    return host.error.text;
  }
  return fmt::format("{} {}", out.score, out.changed ? "changed" : "same");
}

double score_of(Host& host, laurel_board board, const char* player) {
  double score = NAN;
  api().score(host.boards, board, player, &score);
  return score;
}

// Adds one line for each result.
void tell_result(void* context, const laurel_past_result* result) {
  constexpr const char* kBy[] = {"submit", "add", "set", "join"};
  CHECK(result->struct_size == sizeof *result);
  auto& text = *static_cast<std::string*>(context);
  text +=
      fmt::format("{} {} held {} at {}", kBy[result->by], result->score, result->held, result->at);
  if (result->data != nullptr) {
    text += fmt::format(
        " '{}'", std::string_view(static_cast<const char*>(result->data), result->data_size));
  }
  if (result->rule_version != nullptr) text += fmt::format(" by {}", result->rule_version);
  text += "\n";
}

std::string history_of(Host& host, laurel_board board, size_t limit = 100) {
  std::string text;
  const size_t told = results().history(host.boards, board, "ada", limit, tell_result, &text);
  CHECK(told == static_cast<size_t>(std::count(text.begin(), text.end(), '\n')));
  CHECK(results().history(host.boards, board, "ada", limit, nullptr, nullptr) == told);
  return text;
}

void tell_example(void* context, const laurel_rehearsal_example* example) {
  CHECK(example->struct_size == sizeof *example);
  const auto outcome = [](const char* refusal, double score) {
    CHECK(std::isnan(score) == (refusal != nullptr));
    return refusal != nullptr ? std::string(refusal) : fmt::format("{}", score);
  };
  *static_cast<std::string*>(context) += fmt::format(
      "{} {}: {} -> {}\n", example->player, example->submitted,
      outcome(example->was_refusal, example->was), outcome(example->now_refusal, example->now));
}

}  // namespace

TEST_CASE("every function of the table of results is set") {
  CHECK(laurel::test::is_complete(results()));
}

TEST_CASE("a result with an id counts once on a board, by whichever call it comes") {
  Host host;
  const laurel_board board = host.board("b");
  const laurel_board other = host.board("other");
  const laurel_details details = with_id("match 1");
  CHECK(submitted(host, board, 5, details) == "5 changed");
  CHECK(submitted(host, board, 9, details) == "5 same");
  laurel_outcome out{};
  CHECK(api().add(host.boards, board, "ada", 9, &details, &out, nullptr) == LAUREL_OK);
  CHECK(out.score == 5);
  CHECK(out.changed == 0);
  CHECK(api().set(host.boards, board, "ada", 9, &details, &out, nullptr) == LAUREL_OK);
  CHECK(out.changed == 0);
  CHECK(submitted(host, other, 9, details) == "9 changed");
  host.now += int64_t{86'401} * 1'000'000;
  CHECK(submitted(host, board, 9, details) == "9 changed");
}

TEST_CASE("a refused result does not use up its id, and an id has 1 to 64 bytes of any value") {
  using namespace std::string_view_literals;
  Host host;
  const laurel_board board = host.board("b");
  CHECK(submitted(host, board, NAN, with_id("m")) == "not_finite: the score is nan");
  CHECK(submitted(host, board, 1, with_id("m")) == "1 changed");
  CHECK(submitted(host, board, 2, with_id("m\0a"sv)) == "2 changed");
  CHECK(submitted(host, board, 3, with_id("m\0b"sv)) == "3 changed");
  CHECK(submitted(host, board, 4, with_id("")).starts_with("bad_data: "));
  CHECK(submitted(host, board, 4, with_id(std::string(65, 'm'))).starts_with("bad_data: "));
  CHECK(submitted(host, board, 4, with_id(std::string(64, 'm'))) == "4 changed");
}

TEST_CASE("a host that was compiled without ids gives none") {
  Host host;
  const laurel_board board = host.board("b");
  laurel_details details = with_id("match 1");
  details.struct_size = offsetof(laurel_details, id);
  CHECK(submitted(host, board, 5, details) == "5 changed");
  CHECK(submitted(host, board, 9, details) == "9 changed");
}

TEST_CASE("one result goes to several boards, all or none") {
  Host host;
  const laurel_board best = host.board("best");
  const laurel_board sum = host.board("sum", {{"keep", "sum", 0}});
  const laurel_board first = host.board("first", {{"engine", "capped", 0}, {"cap", nullptr, 1}});
  host.submit(best, "ada", 9);
  host.submit(sum, "ada", 9);
  host.submit(first, "bea", 100);
  const laurel_board on[] = {best, sum, first};
  double held[3] = {};
  size_t refused = 0;
  const auto submit = [&](const laurel_board* to, size_t count, const char* player) {
    return results().submit(host.boards, to, count, player, 4, nullptr, held, &refused,
                            &host.error);
  };
  CHECK(submit(on, 3, "ada") == LAUREL_OK);
  CHECK(held[0] == 9);
  CHECK(held[1] == 13);
  CHECK(std::isnan(held[2]));
  CHECK(refused == 3);

  api().ban(host.boards, sum, "ada", nullptr);
  CHECK(submit(on, 3, "ada") == LAUREL_BANNED);
  CHECK(refused == 1);
  api().unban(host.boards, sum, "ada", nullptr);
  CHECK(score_of(host, sum, "ada") == 13);
  CHECK(submit(on, 3, nullptr) == LAUREL_BAD_PLAYER);
  CHECK(submit(on, 0, "ada") == LAUREL_OK);

  const laurel_board twice[] = {best, sum, best};
  CHECK(submit(twice, 3, "ada") == LAUREL_INVALID);
  CHECK(std::string(host.error.text) == "invalid: board \"best\" is given twice");
  CHECK(refused == 3);
  const laurel_board gone[] = {best, {0, 0}};
  CHECK(submit(gone, 2, "ada") == LAUREL_UNKNOWN);
  CHECK(refused == 1);
  CHECK(results().submit(host.boards, on, 2, "cleo", 4, nullptr, nullptr, nullptr, nullptr) ==
        LAUREL_OK);
  CHECK(score_of(host, sum, "cleo") == 4);
}

TEST_CASE("each of several boards gets a score of its own, and knows ids by itself") {
  Host host;
  const laurel_board on[] = {host.board("kills", {{"keep", "sum", 0}}),
                             host.board("points", {{"keep", "sum", 0}})};
  const laurel_details details = with_id("match 1");
  host.submit(on[0], "ada", 1);
  CHECK(api().submit(host.boards, on[1], "ada", 50, &details, nullptr, nullptr) == LAUREL_OK);
  const double scores[] = {2, 70};
  double held[2] = {};
  for (int i = 0; i < 2; ++i) {
    CHECK(results().submit_each(host.boards, on, scores, 2, "ada", &details, held, nullptr,
                                &host.error) == LAUREL_OK);
    CHECK(held[0] == 3);
    CHECK(held[1] == 50);
  }
  const double wrong[] = {2, NAN};
  size_t refused = 9;
  CHECK(results().submit_each(host.boards, on, wrong, 2, "ada", nullptr, held, &refused,
                              &host.error) == LAUREL_NOT_FINITE);
  CHECK(refused == 1);
  CHECK(score_of(host, on[0], "ada") == 3);
}

TEST_CASE("a report says what a submission did, up to the size of the host's struct") {
  Host host;
  const laurel_board board = host.board("b");
  for (int i = 1; i <= 4; ++i) host.submit(board, fmt::format("p{}", i).c_str(), i * 10);
  laurel_report report{};
  report.struct_size = sizeof report;
  const laurel_details details = with_id("m");
  const auto submit = [&](double score) {
    return results().report(host.boards, board, "ada", score, &details, &report, &host.error);
  };
  CHECK(submit(25) == LAUREL_OK);
  CHECK(report.changed == 1);
  CHECK(report.score == 25);
  CHECK(std::isnan(report.previous));
  CHECK(report.rank == 3);
  CHECK(report.previous_rank == 0);
  CHECK(report.passed == 2);
  CHECK(report.at == host.now + 4);  // the fifth submission at that time

  CHECK(submit(35) == LAUREL_OK);  // the id is known
  CHECK(report.changed == 0);
  CHECK(report.score == 25);
  CHECK(report.previous == 25);
  CHECK(report.passed == 0);

  CHECK(results().report(host.boards, board, "ada", 35, nullptr, &report, nullptr) == LAUREL_OK);
  CHECK(report.previous == 25);
  CHECK(report.previous_rank == 3);
  CHECK(report.rank == 2);
  CHECK(report.passed == 1);

  report.struct_size = offsetof(laurel_report, rank);
  report.rank = 77;
  CHECK(results().report(host.boards, board, "ada", 45, nullptr, &report, nullptr) == LAUREL_OK);
  CHECK(report.score == 45);
  CHECK(report.rank == 77);
  CHECK(results().report(host.boards, board, "ada", 55, nullptr, nullptr, nullptr) == LAUREL_OK);
  CHECK(results().report(host.boards, board, "", 55, nullptr, nullptr, nullptr) ==
        LAUREL_BAD_PLAYER);
}

TEST_CASE("data is replaced without the score and its moment") {
  Host host;
  const laurel_board board = host.board("b");
  host.submit(board, "ada", 5);
  const int64_t at = host.now;
  host.now += 1'000'000;
  int32_t found = -1;
  const auto set_data = [&](const char* player, const void* data, size_t size) {
    return results().set_data(host.boards, board, player, data, size, &found, &host.error);
  };
  CHECK(set_data("ada", "x\0y", 3) == LAUREL_OK);
  CHECK(found == 1);
  laurel_board_entry entry{};
  REQUIRE(api().top(host.boards, board, &entry, 1) == 1);
  CHECK(std::string(static_cast<const char*>(entry.data), entry.data_size) ==
        std::string("x\0y", 3));
  CHECK(entry.at == at);
  CHECK(entry.score == 5);
  CHECK(set_data("ada", nullptr, 0) == LAUREL_OK);
  REQUIRE(api().top(host.boards, board, &entry, 1) == 1);
  CHECK(entry.data == nullptr);
  CHECK(set_data("bea", "x", 1) == LAUREL_OK);
  CHECK(found == 0);
  CHECK(set_data("ada", std::string(1025, 'x').data(), 1025) == LAUREL_BAD_DATA);
  CHECK(set_data(nullptr, "x", 1) == LAUREL_BAD_PLAYER);
}

TEST_CASE("attempts are counted and granted, and a full board takes no more players") {
  Host host;
  const laurel_board board = host.board("b", {{"attempts", nullptr, 2}, {"capacity", nullptr, 1}});
  uint64_t taken = 9;
  uint64_t left = 9;
  REQUIRE(results().attempts(host.boards, board, "ada", &taken, &left) == 1);
  CHECK(taken == 0);
  CHECK(left == 2);
  CHECK(host.submit(board, "ada", 1) == LAUREL_OK);
  CHECK(host.submit(board, "ada", 2) == LAUREL_OK);
  CHECK(host.submit(board, "ada", 3) == LAUREL_EXHAUSTED);
  CHECK(host.submit(board, "bea", 3) == LAUREL_FULL);
  CHECK(results().grant(host.boards, board, "ada", 2, &left, &host.error) == LAUREL_OK);
  CHECK(left == 2);
  CHECK(results().grant(host.boards, board, "ada", -1, &left, nullptr) == LAUREL_OK);
  CHECK(left == 1);
  CHECK(host.submit(board, "ada", 3) == LAUREL_OK);
  CHECK(host.submit(board, "ada", 4) == LAUREL_EXHAUSTED);
  REQUIRE(results().attempts(host.boards, board, "ada", &taken, nullptr) == 1);
  CHECK(taken == 3);

  const laurel_board other = host.board("other");
  CHECK(results().attempts(host.boards, other, "ada", &taken, &left) == 0);
  CHECK(results().grant(host.boards, other, "ada", 1, nullptr, nullptr) == LAUREL_UNSUPPORTED);
  CHECK(results().grant(host.boards, board, "ada", INT64_MAX, nullptr, nullptr) ==
        LAUREL_OUT_OF_RANGE);
  CHECK(results().grant(host.boards, {0, 0}, "ada", 1, nullptr, nullptr) == LAUREL_UNKNOWN);
  CHECK(results().attempts(host.boards, {0, 0}, "ada", nullptr, nullptr) == 0);
}

TEST_CASE("the history of a player is told newest first, and results are taken back") {
  const Folder rules;
  rules.write("all.lua", "return { version = 'v7' }");
  Host host(rules.c_str());
  const laurel_board board = host.board("b", {{"history", nullptr, 3}, {"rule", "all", 0}});
  laurel_details details{};
  details.struct_size = sizeof details;
  details.has_at = 1;
  for (int i = 1; i <= 4; ++i) {
    details.at = i * 10;
    details.data = "new";
    details.data_size = i == 4 ? 3 : 0;
    const double score = i == 3 ? 99 : i;
    REQUIRE(api().submit(host.boards, board, "ada", score, &details, nullptr, nullptr) ==
            LAUREL_OK);
  }
  CHECK(history_of(host, board) ==
        "submit 4 held 99 at 40 'new' by v7\n"
        "submit 99 held 99 at 30 '' by v7\n"
        "submit 2 held 2 at 20 '' by v7\n");
  CHECK(history_of(host, board, 1) == "submit 4 held 99 at 40 'new' by v7\n");
  CHECK(history_of(host, board, 0).empty());

  laurel_outcome out{};
  CHECK(results().take_back(host.boards, board, "ada", 30, &out, &host.error) == LAUREL_OK);
  CHECK(out.score == 4);
  CHECK(out.changed == 1);
  CHECK(out.shown == 1);
  CHECK(results().take_back(host.boards, board, "ada", 30, &out, &host.error) == LAUREL_UNKNOWN);
  CHECK(history_of(host, board) ==
        "submit 4 held 4 at 40 'new' by v7\n"
        "submit 2 held 2 at 20 '' by v7\n");
  CHECK(results().take_back(host.boards, {0, 0}, "ada", 30, nullptr, nullptr) == LAUREL_UNKNOWN);
  CHECK(history_of(host, {0, 0}).empty());

  host.submit(board, "bea", 7);
  CHECK(results().take_back(host.boards, board, "bea", host.now, &out, nullptr) == LAUREL_OK);
  CHECK(std::isnan(out.score));  // there is no entry
  CHECK(out.shown == 0);
  CHECK(out.changed == 1);
}

TEST_CASE("the history tells which results were set and added") {
  Host host;
  const laurel_board board = host.board("b", {{"history", nullptr, 3}});
  api().set(host.boards, board, "ada", 7, nullptr, nullptr, nullptr);
  api().add(host.boards, board, "ada", -2, nullptr, nullptr, nullptr);
  const std::string expected =
      fmt::format("add -2 held 5 at {}\nset 7 held 7 at {}\n", host.now + 1, host.now);
  CHECK(history_of(host, board) == expected);
}

TEST_CASE("a rule is tried on the journal of a board, and nothing changes") {
  const Folder rules;
  rules.write("now.lua", "return { accept = function(s) return s.score < 100, 'too much' end }");
  rules.write("next.lua", "return { accept = function(s) return s.score < 10, 'above ten' end }");
  rules.write("broken.lua", "return { accept = function(s) return s.none.score end }");
  Host host(rules.c_str());
  const laurel_board board = host.board("b", {{"journal", nullptr, 100}, {"rule", "now", 0}});
  host.submit(board, "ada", 5);
  host.submit(board, "bea", 50);
  host.submit(board, "cleo", 500);

  laurel_rehearsal report{};
  report.struct_size = sizeof report;
  std::string examples;
  REQUIRE(results().rehearse(host.boards, board, "next", &report, tell_example, &examples,
                             &host.error) == LAUREL_OK);
  CHECK(report.judged == 3);
  CHECK(report.same == 2);
  CHECK(report.accepted == 1);
  CHECK(report.refused == 2);
  CHECK(report.failed == 0);
  CHECK(report.examples == 1);
  CHECK(examples == "bea 50: 50 -> rejected: above ten\n");
  CHECK(score_of(host, board, "bea") == 50);

  REQUIRE(results().rehearse(host.boards, board, "broken", &report, nullptr, nullptr, nullptr) ==
          LAUREL_OK);
  CHECK(report.failed == 3);
  CHECK(results().rehearse(host.boards, board, "now", nullptr, tell_example, nullptr, nullptr) ==
        LAUREL_OK);
  CHECK(results().rehearse(host.boards, board, "none", &report, nullptr, nullptr, nullptr) ==
        LAUREL_UNKNOWN);
  CHECK(results().rehearse(host.boards, {0, 0}, "next", &report, nullptr, nullptr, nullptr) ==
        LAUREL_UNKNOWN);
  rules.write("torn.lua", "return {");
  CHECK(results().rehearse(host.boards, board, "torn", &report, nullptr, nullptr, nullptr) ==
        LAUREL_UNAVAILABLE);
  Host without;
  CHECK(results().rehearse(without.boards, without.board("b"), "next", &report, nullptr, nullptr,
                           nullptr) == LAUREL_UNAVAILABLE);
}

TEST_CASE("remote boards are refused here, and take ids in their own calls") {
  RemoteHost host;
  const laurel_board world = host.board("world");
  const laurel_details details = with_id("match 1");
  size_t refused = 9;
  CHECK(results().submit(host.boards, &world, 1, "ada", 1, nullptr, nullptr, &refused,
                         &host.error) == LAUREL_UNSUPPORTED);
  CHECK(refused == 0);
  CHECK(results().set_data(host.boards, world, "ada", nullptr, 0, nullptr, nullptr) ==
        LAUREL_UNSUPPORTED);
  CHECK(results().take_back(host.boards, world, "ada", 1, nullptr, nullptr) == LAUREL_UNSUPPORTED);
  CHECK(results().history(host.boards, world, "ada", 9, nullptr, nullptr) == 0);
  const auto add = [&](Told* told) {
    return laurel::test::remote().add(host.boards, world, "ada", 1, &details, Told::take, told,
                                      &host.error);
  };
  CHECK(host.ask(add).changed == 1);
  CHECK(host.ask(add).changed == 0);
  CHECK(laurel::test::remote().post(host.boards, world, "ada", 1, &details, &host.error) ==
        LAUREL_OK);
  host.tick(20);
  CHECK(host.top(world, 10).table == "1 ada 1");
}
