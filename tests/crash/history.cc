#include "history.h"

#include <cassert>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "board/spec/spec_change.h"

namespace laurel::crash {

namespace {

constexpr Time kStart = 1'000'000 * kSecond;
constexpr std::string_view kProgress = "progress";
constexpr std::string_view kPlayed = "played";

// Numbers that depend on a seed and an operation's number. Source: splitmix64, S. Vigna.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t number) : state_(seed * 0x9E3779B97F4A7C15U + number) {
    (void)next();
  }
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

using Fields = std::vector<std::pair<std::string_view, FieldValue>>;

SpecChange change_of(const Fields& fields) {
  SpecChange change;
  for (const auto& [name, value] : fields) {
    [[maybe_unused]] const Status taken = change.set(name, value);
    assert(taken && "a field as the manual has it");
  }
  return change;
}

SpecChange spec_of(const BoardCase& board) {
  Fields fields = {{"engine", board.engine}, {"order", board.order}, {"ties", board.ties}};
  if (!board.sources.empty()) {
    fields.push_back({"sources", board.sources});
    fields.push_back({"take", board.take});
    return change_of(fields);
  }
  if (board.engine != "rolling") fields.push_back({"keep", board.keep});
  if (!board.of.empty()) fields.push_back({"of", board.of});
  if (board.decimals >= 0) fields.push_back({"decimals", static_cast<double>(board.decimals)});
  if (board.shards > 0) fields.push_back({"shards", static_cast<double>(board.shards)});
  if (board.cap > 0) fields.push_back({"cap", static_cast<double>(board.cap)});
  if (!board.reset.empty()) {
    fields.push_back({"reset", board.reset});
    fields.push_back({"archive", 2.0});
  }
  if (board.joins) fields.push_back({"join", std::string_view("required")});
  if (board.engine == "rolling") {
    // The window is wider than any history. The clock may be behind when a directory is opened, and
    // a rolling board whose window is far ahead of the clock starts again.
    fields.push_back({"window.buckets", 366.0});
    fields.push_back({"window.seconds", 60.0});
  }
  return change_of(fields);
}

template <typename T, typename Show>
std::string answer(const Result<T>& result, Show show) {
  return result ? show(*result) : std::string(word(result.refusal().code()));
}
std::string answer(const Result<bool>& result) {
  return answer(result, [](bool value) { return value ? "yes" : "no"; });
}
std::string answer(const Result<std::size_t>& result) {
  return answer(result, [](std::size_t value) { return fmt::format("{}", value); });
}
std::string answer(const Result<Outcome>& result) {
  return answer(result, [](const Outcome& outcome) {
    return fmt::format("{} {}", outcome.score.value_or(-1), outcome.changed);
  });
}
std::string answer(const Status& status) {
  return answer(status, [](Done) { return "done"; });
}

// The execution of one operation.
class Operation {
 public:
  Operation(Registry& registry, std::span<const BoardCase> boards, Dice dice, std::uint64_t number,
            bool whole)
      : registry_(registry), boards_(boards), dice_(dice), number_(number), whole_(whole) {}

  std::string run() {
    const std::uint64_t kind = dice_.below(100);
    if (kind < 6) return of_registry(kind);
    if (kind < 12) return of_players(kind);
    if (kind < 20) return submit_to_several();
    const BoardCase& the_case = boards_[dice_.below(boards_.size())];
    const std::optional<BoardHandle> handle = registry_.find(the_case.name);
    if (!handle) {
      const Result<BoardHandle> opened = registry_.open(the_case.name, spec_of(the_case));
      return answer(opened, [](BoardHandle) { return "opened"; });
    }
    if (kind == 20) return answer(registry_.drop(the_case.name));
    if (kind < 24) return respec(the_case);
    return of_board(*registry_.get(*handle), the_case, kind);
  }

 private:
  // Few players, so that they meet often. One has the longest id, one has separators of keys in its
  // id.
  std::string player() {
    const std::uint64_t player = dice_.below(24);
    if (player == 0) return std::string(kPlayerBytesMax, 'x');
    if (player == 1) return "#SCORE#0000000001#\x01\xff";
    return fmt::format("p{}", player);
  }

  Submission result(std::string_view player) {
    Submission submission{.player = player, .score = static_cast<double>(dice_.below(12))};
    if (dice_.one_in(4)) {
      const std::size_t bytes = dice_.one_in(12) ? kDataBytesMax : dice_.below(40);
      data_.assign(bytes, static_cast<char>('a' + dice_.below(26)));
      submission.data = data_;
    }
    return submission;
  }

  std::string of_registry(std::uint64_t kind) {
    const std::string who = player();
    if (kind < 2) return answer(registry_.ban(who));
    if (kind < 4) return answer(registry_.unban(who));
    if (kind < 5) return answer(registry_.rename(who, player()));
    return dice_.one_in(3) ? answer(registry_.forget(who)) : answer(registry_.unban(who));
  }

  std::string of_players(std::uint64_t kind) {
    const std::string who = player();
    if (kind < 8) {
      const std::string name = fmt::format("name {}", dice_.below(5));
      const std::string email = fmt::format("{}@example.org", dice_.below(30));
      AttributeChanges attributes;
      if (dice_.one_in(2)) (void)attributes.add("clan", fmt::format("clan {}", dice_.below(3)));
      return answer(
          registry_.profiles().save({who, name, email, attributes.text()}, registry_.now()));
    }
    // Sometimes an id that was recorded before.
    const std::string id = fmt::format("{:026}", dice_.one_in(8) ? number_ / 2 : number_);
    const Result<std::string> recorded =
        registry_.sessions().record({.player = who,
                                     .game = dice_.one_in(2) ? "arena" : "race",
                                     .score = static_cast<double>(dice_.below(100)),
                                     .seconds = 60,
                                     .id = id},
                                    registry_.now());
    return answer(recorded, [](const std::string& text) { return text; });
  }

  std::string submit_to_several() {
    std::vector<std::string_view> names;
    for (const BoardCase& board : boards_) {
      if (!board.joins && board.sources.empty() && registry_.find(board.name) && !dice_.one_in(3)) {
        names.push_back(board.name);
      }
    }
    const std::string who = player();
    std::vector<std::optional<double>> scores;
    const auto refused = registry_.submit(names, result(who), scores);
    if (refused) return std::string(word(refused->refusal.code()));
    std::string text = "held";
    for (const std::optional<double>& score : scores)
      text += fmt::format(" {}", score.value_or(-1));
    return text;
  }

  std::string respec(const BoardCase& the_case) {
    static constexpr std::array<std::string_view, 5> kRankings = {"competition", "modified",
                                                                  "dense", "ordinal", "fractional"};
    const std::string meta(dice_.below(300), 'm');
    Fields fields = {{"ranking", kRankings[dice_.below(kRankings.size())]},
                     {"meta", std::string_view(meta)}};
    if (!the_case.reset.empty()) {
      fields.push_back({"archive", static_cast<double>(dice_.below(4))});
      fields.push_back(
          {"reset", dice_.one_in(3) ? std::string_view("*/3 * * * *") : the_case.reset});
    }
    if (the_case.cap > 0) fields.push_back({"cap", static_cast<double>(3 + dice_.below(8))});
    const Result<BoardHandle> changed = registry_.open(the_case.name, change_of(fields));
    return answer(changed, [](BoardHandle) { return "changed"; });
  }

  std::string batch(Board& board) {
    std::vector<std::string> players;
    std::vector<Submission> results;
    const std::size_t count = 5 + dice_.below(30);
    for (std::size_t i = 0; i < count; ++i) players.push_back(player());
    for (const std::string& who : players) {
      results.push_back({.player = who, .score = static_cast<double>(dice_.below(12))});
    }
    std::string refused;
    const std::size_t changed =
        board.submit_all(results, [&](std::size_t index, const Refusal& refusal) {
          refused += fmt::format(" {} {}", index, word(refusal.code()));
        });
    return fmt::format("{}{}", changed, refused);
  }

  std::string of_board(Board& board, const BoardCase& the_case, std::uint64_t kind) {
    const std::string who = player();
    const Submission submission = result(who);
    if (kind < 27) return answer(board.ban(who));
    if (kind < 32) return answer(board.unban(who));
    if (kind < 36) return answer(board.remove(who));
    if (kind < 38) return answer(board.set(submission));
    if (kind == 38) return dice_.one_in(3) ? answer(board.clear()) : answer(board.remove(who));
    if (kind == 39 && the_case.engine != "rolling") return answer(board.reset());
    if (kind < 46 && !whole_) return batch(board);
    if (kind < 52) return answer(board.submit(WriteMode::add, submission));
    if (the_case.joins && kind < 75) {
      if (kind < 55) return answer(board.leave(who));
      return answer(board.join(submission, dice_.one_in(2)));
    }
    return answer(board.submit(WriteMode::submit, submission));
  }

  Registry& registry_;
  std::span<const BoardCase> boards_;
  Dice dice_;
  std::uint64_t number_;
  bool whole_;  // no batches, which may be refused in part
  std::string data_;
};

}  // namespace

Time History::time(std::uint64_t number) const {
  const auto n = static_cast<Time>(number);
  if (pace_ == Pace::steady) return kStart + n * 5 * kSecond;
  const Time back = n % 64 >= 40 && n % 64 < 44 ? 90 * kSecond : 0;
  return kStart + n / 8 * 30 * kSecond - back;
}

// Entries of a batch are refused one by one. A steady history, which is for failing disks, has no
// batches.
std::string History::play(Registry& registry, std::uint64_t number) const {
  const bool whole = pace_ == Pace::steady;
  return Operation(registry, kBoards, Dice(seed_, number), number, whole).run();
}

bool was_refused_by_disk(std::string_view answer) { return answer == word(Code::unavailable); }

bool note(Registry& registry, std::uint64_t number) {
  if (!registry.find(kProgress)) {
    const Fields fields = {{"engine", std::string_view("padded")},
                           {"keep", std::string_view("latest")},
                           {"decimals", 0.0}};
    if (!registry.open(kProgress, change_of(fields))) return false;
  }
  const Submission played{.player = kPlayed, .score = static_cast<double>(number)};
  return static_cast<bool>(
      registry.get(*registry.find(kProgress))->submit(WriteMode::submit, played));
}

std::uint64_t noted(Registry& registry) {
  const std::optional<BoardHandle> progress = registry.find(kProgress);
  if (!progress) return 0;
  return static_cast<std::uint64_t>(registry.get(*progress)->score(kPlayed).value_or(0));
}

}  // namespace laurel::crash
