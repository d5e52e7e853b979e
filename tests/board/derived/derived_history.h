// derived_history.h - random histories of boards that are made from other boards: the registry with
// its restarts and its moves through an export, the writes, and how rows of an oracle are compared
// with a board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "board/fixture.h"
#include "board/silent_registry.h"
#include "folder.h"
#include "naive_order.h"
#include "transfer/transfer.h"

namespace laurel {

// The dividend over the divisor, which is positive; half away from zero.
inline std::int64_t naive_quotient(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t size = dividend < 0 ? -dividend : dividend;
  const std::int64_t quotient = (2 * size + divisor) / (2 * divisor);
  return dividend < 0 ? -quotient : quotient;
}

inline std::int64_t power_of_ten(int exponent) {
  return exponent == 0 ? 1 : 10 * power_of_ten(exponent - 1);
}

class DerivedHistory {
 public:
  DerivedHistory(const DerivedHistory&) = delete;
  DerivedHistory& operator=(const DerivedHistory&) = delete;

 protected:
  struct Row {
    std::string player;
    double score = 0;
    Time at = 0;
  };

  explicit DerivedHistory(std::uint64_t seed)
      : random_(seed), now_(std::make_shared<Time>(Fixture::kStart)) {
    open();
  }
  virtual ~DerivedHistory() = default;

  // Compares the boards with the oracle.
  virtual void compare() = 0;
  // A board that is written to, and a player of few.
  virtual Board& board() = 0;
  virtual std::string player() = 0;
  double score() { return static_cast<double>(random_() % 13) / 4 - 0.5; }

  void restart() {
    if (random_() % 2 == 0) registry_->tick();
    // Perhaps a season ends meanwhile. Another one may have ended since the last step: the oracle
    // has to see the season between them.
    const bool ends_season = random_() % 4 == 0;
    if (ends_season) compare();
    REQUIRE(registry_->close());
    if (ends_season) *now_ += 1200 * kSecond;
    open();
  }
  // To another registry, through an export.
  void move() {
    const std::string file = *folder_ / "export";
    REQUIRE(export_registry(*registry_, file));
    REQUIRE(registry_->close());
    const std::unique_ptr<test::Folder> former = std::exchange(folder_, new_folder());
    open();
    const Status read = import_registry(*registry_, file);
    if (!read) FAIL(read.refusal().text());
  }

  void make(std::string_view name, const Fields& fields) {
    const Result<BoardHandle> made = registry_->open(name, spec(fields));
    if (!made) FAIL(made.refusal().text());
  }
  // Drops the board, or makes it if there is none.
  void drop_or_make(std::string_view name, const Fields& fields) {
    const Result<bool> dropped = registry_->drop(name);
    REQUIRE(dropped);
    if (!*dropped) make(name, fields);
  }

  void write(WriteMode mode) {
    const std::string id = player();
    Submission submission = result(id, score());
    // Moments that tie, and that come in another order.
    if (random_() % 3 == 0) {
      submission.at = seconds_from_time(Fixture::kStart) + static_cast<double>(random_() % 3);
    }
    if (random_() % 5 == 0) submission.data = "some data";
    (void)board().submit(mode, submission);
  }
  void batch() {
    std::vector<std::string> ids;
    std::vector<Submission> submissions;
    for (int i = 0; i < 6; ++i) ids.push_back(player());
    for (const std::string& id : ids) submissions.push_back(result(id, score()));
    board().submit_all(submissions, [](std::size_t, const Refusal&) {});
  }

  // The board has these rows, in whole and by player. Returns them as text.
  std::string require_rows(const Board& derived, std::vector<Row> rows) {
    naive_sort(rows, derived.spec());
    const std::string expected = text(rows, derived.spec());
    REQUIRE(text(derived) == expected);
    Entries entries;
    derived.read(0, SIZE_MAX, entries);
    REQUIRE(derived.size() == entries.size());
    for (const Entry& entry : entries) {
      const std::optional<Entry> found = derived.get(entry.player);
      REQUIRE(found);
      REQUIRE(found->rank == entry.rank);
    }
    return expected;
  }
  static std::string text(const Standings& standings) {
    Entries entries;
    standings.read(0, SIZE_MAX, entries);
    std::string text;
    for (const Entry& entry : entries) {
      text += fmt::format("{} {} {} at {}\n", entry.rank, entry.player, entry.score, entry.at);
    }
    return text;
  }

  std::mt19937_64 random_;
  std::shared_ptr<Time> now_;
  std::unique_ptr<Registry> registry_;

 private:
  static std::unique_ptr<test::Folder> new_folder() {
    return std::make_unique<test::Folder>("store");
  }
  void open() {
    registry_.reset();
    registry_ = open_silently(now_, folder_.get());
  }
  static std::string text(const std::vector<Row>& rows, const Spec& spec) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += fmt::format("{} {} {} at {}\n", naive_rank(rows, i, spec.ranking), rows[i].player,
                          rows[i].score + 0.0, rows[i].at);
    }
    return text;
  }

  std::unique_ptr<test::Folder> folder_ = new_folder();
};

}  // namespace laurel
