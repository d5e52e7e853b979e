// fixture.h - a registry with a clock that the test sets, and boards as text.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "board/spec/spec_change.h"
#include "rank_text.h"
#include "registry/registry.h"

namespace laurel {

// A clock that shows the time set by the test.
class TestClock final : public Clock {
 public:
  explicit TestClock(Time start) : time(std::make_shared<Time>(start)) {}
  Time now() override { return *time; }

  std::shared_ptr<Time> time;
};

// A clock that several registries read.
class SharedClock final : public Clock {
 public:
  explicit SharedClock(std::shared_ptr<Time> time) : time_(std::move(time)) {}
  Time now() override { return *time_; }

 private:
  std::shared_ptr<Time> time_;
};

using Fields = std::vector<std::pair<std::string_view, FieldValue>>;

inline SpecChange spec(const Fields& fields) {
  SpecChange change;
  for (const auto& [name, value] : fields) {
    if (const Status taken = change.set(name, value); !taken) FAIL(taken.refusal().text());
  }
  return change;
}

struct Fixture {
  static constexpr Time kStart = 1'000'000 * kSecond;

  explicit Fixture(std::unique_ptr<Rules> rules = nullptr) {
    auto clock = std::make_unique<TestClock>(kStart);
    now = clock->time;
    registry = std::make_unique<Registry>(
        RegistryOptions{.clock = std::move(clock),
                        .log = Log([this](Level level, std::string_view line) {
                          log.push_back(fmt::format("{}: {}", word(level), line));
                        }),
                        .rules = std::move(rules),
                        .secret = HashSecret::fixed(1)});
  }

  BoardHandle open(std::string_view name, const Fields& fields = {}) {
    const Result<BoardHandle> handle = registry->open(name, spec(fields));
    if (!handle) FAIL(handle.refusal().text());
    return *handle;
  }
  Board& board(std::string_view name, const Fields& fields = {}) {
    return *registry->get(open(name, fields));
  }

  std::shared_ptr<Time> now;
  std::vector<std::string> log;
  std::unique_ptr<Registry> registry;
};

// A board as text: "1 bob 9850, 2 alice 8420".
inline std::string table(const Entries& entries) {
  std::string text;
  for (const Entry& entry : entries) {
    text +=
        fmt::format("{}{} {} {}", text.empty() ? "" : ", ", entry.rank, entry.player, entry.score);
  }
  return text;
}
inline std::string table(const Standings& board) {
  Entries entries;
  board.read(0, SIZE_MAX, entries);
  return table(entries);
}

// "ok", or the refusal's code as a word.
template <typename T>
std::string verdict(const Result<T>& result) {
  return result ? "ok" : std::string(word(result.refusal().code()));
}

inline Submission result(std::string_view player, double score) {
  return {.player = player, .score = score};
}

using Results = std::vector<std::pair<std::string_view, double>>;

// Submits the results in order, a second apart.
inline void play(Fixture& game, Board& board, const Results& results) {
  for (const auto& [player, score] : results) {
    *game.now += kSecond;
    const Result<Outcome> outcome = board.submit(WriteMode::submit, result(player, score));
    if (!outcome) FAIL(outcome.refusal().text());
  }
}

// The table of a board of these fields after these results.
inline std::string played(const Fields& fields, const Results& results) {
  Fixture game;
  Board& board = game.board("b", fields);
  play(game, board, results);
  return table(board);
}

}  // namespace laurel
